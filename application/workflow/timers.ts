// Clocks: a durable sleep is a step that waits in the execution's run of timers, with its time in the payload. At that time it is
// finished, and the deferred that it completes is posted, in one transaction. No lease is held while it waits.
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as DurableClock from "effect/workflow/DurableClock"
import type { JsonValue } from "../../domain/canonical/json.ts"
import { clockKey } from "../../domain/workflow/names.ts"
import { RANG } from "../../domain/workflow/receipts.ts"
import type { JournalStep } from "../../domain/workflow/run-journal.ts"
import { type Clock as Sleep, clockPayload, readClock } from "../../domain/workflow/wakes.ts"
import { using } from "./executions.ts"
import type { Execution, Host } from "./host.ts"
import { asked, catchUp, catchUpOn } from "./ledger-calls.ts"
import { sweepIfComplete } from "./settling.ts"
import { postWake } from "./waking.ts"

/** The encoded exit of a clock's deferred. */
export const ENDED: JsonValue = { _tag: "Success", value: null }

/** A clock's step that waits. */
export interface WaitingClock {
  readonly step_id: string
  readonly job_id: string
  readonly token: number
  readonly clock: Sleep
}

/** Lets a clock ring at its time. */
export const awaitClock = (host: Host, waiting: WaitingClock, ringing: Effect.Effect<void>): void =>
  host.agenda.add(`clock:${waiting.step_id}`, waiting.clock.due, ringing)

/** A clock rings. */
export const ring = Effect.fnUntraced(function* (host: Host, execution: Execution, waiting: WaitingClock) {
  const { clock, job_id, step_id } = waiting
  const { ttl_seconds, worker_id } = host
  yield* catchUp(host, execution)
  if (execution.journal.result !== undefined) return yield* sweepIfComplete(host, execution)
  const timers = yield* catchUpOn(host, execution, "timers")
  const token = timers.steps.get(step_id)?.token ?? waiting.token
  const run_id = execution.runs.timer
  yield* postWake(host, execution, { kind: "deferred", name: clock.deferred, exit: ENDED }, [
    { _tag: "ClaimStep", run_id, job_id, worker_id, ttl_seconds },
    {
      _tag: "CompleteStep",
      run_id,
      step_id,
      worker_id,
      fencing_token: token + 1,
      receipt_payload: RANG.receipt,
      outcome: RANG.outcome
    }
  ])
  yield* execution.preempt(clock.deferred)
})

/** Sets a clock, once: a replay finds it. */
export const schedule = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  { deferred, duration, name }: DurableClock.DurableClock,
  inside: Execution | undefined
) {
  const millis = Duration.toMillis(duration)
  // A clock that never rings has no time to be stored.
  if (!Number.isFinite(millis) || execution.journal.deferreds.has(deferred.name)) return
  const key = clockKey(host.sha256, name)
  const journal = execution.timers ?? (yield* catchUpOn(host, execution, "timers", inside))
  const known = journal.withKey(key)
  if (known !== undefined) {
    // Another program finished it before its time.
    const set = known.standing._tag === "Committed" ? readClock(known.payload) : undefined
    if (set !== undefined) setClock(host, execution, known, set)
    return
  }
  const clock = { name, deferred: deferred.name, due: Math.ceil((yield* Clock.currentTimeMillis) + millis) }
  const run_id = execution.runs.timer
  const payload = clockPayload(clock)
  const posted = yield* Effect.orDie(
    Effect.catchTag(
      asked(host.ledger.postMessage({ run_id, source: "SYSTEM", payload, idempotency_key: key }), inside),
      "IdempotencyConflict",
      () => Effect.undefined
    )
  )
  if (posted === undefined) {
    // Another process has set it at another time.
    yield* catchUpOn(host, execution, "timers", inside)
    return
  }
  setClock(host, execution, journal.post({ job_id: posted.job_id, key, payload, posted: undefined }), clock)
})

const setClock = (
  host: Host,
  { name }: Execution,
  { job_id, step_id, token }: JournalStep,
  clock: Sleep
): void => {
  const waiting = { step_id, job_id, token, clock }
  awaitClock(
    host,
    waiting,
    using(host, name, (execution) => ring(host, execution, waiting))
  )
}
