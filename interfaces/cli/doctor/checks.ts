// What the facts of a machine and its files mean: each check has a state, what was seen and, where something should be
// done, what. It is pure, so that every piece of advice is tested without the machine that would need it.
import type { EmbedderHealth } from "../../../application/network/watched-embedder.ts"
import type { ExecutionCounts } from "../../../application/workflow/control.ts"
import type { LeasedStep } from "../../../domain/ledger/lists.ts"
import type { Handshake } from "../../../domain/network/cassette.ts"
import { identityText } from "../../../domain/network/vectors.ts"
import type { Check, DoctorReport } from "../../shared/doctor-report.ts"
import { requeueText, shellWord } from "../advice.ts"
import { executionsText } from "../workflow/executions-text.ts"

/** What is known of a database file. */
export interface FileFacts {
  /** What it is called in the report, such as `ledger`. */
  readonly name: string
  readonly file: string
  readonly fileSystem: string
  readonly isNetwork: boolean
  readonly isMemory: boolean
  readonly freeBytes: number
  readonly bytes: number
  /** 0 when there is no log. */
  readonly walBytes: number
  readonly writable: boolean
  /** Why nothing may be written to the file where it is, if so: other names, or a mount of the file alone. */
  readonly lone: string | undefined
}

/** What is known of a ledger beside its file. */
export interface LedgerFacts {
  readonly version: number
  readonly supported: number
  readonly durability: "full" | "normal"
  readonly events: number
  readonly lastDay: number
  readonly lastWeek: number
  readonly newest: string | null
  /** The lease that ends, or has ended, before all others. */
  readonly oldestLease: LeasedStep | undefined
  /** How many leases have ended: `MAX_COUNTED_LEASES` for that many and more. */
  readonly expiredLeases: number
  /** The executions of durable workflows, as far as they were counted. */
  readonly executions: ExecutionCounts | undefined
  readonly fault: string | undefined
}

const ok = (check: string, seen: string): Check => ({ check, state: "ok", seen })
const todo =
  (state: "advice" | "problem") => (check: string, seen: string, what: string, command?: string) => {
    const found: Check = { check, state, seen, do: what }
    return command === undefined ? found : { ...found, run: command }
  }
const advice = todo("advice")
const problem = todo("problem")

const MEBIBYTE = 1_048_576
const GIBIBYTE = 1_024 * MEBIBYTE

/** Bytes for people. */
export const bytesText = (bytes: number): string =>
  bytes >= GIBIBYTE
    ? `${(bytes / GIBIBYTE).toFixed(1)} GiB`
    : bytes >= MEBIBYTE
      ? `${(bytes / MEBIBYTE).toFixed(1)} MiB`
      : bytes >= 1_024
        ? `${(bytes / 1_024).toFixed(1)} KiB`
        : `${bytes} bytes`

/** A log beyond the size that checkpoints cut it back to (64 MiB) is held open by a reader. */
const LARGE_WAL_BYTES = 128 * MEBIBYTE

/** Less room than this is soon full. */
const LITTLE_ROOM_BYTES = 256 * MEBIBYTE

const roomCheck = ({ bytes, freeBytes, name }: FileFacts): Check => {
  const seen = `${bytesText(freeBytes)} free`
  return freeBytes < LITTLE_ROOM_BYTES || freeBytes < bytes
    ? advice(
        `${name} room`,
        seen,
        "make room: a backup needs as much as the file, and a full disk refuses every command (STORAGE_FULL)"
      )
    : ok(`${name} room`, seen)
}

const placeCheck = ({ fileSystem, isMemory, isNetwork, name }: FileFacts): Check => {
  const check = `${name} file system`
  if (isNetwork) {
    return problem(
      check,
      fileSystem,
      "move it to a local disk: locks cannot be trusted over a network, and two writers could damage it"
    )
  }
  return isMemory
    ? advice(
        check,
        `${fileSystem} (in memory)`,
        "move it to a disk: nothing here survives a restart of the machine"
      )
    : ok(check, fileSystem)
}

const walCheck = ({ name, walBytes }: FileFacts): Check =>
  walBytes > LARGE_WAL_BYTES
    ? advice(
        `${name} write-ahead log`,
        bytesText(walBytes),
        "end readers that stay in one transaction for long: the log cannot be emptied while they read from it"
      )
    : ok(`${name} write-ahead log`, bytesText(walBytes))

/** The sentence says what is wrong and then, behind its last colon, what to do. */
const loneCheck = (name: string, fault: string): Check => {
  const cut = fault.lastIndexOf(": ")
  return problem(`${name} place`, fault.slice(0, cut), fault.slice(cut + 2))
}

/** A log that stands where its database file does not. */
export const leftLogCheck = (name: string, fault: string): Check => {
  const cut = fault.lastIndexOf("; ")
  return problem(name, fault.slice(0, cut), fault.slice(cut + 2))
}

