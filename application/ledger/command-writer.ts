// The one writer of a ledger: commands wait in a bounded queue, those that wait together are decided and
// committed together (one fsync for all), and replies go out only after the commit has returned. A refused
// command leaves nothing behind; a storage error ends the whole group, and nobody is told that anything stands.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { hasTimestamp, timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import type { Decided, Moment } from "../../domain/ledger/decide.ts"
import {
  InvariantViolation,
  LedgerClosed,
  type Refusal,
  type StoreCorrupt,
  type StoreWriteError
} from "../../domain/ledger/errors.ts"
import { type EventEnvelope, eventHash, type Head } from "../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../domain/ledger/events.ts"
import { CommitSignal } from "./commit-signal.ts"
import { catchUp, corrupt, refuseFarHead } from "./head-guard.ts"
import { Hashing } from "./hashing.ts"
import { decodeInput } from "./input.ts"
import { LedgerStore, type LedgerTransaction } from "./ledger-store.ts"

/** How many commands may wait before callers have to wait for a place. */
export const DEFAULT_QUEUE_CAPACITY = 1_024

/** Most commands that are committed together. */
const MAX_GROUP = 256

/** Most text that is committed together (UTF-16 units); a command that is larger makes a group of its own. */
const MAX_GROUP_WEIGHT = 4 * 1_048_576

/** After so many groups the runtime's other work gets its turn, timers and sockets too. */
const GROUPS_PER_TURN = 8

/** What a command without a payload of its own weighs. */
const LIGHT = 1_024

export type CommandError = Refusal | InvariantViolation | StoreWriteError

/** What a command does under the lock: read the little state that it needs and decide. */
export type UnitOfWork<Reply> = (transaction: LedgerTransaction, moment: Moment) => Decided<Reply>

export interface CommandWriter {
  /** Decides and commits; the reply comes after the commit. Interrupted before its group began: nothing. */
  readonly submit: <Reply>(work: UnitOfWork<Reply>, weight?: number) => Effect.Effect<Reply, CommandError>
  readonly committed: CommitSignal
}

type Outcome = Exit.Exit<unknown, CommandError>

type Resume = (outcome: Effect.Effect<unknown, CommandError>) => void

/** One command on its way: one caller waits for its outcome, which may be there before the caller asks for it. */
class Waiting {
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

/**
 * Where the writer waits while nobody asks. Rung, it goes on as soon as everything that runs in this turn has asked, so
 * that those are one group; the next turn of the event loop would be several microseconds away.
 */
class Bell {
  private wake: (() => void) | undefined

  /** Ends at the next ring; at once when nothing is left to wait for, since a ring that nobody heard is lost. */
  wait(isIdle: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (isIdle()) this.wake = () => resume(Effect.void)
      else resume(Effect.void)
    })
  }

  ring(): void {
    const { wake } = this
    if (wake === undefined) return
    this.wake = undefined
    void Promise.resolve().then(wake)
  }
}

