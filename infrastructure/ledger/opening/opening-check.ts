// What is checked each time a ledger is opened, in milliseconds at any size: the schema, the head against
// the newest event, and the hashes of the last thousand events. The first finding closes the ledger for writing;
// the whole truth is the business of verification.
import { nextEventFinding } from "../../../domain/ledger/event-check.ts"
import { EMPTY_HEAD, type EventEnvelope, type Head, headOf } from "../../../domain/ledger/event-envelope.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { DatabaseDamaged } from "../../sqlite/connection/database-damaged.ts"
import { Busy, sqliteFailure } from "../../sqlite/connection/sqlite-errors.ts"
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import type { SchemaStep } from "../../sqlite/checks/schema-steps.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { cellFindings } from "../../sqlite/checks/stored-cells.ts"
import { selectHead } from "../statements/compiled/ledger-statements.ts"
import { stepsOf } from "./ledger-inspection.ts"
import { storedEvents } from "../statements/ledger-tables.ts"
import { LEDGER_VERSIONS } from "./schema-snapshots.ts"
import type { PageCheck } from "./structure-findings.ts"
import { rawEventPage } from "../statements/stored-events.ts"

/** How many of the newest events an opening checks. */
const CHECKED_EVENTS = 1_000

/** Most events that are read at once. */
const PAGE = 1_000

export interface OpeningCheck {
  readonly head: Head
  readonly fault: Finding | undefined
}

const firstFinding = (host: SqlHost, before: Head, event: EventEnvelope): Finding | undefined =>
  cellFindings(host, storedEvents, { ...event })[0] ?? nextEventFinding(sha256, before, event)

/**
 * Checks the events behind the one at `after`, which is taken on trust, page by page; position 0 is the beginning. Gives
 * the last one that was read.
 */
const checkEvents = (host: SqlHost, after: number): OpeningCheck => {
  let head = after === 0 ? EMPTY_HEAD : undefined
  // One event more than is checked, so that the first of them has its predecessor.
  let from = Math.max(0, after - 1)
  while (true) {
    const events = rawEventPage(host, { after: from, limit: PAGE })
    for (const event of events) {
      const fault = head === undefined ? undefined : firstFinding(host, head, event)
      if (fault !== undefined) return { head: EMPTY_HEAD, fault }
      head = headOf(event)
    }
    if (events.length === 0 || head === undefined) return { head: head ?? EMPTY_HEAD, fault: undefined }
    from = head.position
  }
}

/** The opening check by the version that the ledger records, of which `steps` are all that are known, as one reading of the host; SQLite's errors pass through. */
export const openingFault = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): Finding | undefined =>
  check(host, steps).fault

const check = (host: SqlHost, steps: ReadonlyArray<SchemaStep>, newest = CHECKED_EVENTS): OpeningCheck => {
  const schema = schemaFindings(host, LEDGER_VERSIONS, stepsOf(host, steps))[0]
  if (schema !== undefined) return { head: EMPTY_HEAD, fault: schema }
  const mismatch = (message: string): OpeningCheck => ({
    head: EMPTY_HEAD,
    fault: { code: "HEAD_MISMATCH", where: "head", message }
  })
  const stored = selectHead.first(host, {})
  if (stored === undefined) return mismatch("there is no head")
  if (host.all("SELECT 1 FROM events WHERE position < 1 LIMIT 1").length > 0) {
    const message = "there are events before position 1"
    return { head: EMPTY_HEAD, fault: { code: "CHAIN_BROKEN", where: "events", message } }
  }
  const checked = checkEvents(host, Math.max(0, stored.position - newest))
  if (checked.fault !== undefined) return checked
  const { hash, position } = checked.head
  if (position === 0) return mismatch("a ledger has at least the event that created it")
  return position === stored.position && hash === stored.hash
    ? checked
    : mismatch(
        `the head says position ${stored.position} with hash ${stored.hash}, the newest event is at position ${position} with hash ${hash}`
      )
}

/**
 * The opening check of the schema, by the version that the ledger records, and of the `newest` events (1,000 by default), of one moment, since others may append meanwhile; damage that stops it is its finding, a busy
 * store is thrown as `Busy`.
 */
export const checkOpening = (
  host: SqlHost,
  file: string,
  steps: ReadonlyArray<SchemaStep>,
  pages: PageCheck,
  newest?: number
): OpeningCheck => {
  try {
    return host.snapshot(() => {
      const [fault] = pages()
      return fault === undefined ? check(host, steps, newest) : { head: EMPTY_HEAD, fault }
    })
  } catch (error) {
    const failure = sqliteFailure(file, error)
    if (failure instanceof Busy) throw failure
    const finding: Finding =
      failure instanceof DatabaseDamaged
        ? { code: "INTEGRITY", where: failure.where, message: failure.finding }
        : { code: "INTEGRITY", where: file, message: failure.message }
    return { head: EMPTY_HEAD, fault: finding }
  }
}
