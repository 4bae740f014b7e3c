// How far the history of a corpus database goes: what a log that lies beside it is held against. Expansions alone are never
// taken back; files and sections follow the documents, and the next index run puts them right.
import type { Identity } from "../sqlite/checks/file-check.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"

/** A corpus database has no name; its newest expansion has the highest number. */
export const corpusIdentity = (host: SqlHost): Identity | undefined => {
  const [found] = host.all<{ newest: number }>("SELECT coalesce(max(rowid), 0) AS newest FROM expansions")
  return found === undefined ? undefined : { name: "a corpus database", newest: found.newest }
}
