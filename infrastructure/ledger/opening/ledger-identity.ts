// What tells a ledger's file from another one, and how far its history goes: what a log that lies beside it is held against.
import type { Identity } from "../../sqlite/checks/file-check.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { inspect } from "./ledger-inspection.ts"
import { selectHead } from "../statements/compiled/ledger-statements.ts"

/** What tells a ledger from another one, and the position of its head. */
export const ledgerIdentity = (host: SqlHost): Identity | undefined => {
  const found = inspect(host)
  return found.kind === "ledger" && found.ledgerId !== undefined
    ? { name: `ledger ${found.ledgerId}`, newest: selectHead.first(host, {})?.position ?? 0 }
    : undefined
}
