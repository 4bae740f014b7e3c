// What a database is, before anything is done to it: empty, a ledger of some version, or something else. It reads
// and changes nothing, so that a file of a newer program stays as it was.
import type { SqlHost } from "../sqlite/sql-host.ts"

export type Inspection =
  | { readonly kind: "empty" }
  /** `version` is undefined in a ledger whose version row was destroyed. */
  | { readonly kind: "ledger"; readonly version: number | undefined; readonly ledgerId: string | undefined }
  | { readonly kind: "foreign"; readonly reason: string }

const tablesOf = (host: SqlHost): ReadonlySet<string> =>
  new Set(host.all<{ name: string }>("SELECT name FROM sqlite_schema").map((row) => row.name))

const ledgerIdOf = (host: SqlHost): string | undefined =>
  host.all<{ ledger_id: string | null }>(
    "SELECT CASE WHEN json_valid(data) THEN data ->> '$.ledger_id' END AS ledger_id FROM events WHERE position = 1 AND type = 'LedgerCreated'"
  )[0]?.ledger_id ?? undefined

const versionOf = (host: SqlHost): number | undefined => {
  const value = host.all<{ value: string }>("SELECT value FROM cassette_meta WHERE key = 'db_version'")[0]
    ?.value
  return value !== undefined && /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : undefined
}

/** Looks at the schema's names and the version; a ledger's own damage is not judged here. */
export const inspect = (host: SqlHost): Inspection => {
  const names = tablesOf(host)
  if (names.size === 0) return { kind: "empty" }
  const version = names.has("cassette_meta") ? versionOf(host) : undefined
  if (version === 1) return { kind: "foreign", reason: "version 1 is older than the event log" }
  if (version === undefined && !(names.has("events") && names.has("head"))) {
    return { kind: "foreign", reason: "it is a database of something else" }
  }
  return { kind: "ledger", version, ledgerId: names.has("events") ? ledgerIdOf(host) : undefined }
}
