// A cassette's file under a reading connection: what it is, whether it is still the file at its path, and if it cannot be
// read, why. A cassette that is missing, locked or damaged is reported as a fault and is never a crash. Its file is
// neither changed nor removed. It loads nothing but SQLite, since a process per cassette starts with it.
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AskedBirth, birthDifferences, differenceText } from "../../domain/network/birth.ts"
import type { AnswerStatus } from "../../domain/network/cassette.ts"
import { CASSETTE_SCHEMA_VERSION, CASSETTE_VERSION, majorVersion } from "../../domain/network/limits.ts"
import { type Connection, openForReading, openForWriting } from "../sqlite/connection/better-sqlite3-host.ts"
import {
  COPY_TORN,
  copyOfOneMoment,
  hasJournal,
  isWantOfPlace,
  MAX_COPIES,
  mustBeCopied,
  pictureOf
} from "../sqlite/files/private-copy.ts"
import { isBusyCode } from "../sqlite/connection/busy-code.ts"
import { noFileBeside } from "../sqlite/files/left-log.ts"
import { quickFindings } from "../sqlite/checks/quick-check.ts"
import { recordedVersion } from "../sqlite/recorded-version.ts"
import { leftoverRemoval } from "../sqlite/files/wal-leftovers.ts"
import { adviceOn, wantBehind } from "../files/want.ts"

/** "CXN1" as a big-endian number, in the header of every cassette. */
const APPLICATION_ID = 0x43_58_4e_31

/**
 * How much of a cassette stays in memory between questions (KiB); eight cassettes share a process with their hub. No
 * file is mapped into memory instead: one that is cut meanwhile would end the process.
 */
const CACHE_KIBIBYTES = 8_192

/** Where a cassette records its versions. */
export const CASSETTE_VERSIONS = { table: "cassette_migrations" } as const

/** Why a cassette does not answer. */
export interface CassetteFault {
  readonly status: Exclude<AnswerStatus, "ok" | "partial">
  readonly reason: string
  /** Another program is at work in the file and will be done soon: asking again is the answer. */
  readonly busy?: true
}

export type CassetteInspection =
  | { readonly kind: "empty" }
  /** `version` is undefined when its record was destroyed. */
  | {
      readonly kind: "cassette"
      readonly meta: ReadonlyMap<string, string>
      readonly version: number | undefined
    }
  | { readonly kind: "ledger" }
  | { readonly kind: "foreign"; readonly reason: string }

const inspected = (connection: Connection): CassetteInspection => {
  // To SQLite a name is the same in capitals.
  const names = new Set(
    connection.all<{ name: string }>("SELECT lower(name) AS name FROM sqlite_schema").map(({ name }) => name)
  )
  if (names.has("events")) return { kind: "ledger" }
  const id = connection.pragma("application_id")
  if (id === 0 && names.size === 0) return { kind: "empty" }
  if (id !== APPLICATION_ID || !names.has("network_meta")) {
    return { kind: "foreign", reason: "it is a database of something else" }
  }
  const rows = connection.all<{ key: string; value: string }>("SELECT key, value FROM network_meta")
  return {
    kind: "cassette",
    meta: new Map(rows.map(({ key, value }) => [key, value])),
    version: recordedVersion(connection, CASSETTE_VERSIONS)
  }
}

/**
 * Looks at the application id, the schema's names and the cassette's own description, all of one moment: another may be
 * making the file right now.
 */
export const inspectCassette = (connection: Connection): CassetteInspection =>
  connection.snapshot(() => inspected(connection))

/** What a person does about a disk on which even reading finds no room. */
const NO_ROOM =
  "StorageFull: there is no room for what reading needs: make room on the disk of the file or on that of temporary files"

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === "string" ? code : ""
}

/** What a person does about a file that is no longer what it was. */
const PUT_BACK =
  "cortex network verify lists every fault; put it back from a copy, or remove it and index again"

const damaged = (what: string): CassetteFault => ({
  status: "error",
  reason: `the file is damaged (${what}): ${PUT_BACK}`
})