/** What a database file needs. */
export const fileChecks = (facts: FileFacts): ReadonlyArray<Check> => [
  ok(`${facts.name} file`, `${facts.file}, ${bytesText(facts.bytes)}`),
  placeCheck(facts),
  ...(facts.lone === undefined ? [] : [loneCheck(facts.name, facts.lone)]),
  facts.writable
    ? ok(`${facts.name} access`, "readable and writable")
    : advice(
        `${facts.name} access`,
        "read-only",
        "reading and verifying work; to write, give this user the right to write the file and its folder"
      ),
  walCheck(facts),
  roomCheck(facts)
]

/** More leases than this are not counted. */
export const MAX_COUNTED_LEASES = 1_000

const leaseCheck = ({ expiredLeases, oldestLease }: LedgerFacts): Check => {
  if (oldestLease === undefined) return ok("oldest lease", "nothing is leased")
  const { expired, lease_expires_at, step_id, worker_id } = oldestLease
  const seen = `${step_id} of ${worker_id}, until ${lease_expires_at}`
  const count = expiredLeases < MAX_COUNTED_LEASES ? expiredLeases : `${MAX_COUNTED_LEASES} or more`
  return !expired
    ? ok("oldest lease", seen)
    : advice(
        "oldest lease",
        `${seen}; ${count} expired`,
        "let it wait again; nothing is requeued by itself, and cortex cassette leases --expired lists all",
        requeueText(oldestLease)
      )
}

/** Nothing is said of a ledger without workflows. */
const workflowChecks = ({ executions }: LedgerFacts): ReadonlyArray<Check> => {
  const seen = executions && executionsText(executions)
  if (seen === undefined) return []
  const [stopped] = executions?.stopped ?? []
  return stopped === undefined
    ? [ok("workflows", seen)]
    : [
        advice(
          "workflows",
          seen,
          `${stopped.execution} ${stopped.status} ${stopped.since}; when what made it stop is mended, let it run again`,
          `cortex workflow resume ${shellWord(stopped.execution)}`
        )
      ]
}

/** A ledger with more events than this takes minutes to verify whole. */
const MANY_EVENTS = 10_000_000

const growthCheck = ({ events, lastDay, lastWeek, newest }: LedgerFacts, bytes: number): Check => {
  const each = events === 0 ? 0 : bytes / events
  const seen = `${events} events (newest ${newest ?? "none"}), ${lastDay} in the last day, ${lastWeek} in the last week; about ${bytesText(Math.round((lastWeek / 7) * each))} a day`
  return events > MANY_EVENTS
    ? advice(
        "growth",
        seen,
        "begin a new ledger for new runs, and note this one's head, so that verify --since need not read it all",
        "cortex cassette verify"
      )
    : ok("growth", seen)
}

const durabilityCheck = (durability: LedgerFacts["durability"], isMemory: boolean): Check => {
  if (isMemory)
    return advice("durability", `${durability}, in memory`, "what is acknowledged here ends with the machine")
  return durability === "full"
    ? ok("durability", "full: what is acknowledged is on the disk")
    : advice(
        "durability",
        "normal: a power cut may lose the newest commands",
        "leave --durability normal out where an acknowledged command must survive a power cut"
      )
}

/** What a ledger needs beside its file. */
export const ledgerChecks = (facts: LedgerFacts, file: FileFacts): ReadonlyArray<Check> => [
  facts.fault === undefined
    ? ok("ledger", "its newest part is sound")
    : problem(
        "ledger",
        facts.fault,
        "see all that is damaged, and bring the file back from a backup if this fails",
        "cortex cassette verify"
      ),
  facts.version < facts.supported
    ? advice(
        "ledger schema",
        `version ${facts.version} of ${facts.supported}`,
        "open it for writing once, as every claim or post does, to bring it up to date"
      )
    : ok("ledger schema", `version ${facts.version}`),
  durabilityCheck(facts.durability, file.isMemory),
  leaseCheck(facts),
  ...workflowChecks(facts),
  growthCheck(facts, file.bytes)
]

/** The programs that this one stands on. */
export const programChecks = (facts: {
  readonly version: string
  readonly node: string
  readonly sqlite: string
}): ReadonlyArray<Check> => [ok("cortex", facts.version), ok("Node", facts.node), ok("SQLite", facts.sqlite)]

/** Something that is not there yet. */
export const missingCheck = (name: string, file: string, how: string): Check =>
  ok(name, `none at ${file} yet: ${how}`)

/** What an error says that keeps a database from being opened or read. */
export interface OpeningFailure {
  readonly _tag?: string
  readonly message: string
  /** The command that mends it, where there is one. */
  readonly run?: string
}

/** What to do about errors that a command cannot mend; those that are not here are damage. */
const remedies: { readonly [tag: string]: string } = {
  ConfigurationMissing: "make the configuration",
  InvalidConfiguration: "correct what is named in the configuration",
  InvalidInput: "correct what is named",
  FileMissing: "check the path",
  CorpusMissing: "index the texts below the root",
  NotALedger: "name the ledger with --db or --root, or move this file away: it is none",
  NotACorpus: "move this file away, and index again: it is no corpus",
  LedgerIsNotACassette: "give the cassette another file in the configuration: this one is the ledger",
  CassetteRefused: "do what is named here: nothing was read of it, and nothing written",
  NotACassette: "move this file away, and index again: it is no cassette",
  StoreNewerThanProgram: "install the version of cortex that wrote it, or a newer one",
  NetworkFileSystem: "move it to a local disk: locks cannot be trusted over a network",
  ReadOnlyStore: "give this user the right to read the file and to write in its folder",
  StoreBusy: "wait for the program that holds the file, or end it",
  StorageFull: "make room on the disk",
  StorageFailure: "check the disk, and that this user may read the file and write in its folder"
}

