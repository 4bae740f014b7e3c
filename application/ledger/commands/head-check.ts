// What the writer checks before it appends anything: that every event since the last one it has verified fits
// the hash chain and is one that a writer makes (SQL cannot check a hash, so a forged event can be in the file), and
// that the newest event is not dated absurdly. Nothing honest is ever appended on top of a history that fails here.
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import {
  isTimestamp,
  millisFromTimestamp,
  nearestTimestamp,
  timestampFromMillis
} from "../../../domain/canonical/timestamp.ts"
import { ClockFarBehindHead, StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { nextEventFinding } from "../../../domain/ledger/event-check.ts"
import { type Head, headOf } from "../../../domain/ledger/event-envelope.ts"
import { HEAD_LEAD_WARNING_MILLIS, MAX_HEAD_LEAD_MILLIS } from "../../../domain/ledger/limits.ts"
import { clippedText } from "../../../domain/foundation/finding.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"
import type { LedgerTransaction } from "./ledger-store.ts"

const CATCH_UP_PAGE = 1_000

/** The error that a finding in the store turns every command into. */
export const corrupt = (finding: Finding): StoreCorrupt =>
  new StoreCorrupt({
    code: finding.code,
    where: clippedText(finding.where),
    finding: clippedText(finding.message)
  })

const broken = (code: Finding["code"], position: number, message: string) =>
  corrupt({ code, where: `event ${position}`, message })

/**
 * Verifies what others appended since `trusted` and gives the head to append to; throws `StoreCorrupt` when the
 * history was cut, rewritten or forged. Costs nothing when this writer wrote last.
 */
export const catchUp = (transaction: LedgerTransaction, sha256: Sha256, trusted: Head): Head => {
  const head = transaction.head()
  if (head.position < trusted.position) {
    throw broken(
      "HEAD_MISMATCH",
      head.position,
      `the history was cut: position ${trusted.position} was seen before`
    )
  }
  let verified = trusted
  while (verified.position < head.position) {
    const events = transaction.eventsAfter(verified.position, CATCH_UP_PAGE)
    if (events.length === 0) break
    for (const event of events) {
      const finding = nextEventFinding(sha256, verified, event)
      if (finding !== undefined) throw corrupt(finding)
      verified = headOf(event)
    }
  }
  if (verified.position !== head.position || verified.hash !== head.hash) {
    throw broken("HEAD_MISMATCH", head.position, "the head is not the newest event of the chain")
  }
  return verified
}

/** How many milliseconds the head is dated ahead of the clock; negative when it is in the past, or has no time. */
const headLeadMillis = (head: Head, nowMillis: number): number =>
  head.recorded_at === undefined || !isTimestamp(head.recorded_at)
    ? Number.NEGATIVE_INFINITY
    : millisFromTimestamp(head.recorded_at) - nowMillis

/** Throws `ClockFarBehindHead` when the head is dated further ahead than any clock step explains. */
export const refuseFarHead = (head: Head, nowMillis: number): void => {
  if (head.recorded_at !== undefined && headLeadMillis(head, nowMillis) > MAX_HEAD_LEAD_MILLIS) {
    throw new ClockFarBehindHead({ now: timestampFromMillis(nowMillis), head_recorded_at: head.recorded_at })
  }
}

/** A sentence for people when the clock is clearly behind the newest event, else undefined. */
export const clockWarning = (head: Head, nowMillis: number): string | undefined =>
  headLeadMillis(head, nowMillis) > HEAD_LEAD_WARNING_MILLIS
    ? `the clock (${nearestTimestamp(nowMillis)}) is behind the newest event (${head.recorded_at}): new events are dated like that one`
    : undefined