/** What an error says about a cassette, and what to do. Any other error of reading is a fault of the file. */
const faultOf = (error: unknown): CassetteFault => {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (isBusyCode(code)) {
    const reason = "the file is locked by another program: ask again when that is done"
    return { status: "offline", reason, busy: true }
  }
  const want = wantBehind(error)
  if (want !== undefined && want !== "disk") return { status: "error", reason: adviceOn[want] }
  if (want === "disk" || code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE") {
    return { status: "error", reason: NO_ROOM }
  }
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { status: "offline", reason: "the file is missing: put it back, index it, or correct its path" }
  }
  if (code === "SQLITE_NOTADB") {
    return {
      status: "error",
      reason: `the file is no SQLite database: put it back from a copy, or remove it and index again`
    }
  }
  if (code === "SQLITE_CANTOPEN" || code.startsWith("E")) {
    return {
      status: "error",
      reason: `the file cannot be opened (${message}): look at its path and permissions`
    }
  }
  if (code.startsWith("SQLITE_") && !code.startsWith("SQLITE_CORRUPT")) {
    return { status: "error", reason: `the file cannot be read (${code}: ${message})` }
  }
  return damaged(message)
}

/** Whose file is opened, what its configuration asks of it, and how much of it stays in memory. */
interface Wanted {
  readonly file: string
  readonly id: string
  readonly asked: AskedBirth
  readonly cacheKibibytes: number
  /** True for a verification: it reports damage that an opening sees itself, with all other findings. */
  readonly asFound: boolean
}

const judge = (found: CassetteInspection, { asked, file, id }: Wanted): CassetteFault | undefined => {
  switch (found.kind) {
    case "ledger":
      return { status: "refused", reason: "LedgerIsNotACassette: the file is a ledger: name another file" }
    case "foreign":
      return { status: "refused", reason: `NotACassette: ${found.reason}: name another file` }
    case "empty":
      return { status: "offline", reason: "the file is empty: index it first" }
    case "cassette": {
      const version = found.meta.get("schema_version") ?? ""
      if (majorVersion(version) !== majorVersion(CASSETTE_SCHEMA_VERSION)) {
        const reason = `its schema version is ${version || "missing"}, this program reads ${CASSETTE_SCHEMA_VERSION}: open it with the release that wrote it`
        return { status: "refused", reason }
      }
      if ((found.version ?? 0) > CASSETTE_VERSION) {
        const reason = `it has version ${found.version}, this program knows ${CASSETTE_VERSION}: use a newer program`
        return { status: "refused", reason }
      }
      const own = found.meta.get("cassette_id")
      if (own !== id) {
        return { status: "refused", reason: `it is the cassette ${own}, not ${id}: correct its id or path` }
      }
      const differences = birthDifferences(found.meta, asked)
      return differences.length === 0
        ? undefined
        : { status: "refused", reason: differenceText(file, id, differences) }
    }
  }
}

/** An open cassette and the file that it was opened from. */
export interface OpenCassette {
  readonly connection: Connection
  readonly meta: ReadonlyMap<string, string>
  readonly identity: string
  /** Of a copy: what its original looked like, with the log, which a writer changes without changing the file. */
  readonly copied: string | undefined
  /** Takes away what reading has put beside the file; called once the connection is closed. */
  readonly removeLeftovers: () => void
}

/**
 * What tells the file at a path from another one, and from itself after something wrote over it: pages that are
 * remembered would hide that.
 */