const groupSize = Metric.histogram("cassette_ledger_group_size", {
  description: "Commands that were taken together into one transaction",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})

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
const decideGroup = (
  transaction: LedgerTransaction,
  sha256: Sha256,
  trusted: Head,
  nowMillis: number,
  group: ReadonlyArray<Waiting>
): { readonly head: Head; readonly outcomes: ReadonlyArray<Outcome | undefined> } => {
  if (!hasTimestamp(nowMillis)) {
    const message = "the clock is outside the years 0000 to 9999, and no event can be dated: set it"
    const outcome = Exit.fail(new InvariantViolation({ message }))
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
const groupLength = (line: ReadonlyArray<Waiting>): number => {
  let weight = 0
  const first = line.findIndex((waiting) => (weight += waiting.weight) > MAX_GROUP_WEIGHT)
  return first === -1 ? line.length : Math.max(1, first)
}

/** The longer way into a queue that is full, where the command waits for a place, or closed. */
const offerAndAwait = (
  queue: Queue.Queue<Waiting, LedgerClosed>,
  waiting: Waiting
): Effect.Effect<unknown, CommandError> =>
  Queue.offer(queue, waiting).pipe(
    Effect.flatMap((accepted) =>
      accepted
        ? Effect.callback<unknown, CommandError>((resume) => waiting.tell(resume))
        : Effect.fail(new LedgerClosed())
    ),
    Effect.onInterrupt(() =>
      Effect.sync(() => {
        waiting.withdrawn = true
      })
    )
  )

/** Starts the writer; closing the scope refuses new commands and finishes those that wait. */
const makeCommandWriter = (
  queueCapacity: number
): Effect.Effect<CommandWriter, never, LedgerStore | Hashing | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* LedgerStore
    const { sha256 } = yield* Hashing
    const clock = yield* Clock.Clock
    const queue = yield* Queue.bounded<Waiting, LedgerClosed>(queueCapacity)
    const committed = new CommitSignal()
    const fault: StoreCorrupt | undefined = store.fault && corrupt(store.fault)
    const bell = new Bell()
    let closing = false
    let trusted = store.openedHead

    const settle = (
      group: ReadonlyArray<Waiting>,
      exit: Exit.Exit<ReturnType<typeof decideGroup>, CommandError>
    ): void => {
      if (Exit.isFailure(exit)) {
        for (const waiting of group) waiting.settle(exit)
        return
      }
      const { head, outcomes } = exit.value
      const advanced = head.position > trusted.position
      trusted = head
      if (advanced) committed.publish(head.position)
      outcomes.forEach((outcome, index) => {
        if (outcome) group[index]?.settle(outcome)
      })
    }

    const loop = Effect.gen(function* () {
      let line: ReadonlyArray<Waiting> = []
      for (let groups = 1; ; groups++) {
        if (groups % GROUPS_PER_TURN === 0) yield* Effect.yieldNow
        if (line.length === 0) {
          // Asked where the wait begins: between two steps of this fiber others may run.
          yield* bell.wait(() => Queue.sizeUnsafe(queue) === 0 && !closing)
          line = yield* Queue.takeBetween(queue, 1, MAX_GROUP)
        }
        const group = line.slice(0, groupLength(line))
        line = line.slice(group.length)
        yield* Metric.update(groupSize, group.length)
        const decide = (transaction: LedgerTransaction) =>
          decideGroup(transaction, sha256, trusted, clock.currentTimeMillisUnsafe(), group)
        settle(group, yield* Effect.exit(store.transact(decide)))
      }
    }).pipe(Effect.catch(() => Effect.void))

    // The writer is shut down in order by the finalizer below, never interrupted in the middle of its queue.
    const fiber = yield* Effect.forkDetach(loop)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closing = true
        bell.ring()
        return Effect.andThen(Queue.fail(queue, new LedgerClosed()), Fiber.join(fiber))
      })
    )

    // Taking a place and waiting are one step, so that no interruption falls between them. Nearly always there is
    // a place; a full or closed queue needs the longer way.
    const submit = <Reply>(work: UnitOfWork<Reply>, weight = LIGHT): Effect.Effect<Reply, CommandError> =>
      Effect.callback<unknown, CommandError>((resume) => {
        const waiting = new Waiting(work, weight)
        if (fault === undefined && Queue.offerUnsafe(queue, waiting)) {
          bell.ring()
          return waiting.tell(resume)
        }
        resume(fault === undefined ? offerAndAwait(queue, waiting) : Effect.fail(fault))
        return undefined
      }) as Effect.Effect<Reply, CommandError>

    return { submit, committed }
  })

const decodeWriterOptions = decodeInput(
  Schema.Struct({
    queueCapacity: Schema.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a whole number of commands from 1 on" }))
    )
  }),
  Result.succeed
)

/** The one writer of a ledger as a service: whatever appends to the same log is built over the same one. */
export class LedgerWriter extends Context.Service<LedgerWriter, CommandWriter>()(
  "cortex-cassette/application/LedgerWriter"
) {
  /** `queueCapacity` commands may wait before callers must. */
  static readonly layerWith = (options: { readonly queueCapacity?: number | undefined } = {}) =>
    Layer.effect(
      this,
      Effect.flatMap(Effect.fromResult(decodeWriterOptions(options)), ({ queueCapacity }) =>
        makeCommandWriter(queueCapacity ?? DEFAULT_QUEUE_CAPACITY)
      )
    )
}
