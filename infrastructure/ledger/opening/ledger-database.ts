// An opened ledger as the ports for writing, reading and verification need it, whichever host carries it: a file of this machine or
// an object elsewhere. It says nothing about files.
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import type { OpeningCheck } from "./opening-check.ts"

export interface LedgerDatabase extends OpeningCheck {
  /** What errors call it: its file, or its name. */
  readonly name: string
  readonly readOnly: boolean
  /** How long to wait for other writers (milliseconds). */
  readonly busyDeadline: number
  readonly ledgerId: string | undefined
  /** What people must know about this opening. */
  readonly warnings: ReadonlyArray<string>
  /** The writer's connection, or the reader's when it is read-only. */
  readonly host: SqlHost
  /** Throws `StorageFailure` once the name means another database than the one that is open here, in which nothing counts any more. */
  readonly assertInPlace: () => void
  /** Throws once another program has changed the schema to one that this program must not write to; a database that no other can open has none. */
  readonly assertSchema?: (() => void) | undefined
  /** Tidies up while nothing is written, and says whether it could; a host that needs none has none, and no timer runs. */
  readonly settle?: (() => boolean) | undefined
}
