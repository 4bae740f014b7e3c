// What is checked each time a ledger is opened, in milliseconds whatever its size: the schema, the head against
// the newest event, and the hashes of the last thousand events. The first finding closes the ledger for writing;
// the whole truth is the business of verification.
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { nextEventFinding } from "../../domain/ledger/event-check.ts"
import { EMPTY_HEAD, type EventEnvelope, type Head, headOf } from "../../domain/ledger/event-envelope.ts"
import type { Finding } from "../../domain/ledger/verification.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { Busy, sqliteFailure } from "../sqlite/sqlite-errors.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/schema-check.ts"
import type { SchemaStep } from "../sqlite/schema-steps.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { selectEventsAfter, selectHead } from "./ledger-statements.ts"
import { LEDGER_VERSIONS } from "./schema-snapshots.ts"

const CHECKED_EVENTS = 1_000

export interface OpeningCheck {
  readonly head: Head
  readonly fault: Finding | undefined
}

/** Checks `events`, whose predecessor is taken on trust. */
const chainFinding = (before: Head, events: ReadonlyArray<EventEnvelope>): Finding | undefined => {
  let head = before
  for (const event of events) {
    const finding = nextEventFinding(sha256, head, event)
    if (finding !== undefined) return finding
    head = headOf(event)
  }
  return undefined
}

/** The opening check as one reading of the host; SQLite's errors pass through. */
export const openingFault = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): Finding | undefined =>
  check(host, steps).fault

const check = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): OpeningCheck => {
  const schema = schemaFindings(host, LEDGER_VERSIONS, steps)[0]
  if (schema !== undefined) return { head: EMPTY_HEAD, fault: schema }
  const mismatch = (message: string): OpeningCheck => ({
    head: EMPTY_HEAD,
    fault: { code: "HEAD_MISMATCH", where: "head", message }
  })
  const stored = selectHead.first(host, {})
  if (stored === undefined) return mismatch("there is no head")
  // One event more than is checked, so that the first of them has its predecessor.
  const recent = selectEventsAfter.all(host, {
    after: Math.max(0, stored.position - CHECKED_EVENTS - 1),
    limit: CHECKED_EVENTS + 2
  })
  const last = recent.at(-1)
  if (last === undefined) return mismatch("a ledger has at least the event that created it")
  if (last.position !== stored.position || last.hash !== stored.hash) {
    return mismatch(
      `the head says position ${stored.position}, the newest event is at position ${last.position}`
    )
  }
  const first = recent[0]
  const fault =
    first === undefined || first.position === 1
      ? chainFinding(EMPTY_HEAD, recent)
      : chainFinding(headOf(first), recent.slice(1))
  return { head: headOf(last), fault }
}

/**
 * The opening check, of one moment, since others may append meanwhile; damage that stops it is its finding, a busy
 * store is thrown as `Busy`.
 */
export const checkOpening = (
  connection: Connection,
  file: string,
  steps: ReadonlyArray<SchemaStep>
): OpeningCheck => {
  try {
    return connection.snapshot(() => check(connection, steps))
  } catch (error) {
    const failure = sqliteFailure(file, error)
    if (failure instanceof Busy) throw failure
    const finding: Finding =
      failure instanceof StoreCorrupt
        ? { code: "INTEGRITY", where: failure.where, message: failure.finding }
        : { code: "INTEGRITY", where: file, message: failure.message }
    return { head: EMPTY_HEAD, fault: finding }
  }
}
