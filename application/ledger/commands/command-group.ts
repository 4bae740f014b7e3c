// Commands that go through one transaction together: who waits for an outcome, how many make a group, and how each is
// decided on what those before it did. It is synchronous, since it runs under the lock; it never commits anything.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import type { Decided, Moment, NewEvent } from "../../../domain/ledger/decide.ts"
import { utf8ByteLength } from "../../../domain/canonical/text.ts"
import { invalidAt, type InvalidInput, InvariantViolation } from "../../../domain/foundation/errors.ts"
import type { Refusal, StoreWriteError } from "../../../domain/ledger/errors.ts"
import { type EventEnvelope, eventHash, type Head, headOf } from "../../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../../domain/ledger/events.ts"
import { clockFault } from "../../foundation/recordable-time.ts"
import { catchUp, refuseFarHead } from "./head-check.ts"
import type { LedgerTransaction } from "./ledger-store.ts"

/** Most text that is committed together (UTF-16 units); a command that is larger makes a group of its own. */
const MAX_GROUP_WEIGHT = 4 * 1_048_576

/** What a command can fail with once it is decided: its own refusals, and what the store says. */
export type Failed<R> = R | InvalidInput | InvariantViolation | StoreWriteError

/** What a command does under the lock: read the little state that it needs and decide. */
export type UnitOfWork<Reply, R extends Refusal = Refusal> = (
  transaction: LedgerTransaction,
  moment: Moment
) => Decided<Reply, R>

export type Outcome = Exit.Exit<unknown, Failed<Refusal>>

type Resume = (outcome: Effect.Effect<unknown, Failed<Refusal>>) => void

/** Decides one command on what those before it did, and appends its events. */
export type DecideOne = (work: UnitOfWork<unknown>) => Outcome

/** One caller that waits for the outcome of its commands, which may be there before the caller asks for it. */
export class Waiting {
  readonly decide: (one: DecideOne) => Outcome
  readonly weight: number
  withdrawn = false
  private outcome: Outcome | undefined
  private resume: Resume | undefined

  constructor(decide: (one: DecideOne) => Outcome, weight: number) {
    this.decide = decide
    this.weight = weight
  }

  settle(outcome: Outcome): void {
    this.outcome = outcome
    this.resume?.(outcome)
  }

  /** Hands the outcome to a caller, now or later; what it gives is run when the caller is interrupted. */
  tell(resume: Resume): Effect.Effect<void> {
    if (this.outcome !== undefined) resume(this.outcome)
    this.resume = resume
    return Effect.sync(() => {
      this.withdrawn = true
    })
  }
}

/** The event that follows `head`, with its hash. */
export const envelopeAfter = (
  sha256: Sha256,
  head: Head,
  recorded_at: string,
  event: NewEvent
): EventEnvelope => {
  const unhashed = {
    position: head.position + 1,
    type: event.type,
    stream_id: event.stream_id,
    schema_version: eventVersions[event.type],
    data: event.data,
    recorded_at,
    prev_hash: head.hash
  }
  return { ...unhashed, hash: eventHash(sha256, unhashed) }
}

/** Why a store cannot take an event that is longer than it holds; known before anything is written. */
const tooLong = (bytes: number, most: number): InvalidInput =>
  invalidAt(
    "",
    `the event would have ${bytes} bytes, and this store takes ${most}: keep large content elsewhere and put its hash here`
  )

/** The head of the log while a group is decided, and the events that the group has appended. */
class Appending {
  head: Head
  readonly events: Array<EventEnvelope> = []
  private readonly transaction: LedgerTransaction
  private readonly sha256: Sha256
  private readonly recorded_at: string

  constructor(transaction: LedgerTransaction, sha256: Sha256, head: Head, recorded_at: string) {
    this.transaction = transaction
    this.sha256 = sha256
    this.head = head
    this.recorded_at = recorded_at
  }

  /** Decides one command and appends its events; only a store-wide failure is thrown. */
  decide(work: UnitOfWork<unknown>): Outcome {
    const { recorded_at, sha256 } = this
    const decided = work(this.transaction, { position: this.head.position + 1, recorded_at, sha256 })
    if (Result.isFailure(decided)) return Exit.fail(decided.failure)
    const { events, reply } = decided.success
    const refused = this.lengthRefusal(events)
    if (refused !== undefined) return Exit.fail(refused)
    for (const [index, event] of events.entries()) {
      try {
        this.append(event)
      } catch (error) {
        // Nothing of the command was written yet. A later event that is refused must take the earlier ones along: the whole
        // group ends, and is rolled back.
        if (index === 0 && error instanceof InvariantViolation) return Exit.fail(error)
        throw error
      }
    }
    return Exit.succeed(reply)
  }

  private lengthRefusal(events: ReadonlyArray<NewEvent>): InvalidInput | undefined {
    const { maxEventBytes } = this.transaction
    if (maxEventBytes === undefined) return undefined
    const longest = events.reduce((most, { data }) => Math.max(most, utf8ByteLength(data)), 0)
    return longest > maxEventBytes ? tooLong(longest, maxEventBytes) : undefined
  }

  private append(event: NewEvent): void {
    const envelope = envelopeAfter(this.sha256, this.head, this.recorded_at, event)
    this.transaction.append(envelope)
    this.head = headOf(envelope)
    this.events.push(envelope)
  }
}

/** What became of a group: the new head, the events that were appended, and one outcome per caller. */
export interface GroupOutcome {
  readonly head: Head
  readonly events: ReadonlyArray<EventEnvelope>
  readonly outcomes: ReadonlyArray<Outcome | undefined>
}

/** Decides a whole group in order under the lock. */
export const decideGroup = (
  transaction: LedgerTransaction,
  sha256: Sha256,
  trusted: Head,
  nowMillis: number,
  group: ReadonlyArray<Waiting>
): GroupOutcome => {
  const fault = clockFault(nowMillis)
  if (fault !== undefined) {
    const outcome = Exit.fail(fault)
    return { head: trusted, events: [], outcomes: group.map(() => outcome) }
  }
  const head = catchUp(transaction, sha256, trusted)
  refuseFarHead(head, nowMillis)
  const now = timestampFromMillis(nowMillis)
  const recorded_at = head.recorded_at !== undefined && head.recorded_at > now ? head.recorded_at : now
  const appending = new Appending(transaction, sha256, head, recorded_at)
  const one: DecideOne = (work) => appending.decide(work)
  const outcomes = group.map((waiting) => (waiting.withdrawn ? undefined : waiting.decide(one)))
  return { head: appending.head, events: appending.events, outcomes }
}

/** How many of those that wait make the next group: as many as weigh little enough together, at least one. */
export const groupLength = (line: ReadonlyArray<Waiting>): number => {
  let weight = 0
  const first = line.findIndex((waiting) => (weight += waiting.weight) > MAX_GROUP_WEIGHT)
  return first === -1 ? line.length : Math.max(1, first)
}
