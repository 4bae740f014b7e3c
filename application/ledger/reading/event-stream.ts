// The event log as a stream: first what is there, page by page, then what comes, from this process and from
// others. Memory stays flat: one page at a time, and the consumer sets the pace. It never sees an event that is
// not committed, and never misses or repeats one. A consumer that keeps up is given this process's commits from memory.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Identifier } from "../../../domain/canonical/text.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { type EventEnvelope, runStream } from "../../../domain/ledger/event-envelope.ts"
import { Position } from "../../../domain/ledger/lists.ts"
import { decodeInput } from "../../foundation/input.ts"
import type { CommitFeed } from "../commands/commit-feed.ts"
import type { CommitWatch } from "./commit-watch.ts"
import type { LedgerReader, ReadError } from "./ledger-reader.ts"

/** Which events: those behind a position, of one run, and with `live` also those to come. */
export interface EventStreamOptions {
  /** Start after this position (default 0: from the first event). */
  readonly after?: number | undefined
  /** Only the events of this run. */
  readonly runId?: string | undefined
  /** Go on with new events as they are committed (default); false ends with the newest. */
  readonly live?: boolean | undefined
}

const PAGE = 500

const Options = Schema.Struct({
  after: Schema.optional(Position),
  runId: Schema.optional(Identifier),
  live: Schema.optional(Schema.Boolean)
})

const decodeOptions = decodeInput(Options, Result.succeed)

/** The stream of events after a position; options that cannot be met end it at once. */
export const eventStream = (
  reader: LedgerReader["Service"],
  watch: CommitWatch,
  options: EventStreamOptions = {}
): Stream.Stream<EventEnvelope, ReadError | InvalidInput> => {
  const decoded = decodeOptions(options)
  if (Result.isFailure(decoded)) return Stream.fail(decoded.failure)
  const { after = 0, live = true, runId } = decoded.success
  const streamId = runId === undefined ? undefined : runStream(runId)
  return live
    ? Stream.unwrap(Effect.as(watch.listen, liveEvents(reader, watch, after, streamId)))
    : storedEvents(reader, after, streamId)
}

/** A page behind a position. One that ends beyond what a number holds could be read again and again. */
const pageAfter = Effect.fnUntraced(function* (
  reader: LedgerReader["Service"],
  position: number,
  streamId: string | undefined
) {
  const events = yield* reader.events(position, PAGE, streamId)
  const last = events.at(-1)
  if (last !== undefined && !(Number.isSafeInteger(last.position) && last.position > position)) {
    const where = `event ${last.position}`
    return yield* new StoreCorrupt({ code: "CHAIN_BROKEN", where, finding: "no position can follow here" })
  }
  return events
})

const storedEvents = (
  reader: LedgerReader["Service"],
  after: number,
  streamId: string | undefined
): Stream.Stream<EventEnvelope, ReadError> =>
  Stream.paginate(after, (position) =>
    Effect.map(pageAfter(reader, position, streamId), (events) => {
      const last = events.at(-1)
      return [events, last === undefined ? Option.none() : Option.some(last.position)] as const
    })
  )

/** Most turns of the runtime that a live stream waits for more commits, once there is one. */
const GATHERING_TURNS = 8

/** Lets commits that follow each other closely come together: waking for each would slow down the callers that make them. */
const gathered = Effect.fnUntraced(function* (feed: CommitFeed) {
  let known = -1
  for (let turn = 0; turn < GATHERING_TURNS && known !== feed.commits; turn++) {
    known = feed.commits
    yield* Effect.yieldNow
  }
})

/** Where a live stream is: behind which event, and how many commits it knew when the store had no more to give. */
interface StreamPlace {
  readonly position: number
  readonly caughtUpAt: number
}

const liveEvents = (
  reader: LedgerReader["Service"],
  { feed }: CommitWatch,
  after: number,
  streamId: string | undefined
): Stream.Stream<EventEnvelope, ReadError> =>
  Stream.paginate(
    { position: after, caughtUpAt: -1 } as StreamPlace,
    Effect.fnUntraced(function* (place: StreamPlace) {
      let { caughtUpAt: known, position } = place
      while (true) {
        const { commits, position: newest } = feed
        const nextCommit = feed.wait()
        const own = known === -1 ? undefined : feed.after(position)
        const last = own?.at(-1)
        if (own !== undefined && last !== undefined) {
          const wanted = streamId === undefined ? own : own.filter((event) => event.stream_id === streamId)
          // Up to the newest event that is known, the store has no more to give.
          if (last.position === newest) known = commits
          return [wanted, Option.some({ position: last.position, caughtUpAt: known })] as const
        }
        if (commits !== known) {
          const events = yield* pageAfter(reader, position, streamId)
          const end = events.at(-1)
          if (end !== undefined) {
            return [events, Option.some({ position: end.position, caughtUpAt: known })] as const
          }
          known = commits
          // Nothing of a run stands between here and the newest event that was known before the look.
          position = Math.max(position, newest)
        }
        yield* nextCommit
        yield* gathered(feed)
      }
    })
  )