const commands: { readonly [tag: string]: string } = {
  ConfigurationMissing: "cortex network init",
  CorpusMissing: "cortex index",
  NotACorpus: "cortex index",
  NotACassette: "cortex network index"
}

/** Something that cannot be opened or read, in the words of its error; `verify` lists what is damaged in it. */
export const unusableCheck = (
  name: string,
  { _tag = "", message, run }: OpeningFailure,
  verify: string
): Check =>
  Object.hasOwn(remedies, _tag)
    ? problem(name, message, remedies[_tag] ?? "", run ?? commands[_tag])
    : problem(name, message, "see all that is damaged, and bring the file back from a copy", verify)

/** Tables of other tools in a database; nothing where there are none. */
export const companionChecks = (name: string, notes: ReadonlyArray<string>): ReadonlyArray<Check> =>
  notes.map((note) => ok(`${name} companions`, note))

/** A cassette whose last index run has not come to its end. */
export const unfinishedCheck = (id: string): Check =>
  advice(
    `cassette ${id} index`,
    "an index run was begun and has not come to its end: it may have only a part of its sources",
    "let the run that is under way end, or bring the cassette up to date",
    `cortex network index ${shellWord(id)}`
  )

/** The embedder of the network, which was asked for one vector. */
export const embedderCheck = (health: EmbedderHealth): Check => {
  const { reason = "", status, took_ms } = health
  const seen = identityText(health)
  switch (status) {
    case "ok":
      return ok("embedder", `${seen}, answers after ${took_ms} ms`)
    case "late":
      return advice(
        "embedder",
        `${seen}: ${reason}`,
        "ask again when its model is loaded; questions are answered by words after 30 s without a vector"
      )
    case "failed":
      return problem(
        "embedder",
        `${seen}: ${reason}`,
        "correct the program that indexing.command of the configuration names; until then questions are answered by words alone"
      )
  }
}

/** What `network migrate` has left beside a cassette, if it has. */
export const keptFilesChecks = (id: string, kept: ReadonlyArray<string>): ReadonlyArray<Check> =>
  kept.length === 0
    ? []
    : [
        {
          check: `cassette ${id} old files`,
          state: "advice",
          seen: `kept by a migration, with what has been forgotten since: ${kept.join(", ")}`,
          do: "remove them when you need them no more"
        }
      ]

/** What decides how the vectors of a cassette are made. */
export interface VectorsOrigin {
  readonly isExternal: boolean
  readonly isImmutable: boolean
  readonly hasSources: boolean
}

/** What makes the vectors that are missing, or those of another embedder again: a command, where there is one. */
const vectorsMaking = (
  { isExternal, isImmutable, hasSources }: VectorsOrigin,
  id: string,
  isMissing: boolean
): readonly [what: string, run?: string] => {
  const make = isMissing ? "make them" : "make them again, or name the embedder that made them"
  if (isExternal) return [`${make}: it is external, so that is done where it belongs`]
  if (isImmutable && !hasSources) {
    return [`${make}: it is sealed and has no sources, so import its cartridge again with this embedder`]
  }
  // `index` gives vectors to texts of sources, and builds a sealed cassette again; it changes no vector otherwise.
  const isIndexed = hasSources && (isImmutable || isMissing)
  return [make, `cortex network ${isIndexed ? "index" : "reindex"} ${shellWord(id)}`]
}

/** A cassette that cannot be searched by the vectors of the network's embedder, if that is so. */
export const vectorChecks = (
  { capabilities, cassette_id, embedding_model, stats }: Handshake,
  embedder: EmbedderHealth,
  origin: VectorsOrigin
): ReadonlyArray<Check> => {
  if (stats.total_chunks === 0 || capabilities.includes("vectors")) return []
  const isMissing = stats.with_vectors === 0
  const seen = isMissing
    ? "it has none"
    : `they were made by ${embedding_model ?? "another embedder"}, and the embedder is ${identityText(embedder)}`
  return [
    advice(
      `cassette ${cassette_id} vectors`,
      `${seen}: it is searched by words alone`,
      ...vectorsMaking(origin, cassette_id, isMissing)
    )
  ]
}

const severity = { ok: 0, advice: 1, problem: 2 } as const

/** The report of all checks; its verdict is the worst state. */
export const reportOf = (checks: ReadonlyArray<Check>): DoctorReport => ({
  verdict: checks.reduce<Check["state"]>(
    (worst, { state }) => (severity[state] > severity[worst] ? state : worst),
    "ok"
  ),
  checks
})
