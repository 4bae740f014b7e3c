/**
 * How a ledger says which version it is. A migration after 0002 ends with these statements: what a new ledger writes down and
 * what an older one wrote down are then the same, so that a file that was carried over is the file that would be made today.
 */
import { appendOnly } from "./0002-ledger/guards.ts"
import { ledgerCreated } from "./0002-ledger/projections.ts"

/** The statements that bring the recorded version forward, of a ledger and of those that will be born. */
export const broughtForward = (version: number): ReadonlyArray<string> => [
  `DROP TRIGGER "tr_pending_rare_event_ledger_created"`,
  ledgerCreated(version),
  `DROP TRIGGER "tr_meta_append_only_update"`,
  `UPDATE "cassette_meta" SET "value" = '${version}' WHERE "key" IN ('db_version', 'schema_version')`,
  ...appendOnly("cassette_meta", "meta").slice(0, 1)
]