const identityOf = (file: string): string | CassetteFault => {
  const found = statSync(file, { bigint: true })
  if (!found.isFile())
    return { status: "error", reason: "there is no file but something else: correct its path" }
  const beside = noFileBeside(realpathSync(file))
  if (beside !== undefined) return { status: "error", reason: beside }
  if (found.size === 0n)
    return {
      status: "error",
      reason: `the file is empty: put it back from a copy, or remove it and index again`
    }
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`
}

type Admitted = Pick<OpenCassette, "connection" | "meta">

/** Opens the file at a path, or a copy of the cassette; a file that is not this cassette is closed again. */
const admit = (path: string, wanted: Wanted): Admitted | CassetteFault => {
  const connection = openForReading(path)
  let admitted: Admitted | undefined
  try {
    connection.pragma(`cache_size = -${wanted.cacheKibibytes}`)
    const found = inspectCassette(connection)
    const [damage] = found.kind === "cassette" && !wanted.asFound ? quickFindings(connection) : []
    const fault = judge(found, wanted) ?? (damage === undefined ? undefined : damaged(damage.message))
    if (fault === undefined && found.kind === "cassette") admitted = { connection, meta: found.meta }
    return admitted ?? fault ?? { status: "error", reason: "the file cannot be read" }
  } finally {
    if (admitted === undefined) connection.close()
  }
}

const openInPlace = (wanted: Wanted, identity: string) => {
  const removeLeftovers = leftoverRemoval(wanted.file)
  const admitted = admit(wanted.file, wanted)
  if (!("status" in admitted)) return { ...admitted, identity, copied: undefined, removeLeftovers }
  removeLeftovers()
  return admitted
}

/** Lets SQLite undo in a copy what a killed writer left half-done. */
const undoJournal = (copy: string): void => {
  if (!hasJournal(copy)) return
  const connection = openForWriting(copy)
  try {
    connection.all("SELECT 1 FROM sqlite_schema LIMIT 1")
  } finally {
    connection.close()
  }
}

/**
 * Opens a private copy of the file. Its folder is removed as soon as SQLite has everything of it open, so that nothing
 * is left when this process is killed; the copy lives until it is closed.
 */
const openCopy = (wanted: Wanted, identity: string) => {
  const { file } = wanted
  const folder = mkdtempSync(join(tmpdir(), "cassette-copy-"))
  try {
    for (let count = 0; count < MAX_COPIES; count++) {
      const copied = pictureOf(file)
      const copy = copyOfOneMoment(folder, file)
      if (copy === undefined) continue
      undoJournal(copy)
      const admitted = admit(copy, wanted)
      return "status" in admitted ? admitted : { ...admitted, identity, copied, removeLeftovers: () => {} }
    }
    return { status: "offline", reason: COPY_TORN, busy: true } as const
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Opens the file where it is, or a copy where SQLite cannot, or must not, put its shared memory beside it. */
const open = (wanted: Wanted, identity: string): OpenCassette | CassetteFault => {
  if (mustBeCopied(wanted.file)) return openCopy(wanted, identity)
  try {
    return openInPlace(wanted, identity)
  } catch (error) {
    if (!isWantOfPlace(codeOf(error))) throw error
    return openCopy(wanted, identity)
  }
}

/** A cassette's file that is opened when it is needed, and again when it is another file or was changed. */
export class CassetteFile {
  readonly file: string
  private readonly wanted: Wanted
  private opened: OpenCassette | undefined

  /** Without `asked` the file is read as it was born. */
  constructor(
    file: string,
    id: string,
    {
      asked = {},
      asFound = false,
      cacheKibibytes = CACHE_KIBIBYTES
    }: Partial<Pick<Wanted, "asFound" | "cacheKibibytes">> & { readonly asked?: AskedBirth | undefined } = {}
  ) {
    this.file = file
    this.wanted = { file, id, asked, asFound, cacheKibibytes }
  }

  /** Runs synchronous reading; anything that keeps it from reading is a fault. No Result: a child process loads nothing of Effect. */
  read<A>(work: (cassette: OpenCassette) => A): { readonly value: A } | CassetteFault {
    try {
      const identity = identityOf(this.file)
      if (this.opened?.identity !== identity || this.copyIsOld()) this.close()
      if (typeof identity !== "string") return identity
      if (this.opened === undefined) {
        const opened = open(this.wanted, identity)
        if ("status" in opened) return opened
        this.opened = opened
      }
      const { opened } = this
      return { value: opened.connection.snapshot(() => work(opened)) }
    } catch (error) {
      this.close()
      return faultOf(error)
    }
  }

  private copyIsOld(): boolean {
    const copied = this.opened?.copied
    return copied !== undefined && copied !== pictureOf(this.file)
  }

  close(): void {
    const { opened } = this
    if (opened === undefined) return
    this.opened = undefined
    opened.connection.close()
    try {
      opened.removeLeftovers()
    } catch {
      // Another program is at work in the file by now and owns the leftovers; or it is no cassette any more.
    }
  }
}
