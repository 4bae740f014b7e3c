// What a database is, before anything is done to it: empty, a ledger of some version, or something else. It reads
// and changes nothing, so that a file of a newer program stays as it was.
import { NotALedger, StoreNewerThanProgram } from "../../../domain/foundation/storage-errors.ts"
import { type OpenError, WrongLedger } from "../../../domain/ledger/errors.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import { hasNoSchema } from "../../sqlite/checks/schema-check.ts"
import { recordedVersion } from "../../sqlite/recorded-version.ts"
import { type SchemaStep, stepsUpTo } from "../../sqlite/checks/schema-steps.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { LEDGER_VERSIONS } from "./schema-snapshots.ts"

export type Inspection =
  | { readonly kind: "empty" }
  /** `version` is undefined in a ledger whose version row was destroyed. */
  | { readonly kind: "ledger"; readonly version: number | undefined; readonly ledgerId: string | undefined }
  | { readonly kind: "foreign"; readonly reason: string }

/** Names of the schema, and of a table's columns; a table that is not there has none. */
const namesIn = (host: SqlHost, query: string, ...parameters: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(host.all<{ name: string }>(query, parameters).map((row) => row.name))

const hasColumns = (host: SqlHost, table: string, columns: ReadonlyArray<string>): boolean => {
  const found = namesIn(host, "SELECT name FROM pragma_table_info(?)", table)
  return columns.every((column) => found.has(column))
}

const ledgerIdOf = (host: SqlHost): string | undefined =>
  host.all<{ ledger_id: string | null }>(
    "SELECT CASE WHEN json_valid(data) THEN data ->> '$.ledger_id' END AS ledger_id FROM events WHERE position = 1 AND type = 'LedgerCreated'"
  )[0]?.ledger_id ?? undefined

const versionOf = (host: SqlHost): number | undefined => {
  const value = host.all<{ value: string }>("SELECT value FROM cassette_meta WHERE key = 'db_version'")[0]
    ?.value
  return value !== undefined && /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : undefined
}

/**
 * The steps that made a ledger, by the version that it records: by these it is judged, also by a program that knows later ones.
 * Where that record was destroyed, the list of its migrations says it.
 */
export const stepsOf = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): ReadonlyArray<SchemaStep> => {
  const recorded = hasColumns(host, "cassette_meta", ["key", "value"]) ? versionOf(host) : undefined
  return stepsUpTo(steps, recorded ?? recordedVersion(host, LEDGER_VERSIONS))
}

/** What a database is that is no ledger: another of this program's, or something else. */
const strangerIn = (host: SqlHost): string => {
  const tables = namesIn(host, "SELECT name FROM sqlite_schema WHERE type = 'table'")
  if (tables.has("network_meta")) return "it is a cassette of a network: read it with network query"
  if (tables.has("corpus_migrations")) return "it is a corpus: read it with section list"
  return "it is a database of something else"
}

/** Looks at the schema's names and the version; a ledger's own damage is not judged here. */
export const inspect = (host: SqlHost): Inspection => {
  // Text is hashed and measured as UTF-8, and an encoding cannot be changed once a table has been made.
  if (host.facts.header().encoding !== "UTF-8") {
    return { kind: "foreign", reason: "its text is UTF-16: a ledger's is UTF-8" }
  }
  if (hasNoSchema(host)) return { kind: "empty" }
  const version = hasColumns(host, "cassette_meta", ["key", "value"]) ? versionOf(host) : undefined
  if (version === 1) return { kind: "foreign", reason: "version 1 is older than the event log" }
  const log = hasColumns(host, "events", ["position", "type", "data", "prev_hash"])
  if (version === undefined && !(log && hasColumns(host, "head", ["size", "hash"]))) {
    return { kind: "foreign", reason: strangerIn(host) }
  }
  return { kind: "ledger", version, ledgerId: log ? ledgerIdOf(host) : undefined }
}

/** The error for a ledger of a version that this program does not know, if it is one. */
export const newerThanProgram = (file: string, found: Inspection): StoreNewerThanProgram | undefined =>
  found.kind === "ledger" && found.version !== undefined && found.version > DATABASE_VERSION
    ? new StoreNewerThanProgram({ file, version: found.version, supported: DATABASE_VERSION })
    : undefined

/** Why a file cannot be opened as the ledger that was asked for, by what was found in it. */
export const judge = (
  file: string,
  found: Inspection,
  ledgerId: string | undefined
): OpenError | undefined => {
  if (found.kind === "foreign") return new NotALedger({ file, reason: found.reason })
  if (found.kind === "empty") return new NotALedger({ file, reason: "it is empty" })
  const newer = newerThanProgram(file, found)
  if (newer !== undefined) return newer
  return ledgerId !== undefined && found.ledgerId !== undefined && found.ledgerId !== ledgerId
    ? new WrongLedger({ file, expected: ledgerId, actual: found.ledgerId })
    : undefined
}
