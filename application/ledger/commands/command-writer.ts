// The one writer of a ledger: commands wait in a bounded queue, those that wait together are decided and
// committed together (one fsync for all), and replies go out only after the commit has returned. A refused
// command leaves nothing behind; a storage error ends the whole group, and no caller is told that anything stands.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { InvariantViolation } from "../../../domain/foundation/errors.ts"
import {
  LedgerClosed,
  type Refusal,
  type StoreCorrupt,
  type StoreWriteError
} from "../../../domain/ledger/errors.ts"
import {
  decideGroup,
  type Failed,
  groupLength,
  type GroupOutcome,
  type Outcome,
  type UnitOfWork,
  Waiting
} from "./command-group.ts"
import { CommitFeed } from "./commit-feed.ts"
import { corrupt } from "./head-check.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { decodeInput } from "../../foundation/input.ts"
import { LedgerStore, type LedgerTransaction } from "./ledger-store.ts"

/** How many commands may wait before callers have to wait for a place. */
export const DEFAULT_QUEUE_CAPACITY = 1_024

/** Most commands that are committed together. */
const MAX_GROUP = 256

/** After so many groups the runtime's other work gets its turn, timers and sockets too. */
const GROUPS_PER_TURN = 8

/** What a command without a payload of its own weighs. */
export const LIGHT = 1_024

/** The queue of commands: those that wait together share one transaction. An answer comes after the commit. */
export interface CommandWriter {
  /** Decides and commits; the reply comes after the commit. Interrupted before its group began: nothing. */
  readonly submit: <Reply, R extends Refusal>(
    work: UnitOfWork<Reply, R>,
    weight?: number
  ) => Effect.Effect<Reply, Failed<R>>
  /** The same for several commands in order and in one transaction, each with an outcome of its own. */
  readonly submitAll: (
    works: ReadonlyArray<UnitOfWork<unknown>>,
    weight: number
  ) => Effect.Effect<ReadonlyArray<Outcome>, StoreWriteError | InvariantViolation>
  readonly committed: CommitFeed
}

const groupSize = Metric.histogram("cassette.ledger.group_size", {
  description: "Commands that were taken together into one transaction",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})

type Waiters = Queue.Queue<Waiting, LedgerClosed>

/** All that wait, at most a group. */
const takeWaiting = (queue: Waiters): ReadonlyArray<Waiting> => {
  const line: Array<Waiting> = []
  while (line.length < MAX_GROUP) {
    const taken = Queue.takeUnsafe(queue)
    if (taken === undefined || Exit.isFailure(taken)) break
    line.push(taken.value)
  }
  return line
}

/** What the writer needs of its surroundings. */
interface WriterHooks {
  readonly queue: Waiters
  /** Commits a group and tells its callers; `done` is called after that, mostly before this returns. */
  readonly commit: (group: ReadonlyArray<Waiting>, done: () => void) => void
  /** Runs a piece of work in the runtime's next turn. */
  readonly nextTurn: (work: () => void) => void
}

/**
 * Whose turn it is. Commands that ask in the same turn of the runtime, or while a group is with the store, make one
 * group; the runtime's other work has its turn after every few groups.
 */
class Turns {
  private readonly to: WriterHooks
  private line: ReadonlyArray<Waiting> = []
  /** A group is with the store, or being told what became of it. */
  private busy = false
  /** The next turn looks at the queue. */
  private awaited = false
  private groupsInTurn = 0
  private onEnd: (() => void) | undefined

  constructor(to: WriterHooks) {
    this.to = to
  }

  /** Looks at the queue when its turn comes: to be called by those who put something there. */
  wake(): void {
    if (this.busy || this.awaited) return
    this.awaited = true
    this.to.nextTurn(() => {
      this.awaited = false
      this.groupsInTurn = 0
      this.goOn()
    })
  }

  /** Calls back when nothing waits any more, once the queue takes no more. */
  end(onEnd: () => void): void {
    this.onEnd = onEnd
    this.goOn()
  }

  private goOn(): void {
    if (this.busy || this.awaited) return
    if (this.line.length === 0) this.line = takeWaiting(this.to.queue)
    if (this.line.length === 0) this.onEnd?.()
    else if (this.groupsInTurn === GROUPS_PER_TURN) this.wake()
    else this.commitNext()
  }

