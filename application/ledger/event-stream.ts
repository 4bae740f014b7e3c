// The event log as a stream: first what is there, page by page, then what comes, from this process and from
// others. Memory stays flat: one page at a time, and the consumer sets the pace. It never sees an event that is
// not committed, and never misses or repeats one.
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { type EventEnvelope, runStream } from "../../domain/ledger/event-envelope.ts"
import type { CommitSignal } from "./commit-signal.ts"
import type { LedgerReader, ReadError } from "./ledger-reader.ts"

export interface EventStreamOptions {
  /** Start after this position (default 0: from the first event). */
  readonly after?: number | undefined
  /** Only the events of this run. */
  readonly runId?: string | undefined
  /** Go on with new events as they are committed (default); false ends with the newest. */
  readonly live?: boolean | undefined
  /** How often to look for commits of other processes (default 50 milliseconds). */
  readonly pollInterval?: Duration.Input | undefined
}

const PAGE = 500

/** Waits until this process or another has committed since `counter` was read. */
const nextCommit = (
  reader: LedgerReader["Service"],
  signal: Effect.Effect<unknown>,
  counter: number,
  pollInterval: Duration.Input
): Effect.Effect<void, ReadError> => {
  const foreign = Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(pollInterval)
      if ((yield* reader.changeCounter) !== counter) return
    }
  })
  return Effect.raceFirst(Effect.asVoid(signal), foreign)
}

/** The stream of events after a position. */
export const eventStream = (
  reader: LedgerReader["Service"],
  committed: CommitSignal,
  options: EventStreamOptions = {}
): Stream.Stream<EventEnvelope, ReadError> => {
  const { after = 0, live = true, pollInterval = "50 millis", runId } = options
  const streamId = runId === undefined ? undefined : runStream(runId)
  const page = Effect.fnUntraced(function* (position: number) {
    while (true) {
      const signal = committed.wait()
      const counter = yield* reader.changeCounter
      const events = yield* reader.events(position, PAGE, streamId)
      const last = events.at(-1)
      // A position beyond what a number holds is read as one that was seen; asking on would never end.
      if (last !== undefined && !(Number.isSafeInteger(last.position) && last.position > position)) {
        const where = `event ${last.position}`
        return yield* new StoreCorrupt({
          code: "CHAIN_BROKEN",
          where,
          finding: "no position can follow here"
        })
      }
      if (last !== undefined) return [events, Option.some(last.position)] as const
      if (!live) return [events, Option.none<number>()] as const
      yield* nextCommit(reader, signal, counter, pollInterval)
    }
  })
  return Stream.paginate(after, page)
}
