// Whether a cassette has all that its last index run was to bring. The word stands in its description and is read at every
// question, since another process may index meanwhile. It loads nothing, since every child process does the same.
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"

/** The values of `network_meta` `indexing`; no single bit turns one into the other. */
export const INDEX_COMPLETE = "complete"
export const INDEX_UNDER_WAY = "underway"

/** True from the first write of an index run until its end, also when that never came. */
export const isUnfinished = (host: SqlHost): boolean =>
  host.all("SELECT 1 FROM network_meta WHERE key = 'indexing' AND value = ?", [INDEX_UNDER_WAY]).length > 0

/** What an answer carries of it. */
export const unfinishedIn = (host: SqlHost): { readonly unfinished?: true } =>
  isUnfinished(host) ? { unfinished: true } : {}
