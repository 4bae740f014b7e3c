// What the lanes of a storm's process do: post, work, take back, think. Each answer is written to the process's log
// before the lane goes on; a refusal that the rules foresee is an answer too, and any other failure ends the process.
import * as Effect from "effect/Effect"
import type { LedgerShape, ThoughtsShape } from "../interfaces/embedding/index.ts"
import type { Acknowledged, AcknowledgementLog } from "./acknowledgement.ts"
import type { Chance } from "./chance.ts"

/** What a lane has at hand. */
export interface Lane {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
  readonly log: AcknowledgementLog
  readonly chance: Chance
  /** The life's name, under which it works. */
  readonly worker: string
  /** The lane's own name among all lanes of all lives. */
  readonly name: string
}

type Refused = Omit<Extract<Acknowledged, { did: "refused" }>, "did" | "tag">

/** How long a run takes new messages, so that no run grows without end (milliseconds). */
const RUN_MILLIS = 5_000
/** How long all processes post the same message under the same key (milliseconds). */
const SHARED_KEY_MILLIS = 150
const TASKS = 3
const MAX_TEXT = 600
const TTL_SECONDS = 1
const SHORT_HOLD_MILLIS = 90
const LONGEST_HOLD_MILLIS = 2_500

/** The machine's own time: names of runs and keys must not follow a clock that jumps. */
const slotOf = (millis: number): number => Math.floor(Date.now() / millis)
const runNow = (): string => `run-${slotOf(RUN_MILLIS)}`
const lastRun = (): string => `run-${slotOf(RUN_MILLIS) - 1}`

/** Refusals that the rules foresee beside any other processes. */
const foreseen: ReadonlySet<string> = new Set([
  "ClockFarBehindHead",
  "LeaseExpired",
  "LeaseNotExpired",
  "NoPendingStep",
  "NotLeased",
  "StaleFencingToken",
  "WrongWorker"
])

/** Gives a command and writes down what came of it; undefined when it was refused. */
const answered = <A, E extends { readonly _tag: string }>(
  lane: Lane,
  command: Effect.Effect<A, E>,
  refused: Refused,
  acknowledged: (reply: A) => Acknowledged
): Effect.Effect<A | undefined> =>
  Effect.matchEffect(command, {
    onSuccess: (reply) =>
      Effect.sync(() => {
        lane.log.write(acknowledged(reply))
        return reply
      }),
    onFailure: (error) =>
      foreseen.has(error._tag)
        ? Effect.sync(() => {
            lane.log.write({ did: "refused", ...refused, tag: error._tag })
            return undefined
          })
        : Effect.die(error)
  })

const pause = ({ chance }: Lane, most: number) => Effect.suspend(() => Effect.sleep(chance.below(most)))

/** Posts under a key of its own, or under one that all processes use at this moment for the same message. */
export const post = (lane: Lane, n: number) =>
  Effect.gen(function* () {
    const { chance } = lane
    const shared = chance.oneIn(3)
    const slot = slotOf(SHARED_KEY_MILLIS)
    const key = shared ? `shared.${slot}` : `${lane.name}.${n}`
    const run_id = shared ? `run-${Math.floor((slot * SHARED_KEY_MILLIS) / RUN_MILLIS)}` : runNow()
    const payload = shared
      ? { slot }
      : { n, text: "x".repeat(chance.below(MAX_TEXT)), steps: chance.oneIn(2) ? [{ n }, {}] : [{}] }
    const command = lane.ledger.postMessage({ run_id, source: "WORKER", idempotency_key: key, payload })
    yield* answered(lane, command, { command: "post" }, ({ message_id }) => ({
      did: "post",
      run_id,
      key,
      message_id
    }))
    yield* pause(lane, 60)
  })

/** Claims, holds for a while that is sometimes longer than the lease, and ends the lease in one of several ways. */
export const work = (lane: Lane) =>
  Effect.gen(function* () {
    const { chance, ledger, worker } = lane
    const run_id = chance.oneIn(4) ? lastRun() : runNow()
    const claim = ledger.claimStep({ run_id, worker_id: worker, ttl_seconds: TTL_SECONDS })
    const step = yield* answered(lane, claim, { command: "claim" }, ({ fencing_token, step_id }) => ({
      did: "claim",
      step_id,
      fencing_token
    }))
    if (step === undefined) return yield* pause(lane, 40)
    const { fencing_token, step_id } = step
    const begun = performance.now()
    yield* pause(lane, chance.oneIn(8) ? LONGEST_HOLD_MILLIS : SHORT_HOLD_MILLIS)
    if (chance.oneIn(20)) return
    const names = { step_id, fencing_token }
    if (chance.oneIn(8)) {
      const release = ledger.requeueStep({ ...step.lease, reason: "given back", requested_by: worker })
      yield* answered(lane, release, { command: "requeue", ...names }, () => ({ did: "requeue", ...names }))
      return
    }
    const complete = ledger.completeStep({
      run_id,
      worker_id: worker,
      ...names,
      outcome: chance.oneIn(5) ? "FAILURE" : "SUCCESS",
      receipt_payload: { worker, fencing_token }
    })
    const done = ({ receipt_id }: { readonly receipt_id: string }): Acknowledged => ({
      did: "complete",
      ...names,
      receipt_id
    })
    const late = performance.now() - begun > TTL_SECONDS * 1_000
    const reply = yield* answered(lane, complete, { command: "complete", ...names, late }, done)
    if (reply === undefined || chance.oneIn(6)) {
      yield* answered(lane, complete, { command: reply ? "repeat" : "complete", ...names, late }, done)
    }
  })

/** Takes back what others hold: mostly leases that have ended, sometimes one that stands. */
export const takeBack = (lane: Lane) =>
  Effect.gen(function* () {
    const { chance, ledger, worker } = lane
    yield* pause(lane, 300)
    const run_id = chance.oneIn(3) ? lastRun() : runNow()
    const states = yield* Effect.orDie(ledger.stepStates(run_id, { limit: 10_000 }))
    const now = new Date().toISOString()
    for (const { fencing_token, lease_expires_at, status, step_id } of states) {
      const force = chance.oneIn(30)
      if (status !== "LEASED" || (!force && (lease_expires_at ?? "") > now)) continue
      const requeue = ledger.requeueStep({ run_id, step_id, reason: "taken", requested_by: worker, force })
      yield* answered(lane, requeue, { command: "requeue", step_id, fencing_token }, (reply) => ({
        did: "requeue",
        step_id,
        fencing_token: reply.fencing_token
      }))
    }
  })

/** Appends to one of a few chains that all processes share. */
export const think = (lane: Lane, n: number) =>
  Effect.gen(function* () {
    const { chance, thoughts, worker } = lane
    const command = thoughts.createThoughtRecord({
      id: `${lane.name}.${n}`,
      type: "reflection",
      task_id: `task-${chance.below(TASKS)}`,
      agent_id: worker,
      content: "y".repeat(chance.below(MAX_TEXT))
    })
    yield* answered(lane, command, { command: "thought" }, ({ hash, id }) => ({ did: "thought", id, hash }))
    yield* pause(lane, 80)
  })
