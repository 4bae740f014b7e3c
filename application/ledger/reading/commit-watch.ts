// Watching for commits, of this process and of others, while there are listeners: one poll for all listeners of a ledger. The
// poll runs in real time, since another process does not follow this program's Clock.
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { LedgerClosed } from "../../../domain/ledger/errors.ts"
import type { CommitFeed } from "../commands/commit-feed.ts"
import type { LedgerReader } from "./ledger-reader.ts"

export interface CommitWatch {
  readonly feed: CommitFeed
  /** Listens until the scope ends: every commit from here on wakes those who wait on the feed. */
  readonly listen: Effect.Effect<void, never, Scope.Scope>
  /** Runs work that waits for commits. */
  readonly listening: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Scope.Scope>>
  /** Ends once a step may wait in one of these streams that did not when `feed.arrivals` was `seen`. */
  readonly arrivalAfter: (
    seen: number,
    isOf: (streamId: string) => boolean
  ) => Effect.Effect<void, LedgerClosed>
}

/** Tells the feed of commits of other processes, for as long as it runs. */
const poll = Effect.fnUntraced(function* (
  feed: CommitFeed,
  reader: LedgerReader["Service"],
  started: Deferred.Deferred<void>
) {
  // A reading that fails is told as a commit: the listeners look for themselves, and meet the error.
  const readHead = Effect.flatMap(reader.head, ({ position }) =>
    Effect.sync(() => {
      if (position > feed.position) feed.publishOthers(position)
    })
  )
  let counter = yield* Effect.orElseSucceed(reader.changeCounter, () => Number.NaN)
  yield* Deferred.succeed(started, undefined)
  while (true) {
    const changed = yield* Effect.result(Effect.tap(reader.changeAfter(counter), () => readHead))
    if (changed._tag === "Success") counter = changed.success
    else feed.publishOthers(feed.position)
  }
})

/** The watch over a ledger's commits; it polls only while there is a listener. */
export const makeCommitWatch = (
  feed: CommitFeed,
  reader: LedgerReader["Service"],
  context: Context.Context<never>
): CommitWatch => {
  const fork = Effect.runForkWith(context)
  let polling: { readonly fiber: Fiber.Fiber<never>; readonly started: Deferred.Deferred<void> } | undefined
  const begin = Effect.sync(() => {
    feed.listen()
    if (polling === undefined) {
      const started = Deferred.makeUnsafe<void>()
      polling = { fiber: fork(poll(feed, reader, started)), started }
    }
    return polling
  })
  const end = Effect.suspend(() => {
    if (!feed.unlisten() || polling === undefined) return Effect.void
    const { fiber } = polling
    polling = undefined
    return Fiber.interrupt(fiber)
  })
  const listen = Effect.flatMap(
    Effect.acquireRelease(begin, () => end),
    ({ started }) => Deferred.await(started)
  )
  return {
    feed,
    listen,
    listening: (work) => Effect.scoped(Effect.andThen(listen, work)),
    arrivalAfter: (seen, isOf) => {
      const since = (looked: number): Effect.Effect<void, LedgerClosed> =>
        Effect.suspend(() => {
          if (feed.arrivedAfter(looked, isOf)) return Effect.void
          const { arrivals } = feed
          return Effect.flatMap(feed.wait(), () => since(arrivals))
        })
      return since(seen)
    }
  }
}
