// Commands that go through one transaction together: who waits for an outcome, how many make a group, and how each is
// decided on what those before it did. It is synchronous, since it runs under the lock; it never commits anything.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import type { Decided, Moment } from "../../../domain/ledger/decide.ts"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import type { Refusal, StoreWriteError } from "../../../domain/ledger/errors.ts"
import { type EventEnvelope, eventHash, type Head } from "../../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../../domain/ledger/events.ts"
import { clockFault } from "../../foundation/recordable-time.ts"
import { catchUp, refuseFarHead } from "./head-check.ts"
import type { LedgerTransaction } from "./ledger-store.ts"

/** Most text that is committed together (UTF-16 units); a command that is larger makes a group of its own. */
const MAX_GROUP_WEIGHT = 4 * 1_048_576

export type CommandError = Refusal | InvariantViolation | StoreWriteError

/** What a command does under the lock: read the little state that it needs and decide. */
export type UnitOfWork<Reply> = (transaction: LedgerTransaction, moment: Moment) => Decided<Reply>

export type Outcome = Exit.Exit<unknown, CommandError>

type Resume = (outcome: Effect.Effect<unknown, CommandError>) => void

/** One command on its way: one caller waits for its outcome, which may be there before the caller asks for it. */
export class Waiting {
  readonly work: UnitOfWork<unknown>
  readonly weight: number
  withdrawn = false
  private outcome: Outcome | undefined
  private resume: Resume | undefined

  constructor(work: UnitOfWork<unknown>, weight: number) {
    this.work = work
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
const envelopeAfter = (
  sha256: Sha256,
  head: Head,
  recorded_at: string,
  event: { readonly type: keyof typeof eventVersions; readonly stream_id: string; readonly data: string }
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

/** Decides one command and appends its event; only a store-wide failure is thrown. */
const decideOne = (
  transaction: LedgerTransaction,
  moment: Moment,
  head: Head,
  work: UnitOfWork<unknown>
): { readonly head: Head; readonly outcome: Outcome } => {
  const decided = work(transaction, moment)
  if (Result.isFailure(decided)) return { head, outcome: Exit.fail(decided.failure) }
  const { event, reply } = decided.success
  if (event === undefined) return { head, outcome: Exit.succeed(reply) }
  const envelope = envelopeAfter(moment.sha256, head, moment.recorded_at, event)
  try {
    transaction.append(envelope)
  } catch (error) {
    if (error instanceof InvariantViolation) return { head, outcome: Exit.fail(error) }
    throw error
  }
  const { hash, position, recorded_at } = envelope
  return { head: { position, hash, recorded_at }, outcome: Exit.succeed(reply) }
}

/** Decides a whole group in order under the lock; gives the new head and one outcome per command. */
export const decideGroup = (
  transaction: LedgerTransaction,
  sha256: Sha256,
  trusted: Head,
  nowMillis: number,
  group: ReadonlyArray<Waiting>
): { readonly head: Head; readonly outcomes: ReadonlyArray<Outcome | undefined> } => {
  const fault = clockFault(nowMillis)
  if (fault !== undefined) {
    const outcome = Exit.fail(fault)
    return { head: trusted, outcomes: group.map(() => outcome) }
  }
  let head = catchUp(transaction, sha256, trusted)
  refuseFarHead(head, nowMillis)
  const now = timestampFromMillis(nowMillis)
  const recorded_at = head.recorded_at !== undefined && head.recorded_at > now ? head.recorded_at : now
  const outcomes = group.map((waiting) => {
    if (waiting.withdrawn) return undefined
    const moment = { position: head.position + 1, recorded_at, sha256 }
    const decided = decideOne(transaction, moment, head, waiting.work)
    head = decided.head
    return decided.outcome
  })
  return { head, outcomes }
}

/** How many of those that wait make the next group: as many as weigh little enough together, at least one. */
export const groupLength = (line: ReadonlyArray<Waiting>): number => {
  let weight = 0
  const first = line.findIndex((waiting) => (weight += waiting.weight) > MAX_GROUP_WEIGHT)
  return first === -1 ? line.length : Math.max(1, first)
}
