// Writes a cassette as a cartridge, a folder or one packed file: everything of one moment, read through SQLite and never
// by copying its file. The bytes depend on the content alone. It is made beside its place and put there as a whole;
// nothing is written over.
import { randomUUID } from "node:crypto"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ExportError } from "../../../application/network/keeping/cassette-files.ts"
import type { ExportReport } from "../../../application/network/keeping/keeping-reports.ts"
import { TargetExists } from "../../../domain/foundation/root-files.ts"
import { InvalidInput } from "../../../domain/foundation/errors.ts"
import { CARTRIDGE_FILES, type CartridgeFile } from "../../../domain/network/cartridges/cartridge-names.ts"
import { cartridgeLine, type CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"
import type { AskedBirth } from "../../../domain/network/birth.ts"
import { CassetteDamaged, CassetteOffline } from "../../../domain/network/errors.ts"
import { permissionsLike } from "../../files/file-access.ts"
import { fileFailure } from "../../files/file-system.ts"
import { flushFile, putFolder, writeContent } from "../../files/folder-draft.ts"
import { newPlaceFault } from "../../files/new-place.ts"
import { folderArchive, putFile } from "../../files/tar-file.ts"
import { cartridgeContent } from "./cartridge-content.ts"
import { CassetteFile, type OpenCassette } from "../cassette-file.ts"

/** How much text waits in memory before it is written (UTF-16 units). */
const BUFFER_UNITS = 1_048_576

/** Lines on their way to an open file. */
class LineBuffer {
  private readonly descriptor: number
  private waiting = ""

  constructor(descriptor: number) {
    this.descriptor = descriptor
  }

  add(line: string): void {
    this.waiting += line
    if (this.waiting.length >= BUFFER_UNITS) this.flush()
  }

  flush(): void {
    const bytes = Buffer.from(this.waiting)
    for (let written = 0; written < bytes.length;) written += writeSync(this.descriptor, bytes, written)
    this.waiting = ""
  }
}

/** A cassette that is to be exported, and for whom. */
export interface ExportedCassette {
  readonly id: string
  /** Absolute. */
  readonly file: string
  /** What the configuration asks of the file. */
  readonly asked?: AskedBirth | undefined
  /** Whose memories go along, where each agent has its own; none go along when it is left out. */
  readonly agent?: string | null | undefined
}

/** Fills a folder with the three files, made with these permissions. */
const writeFiles = (
  folder: string,
  mode: number,
  cassette: OpenCassette,
  exported: ExportedCassette
): CartridgeManifest => {
  const descriptors: Array<number> = []
  const lines = (name: CartridgeFile): LineBuffer => {
    const descriptor = openSync(join(folder, name), "wx", mode)
    descriptors.push(descriptor)
    return new LineBuffer(descriptor)
  }
  try {
    const receipts = lines("receipts.jsonl")
    const records = lines("records.jsonl")
    const content = cartridgeContent(cassette, exported, exported.agent ?? null)
    let next = content.next()
    for (; next.done !== true; next = content.next()) {
      receipts.add(cartridgeLine(next.value.receipt))
      if (next.value.record !== undefined) records.add(cartridgeLine(next.value.record))
    }
    receipts.flush()
    records.flush()
    writeContent(join(folder, "manifest.json"), cartridgeLine(next.value), mode)
    return next.value
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

const pack = (folder: string, mode: number, target: string): "created" | "unchanged" => {
  const draft = `${folder}.tar`
  try {
    writeContent(draft, folderArchive(folder, CARTRIDGE_FILES), mode)
    flushFile(draft)
    return putFile(draft, target)
  } finally {
    rmSync(draft, { force: true })
  }
}

const exportFailure = (target: string, error: unknown): ExportError => {
  if (error instanceof CassetteDamaged || error instanceof TargetExists) return error
  const { code, path = "" } = error as NodeJS.ErrnoException
  if (code === "ENOENT" && dirname(path) === dirname(target)) {
    const message = `there is no folder ${dirname(target)}`
    return new InvalidInput({ message: `${target}: ${message}`, issues: [{ path: "--out", message }] })
  }
  return fileFailure("--out", target, error)
}

const isSqliteError = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith("SQLITE_")

/** Reads a moment of a cassette; what is no fault of the cassette's file comes back as a failure. */
const snapshotOf = <A>(
  { asked, file, id }: ExportedCassette,
  target: string,
  read: (cassette: OpenCassette) => A
): Result.Result<A, ExportError> => {
  const cassette = new CassetteFile(file, id, { asked })
  try {
    const outcome = cassette.read((open): Result.Result<A, ExportError> => {
      try {
        return Result.succeed(read(open))
      } catch (error) {
        if (isSqliteError(error)) throw error
        return Result.fail(exportFailure(target, error))
      }
    })
    if ("value" in outcome) return outcome.value
    return Result.fail(new CassetteOffline({ cassette_id: id, ...outcome }))
  } finally {
    cassette.close()
  }
}

/** Exports the cassette in a file to an absolute path: `created` is false when the same stands there, byte for byte. */
export const exportCassette = (
  cassette: ExportedCassette,
  target: string,
  form: "folder" | "tar"
): Effect.Effect<ExportReport, ExportError> =>
  Effect.suspend(() => {
    const unfit = newPlaceFault("--out", target)
    if (unfit !== undefined) return Effect.fail(unfit)
    const folder = join(dirname(target), `.${basename(target)}.partial-${randomUUID()}`)
    try {
      const permissions = permissionsLike(cassette.file, dirname(target))
      mkdirSync(folder, permissions.folder)
      const written = snapshotOf(cassette, target, (open) =>
        writeFiles(folder, permissions.file, open, cassette)
      )
      if (Result.isFailure(written)) return Effect.fail(written.failure)
      const put = form === "tar" ? pack(folder, permissions.file, target) : putFolder(folder, target)
      return Effect.succeed({ created: put === "created", manifest: written.success })
    } catch (error) {
      return Effect.fail(exportFailure(target, error))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
