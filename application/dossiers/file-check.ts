// The files of a dossier as they are read: lines with their numbers, and each file's bytes held against the manifest.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import type { DossierFile, DossierFileName, DossierManifest } from "../../domain/dossiers/manifest.ts"
import { readFaultCodes, type ReadFault } from "../../domain/foundation/foreign-files.ts"
import type { ForeignLines } from "./dossier-files.ts"

/** What a manifest says of a file; its lists were judged before. */
export const fileOf = (manifest: DossierManifest, name: DossierFileName): DossierFile =>
  manifest.files.find(({ path }) => path === name) ?? { path: name, bytes: 0, sha256: "" }

/** Tells why a file could not be read. */
export const tellFault = (list: DossierFindings, where: string, { fault, message }: ReadFault): void =>
  list.add(readFaultCodes[fault], where, message)

/** Holds the hash of a file against the manifest. */
export const checkHash = (
  list: DossierFindings,
  manifest: DossierManifest,
  name: DossierFileName,
  sha256: string
): void => {
  const said = fileOf(manifest, name).sha256
  if (sha256 !== said) list.add("HASH_MISMATCH", name, `its hash is ${sha256}, the manifest says ${said}`)
}

/** The lines of one file, one after the other. */
export class NumberedLines {
  private readonly list: DossierFindings
  private readonly name: DossierFileName
  private readonly lines: ForeignLines
  private count = 0

  constructor(list: DossierFindings, name: DossierFileName, lines: ForeignLines) {
    this.list = list
    this.name = name
    this.lines = lines
  }

  /** How many lines were taken. */
  get taken(): number {
    return this.count
  }

  /** The next line's text, undefined at the end. */
  next(): string | undefined {
    const line = this.lines.next()
    if (line === undefined) return undefined
    this.count += 1
    if (!line.isSound) this.tell("it is not UTF-8, is too long, or does not end with a line feed")
    return line.text
  }

  /** Tells what is wrong with the line that was taken last. */
  tell(message: string): void {
    this.list.add("LINE_INVALID", `${this.name} line ${this.count}`, message)
  }
}

/** Reads a file to its end, tells what belongs to no event, and holds its hash against the manifest. */
export const endOfLines = Effect.fnUntraced(function* (
  list: DossierFindings,
  manifest: DossierManifest,
  name: DossierFileName,
  lines: ForeignLines,
  numbered: NumberedLines
): Effect.fn.Return<void> {
  if (numbered.next() !== undefined) {
    numbered.tell("it belongs to no event")
    let line = lines.next()
    while (line !== undefined) line = lines.next()
  }
  const hashed = yield* Effect.result(lines.sha256)
  if (Result.isFailure(hashed)) tellFault(list, name, hashed.failure)
  else checkHash(list, manifest, name, hashed.success)
})
