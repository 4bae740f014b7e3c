// Brings a database to the newest version: under the write lock from the first look on, every version in one
// transaction, each recorded with name and checksum and no time. A new ledger gets its LedgerCreated event in the
// very transaction that creates the schema, so that there is exactly one however many open the file first.
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { EMPTY_HEAD, eventHash, LEDGER_STREAM } from "../../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../../domain/ledger/events.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { applySteps, type SchemaStep } from "../../sqlite/checks/schema-steps.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { corruptBy } from "../ledger-failures.ts"
import { inspect, type Inspection } from "./ledger-inspection.ts"
import { insertEvent } from "../statements/compiled/ledger-statements.ts"
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

/** Refuses a ledger that is not what the version that it records made, as opening would. */
const refuseDamage = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): void => {
  const fault = openingFault(host, steps)
  if (fault !== undefined) throw corruptBy(fault)
}

/** Carries a ledger over, from one that is whole to one that is whole: what a step leaves otherwise undoes it all. */
const carryOver = (host: SqlHost, steps: ReadonlyArray<SchemaStep>, version: number): Inspection => {
  refuseDamage(host, steps)
  applySteps(host, LEDGER_VERSIONS, steps, version)
  const carried = inspect(host)
  const newest = steps.at(-1)?.version
  if (carried.kind !== "ledger" || carried.version !== newest) {
    throw new StoreCorrupt({
      code: "ROW_DIFFERS",
      where: "cassette_meta db_version",
      finding: `the migration to version ${newest} did not bring it forward`
    })
  }
  refuseDamage(host, steps)
  return carried
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
    if (found.kind === "ledger") {
      const { version = Number.POSITIVE_INFINITY } = found
      return version < (steps.at(-1)?.version ?? 0) ? carryOver(host, steps, version) : found
    }
    applySteps(host, LEDGER_VERSIONS, steps, 0)
    createLedger(host, birth)
    return inspect(host)
  })
