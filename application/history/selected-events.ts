// The events of the log that are wanted: of a run, a step, a worker or a type, from one time to another. Times grow along the log, so
// that the first event of a time is found by halving; a step's events are read from its post on.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Identifier } from "../../domain/canonical/text.ts"
import { Timestamp } from "../../domain/canonical/timestamp.ts"
import { eventFilter } from "../../domain/history/event-filter.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import { WrongRun } from "../../domain/ledger/errors.ts"
import { EVENT_TYPES } from "../../domain/ledger/events.ts"
import { messageIdOfJob, positionOfMessageId } from "../../domain/ledger/ids.ts"
import { Position } from "../../domain/ledger/lists.ts"
import { decodeInput } from "../foundation/input.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import { foundId } from "./found-ids.ts"
import { storedStep } from "./step-events.ts"

/** Which events; what is left out does not narrow. */
export const SelectEvents = Schema.Struct({
  run_id: Schema.optional(Identifier),
  /** Behind this position. */
  after: Schema.optional(Position),
  type: Schema.optional(Schema.Literals(EVENT_TYPES)),
  /** Claims, renewals, completions and requeues of this worker's leases. */
  worker_id: Schema.optional(Identifier),
  /** A step, by its id, the beginning of that, or its numbers. */
  step: Schema.optional(Identifier),
  /** Recorded at this time or later, and not after that. */
  since: Schema.optional(Timestamp),
  until: Schema.optional(Timestamp),
  /** Go on with new events as they are committed. */
  live: Schema.optional(Schema.Boolean)
})
export type SelectEvents = typeof SelectEvents.Type

const decode = decodeInput(SelectEvents, Result.succeed)

/** The position before the first event of a time or later. */
const positionBefore = Effect.fnUntraced(function* (ledger: LedgerShape, time: string) {
  const { position: newest } = yield* ledger.head
  let before = 0
  let behind = newest + 1
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2)
    const [event] = yield* ledger.eventsAfter({ after: middle - 1, limit: 1 })
    if (event !== undefined && event.recorded_at < time) before = middle
    else behind = middle
  }
  return before
})

/** A step with its run and where it was posted. */
const stepNamed = Effect.fnUntraced(function* (ledger: LedgerShape, text: string) {
  const found = yield* foundId(ledger, text)
  if (found.kind !== "step") return yield* new IdNotFound({ id: text })
  const row = yield* storedStep(ledger, found.id)
  if (row === undefined) return yield* new IdNotFound({ id: text })
  const { event_position, job_id, run_id, step_id } = row
  return { step_id, run_id, after: positionOfMessageId(messageIdOfJob(job_id)) ?? 0, newest: event_position }
})

/** The events that were asked for, in the order of the log. */
export const selectedEvents = (ledger: LedgerShape, options: SelectEvents) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const {
        after = 0,
        live = false,
        run_id,
        since,
        step,
        type,
        until,
        worker_id
      } = yield* Effect.fromResult(decode(options))
      const named = step === undefined ? undefined : yield* stepNamed(ledger, step)
      if (named !== undefined && run_id !== undefined && named.run_id !== run_id) {
        return yield* new WrongRun({ step_id: named.step_id, run_id, actual_run_id: named.run_id })
      }
      const from = since === undefined ? 0 : yield* positionBefore(ledger, since)
      const events = ledger.events({
        after: Math.max(after, from, named?.after ?? 0),
        runId: run_id ?? named?.run_id,
        live
      })
      // Behind its newest event the log has nothing of a step, unless more is waited for.
      const last = live || named === undefined ? Number.MAX_SAFE_INTEGER : named.newest
      const timely = Stream.takeWhile(
        events,
        ({ position, recorded_at }) => position <= last && (until === undefined || recorded_at <= until)
      )
      return Stream.filter(timely, eventFilter({ type, worker_id, step_id: named?.step_id }))
    })
  )
