// Brings a database to the newest version: under the write lock from the first look on, every version in one
// transaction, each recorded with name and checksum and no time. A new ledger gets its LedgerCreated event in the
// very transaction that creates the schema, so that there is exactly one however many open the file first.
import { jcsText } from "../../domain/canonical/jcs.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { EMPTY_HEAD, eventHash, LEDGER_STREAM } from "../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../domain/ledger/events.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { applySteps, type SchemaStep } from "../sqlite/schema-steps.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { inspect, type Inspection } from "./ledger-inspection.ts"
import { insertEvent } from "./compiled/ledger-statements.ts"
import { openingFault } from "./opening-check.ts"
import { LEDGER_VERSIONS } from "./schema-snapshots.ts"

export interface Birth {
  readonly ledgerId: string
  /** The time of LedgerCreated. */
  readonly createdAt: string
}

const createLedger = (host: SqlHost, { createdAt, ledgerId }: Birth): void => {
  const unhashed = {
    position: 1,
    type: "LedgerCreated",
    stream_id: LEDGER_STREAM,
    schema_version: eventVersions.LedgerCreated,
    data: jcsText({ ledger_id: ledgerId }),
    recorded_at: createdAt,
    prev_hash: EMPTY_HEAD.hash
  }
  insertEvent.run(host, { ...unhashed, hash: eventHash(sha256, unhashed) })
}

/** Refuses to build a new version upon a file that is not what its own version made, as opening would. */
const refuseDamage = (host: SqlHost, steps: ReadonlyArray<SchemaStep>, version: number): void => {
  const own = steps.filter((step) => step.version <= version)
  const fault = own.length === steps.length ? undefined : openingFault(host, own)
  if (fault !== undefined) {
    throw new StoreCorrupt({ code: fault.code, where: fault.where, finding: fault.message })
  }
}

/**
 * Applies every step that is missing and gives what the database is afterwards. A database of something else, or
 * of a newer program, is left untouched; an older ledger that is damaged is thrown as `StoreCorrupt`. SQLite's
 * errors pass through; then nothing has been applied.
 */
export const migrate = (host: SqlHost, steps: ReadonlyArray<SchemaStep>, birth: Birth): Inspection =>
  host.transaction(() => {
    const found = inspect(host)
    if (found.kind === "foreign") return found
    const version = found.kind === "empty" ? 0 : (found.version ?? Number.POSITIVE_INFINITY)
    if (found.kind === "ledger") refuseDamage(host, steps, version)
    applySteps(host, LEDGER_VERSIONS, steps, version)
    if (found.kind === "empty") createLedger(host, birth)
    return inspect(host)
  })
