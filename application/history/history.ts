// Reading the history: one object with everything that belongs to it, and the log as sentences. One service for the command line, for
// agents and for pages. It asks the ledger, never a store, and writes nothing.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Identifier } from "../../domain/canonical/text.ts"
import type { AmbiguousPrefix, InvalidInput } from "../../domain/foundation/errors.ts"
import { PageLimit } from "../../domain/foundation/page.ts"
import type { IdNotFound } from "../../domain/history/errors.ts"
import type { Shown } from "../../domain/history/shown.ts"
import { Timeline, type TimelineEntry } from "../../domain/history/timeline.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { RunNotFound, type WrongRun } from "../../domain/ledger/errors.ts"
import { Position } from "../../domain/ledger/lists.ts"
import { decodeInput } from "../foundation/input.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { Thoughts } from "../ledger/thoughts/thoughts.ts"
import { foundId } from "./found-ids.ts"
import { mergedEvents } from "./merged-events.ts"
import { newestEntries } from "./newest-entries.ts"
import { type SelectEvents, selectedEvents } from "./selected-events.ts"
import { showFound } from "./shown-objects.ts"
import { streamsOfRun } from "./streams-of-run.ts"
import { traced } from "../foundation/telemetry.ts"

/** Which events a timeline has. */
export const TimelineOptions = Schema.Struct({
  /** Only this run, with the thoughts of the task of its name. */
  run_id: Schema.optional(Identifier),
  /** Behind this position. */
  after: Schema.optional(Position)
})
export type TimelineOptions = typeof TimelineOptions.Type

/** A page of a timeline from its end. */
export const NewestOptions = Schema.Struct({
  run_id: Schema.optional(Identifier),
  /** Before this position. */
  before: Schema.optional(Position),
  limit: Schema.optional(PageLimit)
})
export type NewestOptions = typeof NewestOptions.Type

/** `full`: payloads, receipts and thoughts above 4 KB whole, too. */
export interface ShowOptions {
  /** Bodies above 4 KB whole too. */
  readonly full?: boolean | undefined
}

/** The operations of the history. Each reads and changes nothing. */
export interface HistoryShape {
  /**
   * The one object that an id names, or that alone has an id which begins so: a message, job, step, receipt, thought or run, or the
   * event at a position. `2.1.3` is a step by its numbers; `event:17`, `run:17` and `thought:17` say which kind is meant.
   */
  readonly show: (
    id: string,
    options?: ShowOptions
  ) => Effect.Effect<Shown, AmbiguousPrefix | IdNotFound | InvalidInput | ReadError>
  /** The log as sentences, of one run or of all, oldest first. */
  readonly timeline: (
    options?: TimelineOptions
  ) => Stream.Stream<TimelineEntry, InvalidInput | ReadError | RunNotFound>
  /** The events themselves, of a run, a step, a worker, a type or a time, in the order of the log. */
  readonly events: (
    options?: SelectEvents
  ) => Stream.Stream<EventEnvelope, AmbiguousPrefix | IdNotFound | InvalidInput | ReadError | WrongRun>
  /** A page of the timeline, newest first (100 entries). */
  readonly newest: (
    options?: NewestOptions
  ) => Effect.Effect<ReadonlyArray<TimelineEntry>, InvalidInput | ReadError | RunNotFound>
}

const decodeTimeline = decodeInput(TimelineOptions, Result.succeed)
const decodeNewest = decodeInput(NewestOptions, Result.succeed)

/** How many entries the newest page has. */
const NEWEST_PAGE = 100

/** Refuses a run that nothing was ever posted to. */
const requireRun = Effect.fnUntraced(function* (ledger: LedgerShape, run_id: string | undefined) {
  if (run_id === undefined) return
  const [first] = yield* ledger.eventsAfter({ run_id, limit: 1 })
  if (first === undefined) return yield* new RunNotFound({ run_id })
})

const makeHistory = Effect.gen(function* () {
  const ledger = yield* Ledger
  const thoughts = yield* Thoughts
  const { sha256 } = yield* Hashing
  return {
    show: traced("cassette.history.show")(function* (id, { full = false } = {}) {
      return yield* showFound({ ledger, thoughts, sha256, isFull: full }, yield* foundId(ledger, id))
    }),
    timeline: (options = {}) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const { after = 0, run_id } = yield* Effect.fromResult(decodeTimeline(options))
          yield* requireRun(ledger, run_id)
          const timeline = new Timeline()
          return Stream.map(
            mergedEvents(
              streamsOfRun(ledger, run_id).map(({ page }) => page),
              after
            ),
            (event) => timeline.entry(event)
          )
        })
      ).pipe(Stream.withSpan("cassette.history.timeline")),
    events: (options = {}) =>
      selectedEvents(ledger, options).pipe(Stream.withSpan("cassette.history.events")),
    newest: traced("cassette.history.newest")(function* (options = {}) {
      const { before, limit = NEWEST_PAGE, run_id } = yield* Effect.fromResult(decodeNewest(options))
      yield* requireRun(ledger, run_id)
      return yield* newestEntries(ledger, { run_id, before, limit })
    })
  } satisfies HistoryShape
})

/** What happened in a ledger: one thing with all that belongs to it, and the timeline as sentences. */
export class History extends Context.Service<History, HistoryShape>()("cortex-cassette/History") {
  /** The history over a ledger and its thoughts. */
  static readonly layerNoDeps = Layer.effect(this, makeHistory)
}