  private commitNext(): void {
    const group = this.line.slice(0, groupLength(this.line))
    this.line = this.line.slice(group.length)
    this.groupsInTurn += 1
    this.busy = true
    // Callers usually submit again as soon as they are answered; those commands form the next group.
    this.to.commit(group, () => {
      this.busy = false
      this.goOn()
    })
  }
}

/** The longer way into a queue that is full, where the command waits for a place, or closed. */
const offerAndAwait = (
  queue: Waiters,
  turns: Turns,
  waiting: Waiting
): Effect.Effect<unknown, Failed<Refusal>> =>
  Queue.offer(queue, waiting).pipe(
    Effect.flatMap((accepted) =>
      accepted
        ? Effect.callback<unknown, Failed<Refusal>>((resume) => {
            // By the time that it has its place, the turn that was due may be over.
            turns.wake()
            return waiting.tell(resume)
          })
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
    const context = yield* Effect.context<never>()
    const clock = yield* Clock.Clock
    const queue = yield* Queue.bounded<Waiting, LedgerClosed>(queueCapacity)
    const committed = new CommitFeed(store.openedHead.position)
    const fault: StoreCorrupt | undefined = store.fault && corrupt(store.fault)
    let trusted = store.openedHead

    const settle = (group: ReadonlyArray<Waiting>, exit: Exit.Exit<GroupOutcome, StoreWriteError>): void => {
      if (Exit.isFailure(exit)) {
        for (const waiting of group) waiting.settle(exit)
        return
      }
      const { events, head, outcomes } = exit.value
      trusted = head
      committed.publish(events)
      outcomes.forEach((outcome, index) => {
        if (outcome) group[index]?.settle(outcome)
      })
    }

    // A fiber of its own for each group: a caller that waits for one may be interrupted, and the group is not.
    const run = Effect.runForkWith(context)
    const turns = new Turns({
      queue,
      commit: (group, done) => {
        groupSize.updateUnsafe(group.length, context)
        const decide = (transaction: LedgerTransaction) =>
          decideGroup(transaction, sha256, trusted, clock.currentTimeMillisUnsafe(), group)
        run(store.transact(decide)).addObserver((exit) => {
          settle(group, exit)
          done()
        })
      },
      nextTurn: (work) => {
        run(Effect.andThen(Effect.yieldNow, Effect.sync(work)))
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.andThen(
          Effect.sync(() => committed.close()),
          Queue.fail(queue, new LedgerClosed())
        ),
        Effect.callback<void>((resume) => {
          turns.end(() => {
            resume(Effect.void)
          })
        })
      )
    )

    // Taking a place and waiting are one step, so that no interruption falls between them. Nearly always there is
    // a place; a full or closed queue needs the longer way.
    const wait = (decide: Waiting["decide"], weight: number): Effect.Effect<unknown, Failed<Refusal>> =>
      Effect.callback((resume) => {
        const waiting = new Waiting(decide, weight)
        if (fault === undefined && Queue.offerUnsafe(queue, waiting)) {
          turns.wake()
          return waiting.tell(resume)
        }
        resume(fault === undefined ? offerAndAwait(queue, turns, waiting) : Effect.fail(fault))
        return undefined
      })

    return {
      submit: <Reply, R extends Refusal>(work: UnitOfWork<Reply, R>, weight = LIGHT) =>
        wait((one) => one(work), weight) as Effect.Effect<Reply, Failed<R>>,
      submitAll: (works, weight) =>
        wait((one) => Exit.succeed(works.map((work) => one(work))), weight) as Effect.Effect<
          ReadonlyArray<Outcome>,
          StoreWriteError | InvariantViolation
        >,
      committed
    }
  })

/** The options of the writer, field by field. */
export const ledgerWriterFields = {
  queueCapacity: Schema.optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a whole number of commands from 1 on" }))
  )
}

const decodeWriterOptions = decodeInput(Schema.Struct(ledgerWriterFields), Result.succeed)

/** The one writer of a ledger as a service: every part that appends to the same log is built over the same one. */
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
