// The event log as a stream: first what is there, page by page, then what comes, from this process and from
// others. Memory stays flat: one page at a time, and the consumer sets the pace. It never sees an event that is
// not committed, and never misses or repeats one.
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Identifier } from "../../../domain/canonical/text.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { type EventEnvelope, runStream } from "../../../domain/ledger/event-envelope.ts"
import type { CommitSignal } from "../commands/commit-signal.ts"
import { decodeInput } from "../../foundation/input.ts"
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

const isWait = (value: unknown): value is Duration.Input => {
  const wait = Number.isNaN(value) ? Option.none() : Duration.fromInput(value as Duration.Input)
  return Option.isSome(wait) && Duration.toMillis(wait.value) > 0
}

const Options = Schema.Struct({
  after: Schema.optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a position: a whole number from 0 on" }))
  ),
  runId: Schema.optional(Identifier),
  live: Schema.optional(Schema.Boolean),
  pollInterval: Schema.optional(Schema.declare(isWait, { expected: "a duration longer than 0" }))
})

const decodeOptions = decodeInput(Options, Result.succeed)

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

/** The stream of events after a position; options that cannot be met end it at once. */
export const eventStream = (
  reader: LedgerReader["Service"],
  committed: CommitSignal,
  options: EventStreamOptions = {}
): Stream.Stream<EventEnvelope, ReadError | InvalidInput> => {
  const decoded = decodeOptions(options)
  return Result.isFailure(decoded)
    ? Stream.fail(decoded.failure)
    : eventsOf(reader, committed, decoded.success)
}

const eventsOf = (
  reader: LedgerReader["Service"],
  committed: CommitSignal,
  { after = 0, live = true, pollInterval = "50 millis", runId }: EventStreamOptions
): Stream.Stream<EventEnvelope, ReadError> => {
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
