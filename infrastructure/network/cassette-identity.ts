// What tells a cassette's file from another one, and how far its history goes: what a log that lies beside it is held against.
import type { Identity } from "../sqlite/checks/file-check.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"

/** What tells a cassette from another one, and the number of its newest receipt. */
export const cassetteIdentity = (host: SqlHost): Identity | undefined => {
  const [found] = host.all<{ id: string; newest: number }>(
    "SELECT CAST(value AS TEXT) AS id, (SELECT max(receipt_index) FROM write_receipts) AS newest FROM network_meta WHERE key = 'cassette_id'"
  )
  return found === undefined ? undefined : { name: `cassette ${found.id}`, newest: found.newest }
}
