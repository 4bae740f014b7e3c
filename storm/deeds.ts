// What the lanes of a storm's process do: post, work, renew, take back, take over, think. Each answer is written to the process's log
// before the lane goes on; a refusal that the rules foresee is an answer too, and any other failure ends the process.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Lease, LedgerShape, Renewed, ThoughtsShape } from "../interfaces/embedding/index.ts"
import type { Acknowledged, AcknowledgementLog } from "./acknowledgement.ts"
import type { Chance } from "./chance.ts"
import type { Handoffs } from "./handoff.ts"

/** What a lane has at hand. */
export interface Lane {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
  readonly log: AcknowledgementLog
  readonly handoffs: Handoffs
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
const LONGEST_WAIT_MILLIS = 400
const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

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
  acknowledged: (reply: A) => Acknowledged | ReadonlyArray<Acknowledged>
): Effect.Effect<A | undefined> =>
  Effect.matchEffect(command, {
    onSuccess: (reply) =>
      Effect.sync(() => {
        for (const answer of [acknowledged(reply)].flat()) lane.log.write(answer)
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

const claimOf = ({ fencing_token, step_id }: Pick<Lease, "fencing_token" | "step_id">): Acknowledged => ({
  did: "claim",
  step_id,
  fencing_token
})

/** Posts under a key that all processes use at this moment for the same message. */
const postShared = (lane: Lane) =>
  Effect.suspend(() => {
    const slot = slotOf(SHARED_KEY_MILLIS)
    const key = `shared.${slot}`
    const run_id = `run-${Math.floor((slot * SHARED_KEY_MILLIS) / RUN_MILLIS)}`
    const payload = { slot }
    const command = lane.ledger.postMessage({ run_id, source: "WORKER", idempotency_key: key, payload })
    return answered(lane, command, { command: "post" }, ({ message_id }) => ({
      did: "post",
      run_id,
      key,
      message_id
    }))
  })

/** Posts under a key of its own, and says in the payload that the first step is claimed in the same commit. */
const postAndClaim = (lane: Lane, n: number) =>
  Effect.gen(function* () {
    const [run_id, key] = [runNow(), `${lane.name}.${n}`]
    const command = lane.ledger.postMessage({
      run_id,
      source: "WORKER",
      idempotency_key: key,
      payload: { n, claimed: true },
      claim: { worker_id: lane.worker, ttl_seconds: TTL_SECONDS },
      traceparent: TRACE
    })
    const reply = yield* answered(lane, command, { command: "post" }, ({ lease, message_id }) => [
      { did: "post", run_id, key, message_id },
      ...(lease === null ? [] : [claimOf(lease)])
    ])
    if (reply !== undefined && reply.lease !== null) yield* hold(lane, reply.lease)
  })

/** Posts under a key of its own, or under one that all processes use, or with a claim. */
export const post = (lane: Lane, n: number) =>
  Effect.gen(function* () {
    const { chance } = lane
    if (chance.oneIn(3)) yield* postShared(lane)
    else if (chance.oneIn(4)) yield* postAndClaim(lane, n)
    else {
      const [run_id, key] = [runNow(), `${lane.name}.${n}`]
      const payload = {
        n,
        text: "x".repeat(chance.below(MAX_TEXT)),
        steps: chance.oneIn(2) ? [{ n }, {}] : [{}]
      }
      const command = lane.ledger.postMessage({ run_id, source: "WORKER", idempotency_key: key, payload })
      yield* answered(lane, command, { command: "post" }, ({ message_id }) => ({
        did: "post",
        run_id,
        key,
        message_id
      }))
    }
    yield* pause(lane, 60)
  })

/** Posts several messages and claims a step in one batch; what it posts says how many messages there must be. */
export const batch = (lane: Lane, n: number) =>
  Effect.gen(function* () {
    const { chance, ledger, worker } = lane
    const run_id = runNow()
    const of = chance.between(2, 4)
    const posts = Array.from({ length: of }, (_, index) => ({
      _tag: "PostMessage" as const,
      run_id,
      source: "WORKER" as const,
      idempotency_key: `${lane.name}.${n}.${index}`,
      payload: { batch: `${lane.name}.${n}`, of }
    }))
    const claim = { _tag: "ClaimStep" as const, run_id, worker_id: worker, ttl_seconds: TTL_SECONDS }
    const results = yield* answered(
      lane,
      ledger.commands([claim, ...posts]),
      { command: "batch" },
      ([claimed, ...posted]) => [
        Result.match(claimed, {
          onFailure: ({ _tag }): Acknowledged => ({ did: "refused", command: "claim", tag: _tag }),
          onSuccess: claimOf
        }),
        ...posted.map((result, index): Acknowledged => ({
          did: "post",
          run_id,
          key: posts[index]?.idempotency_key ?? "",
          message_id: Result.getOrThrow(result).message_id
        }))
      ]
    )
    const claimed = results?.[0]
    if (claimed !== undefined && Result.isSuccess(claimed)) yield* hold(lane, claimed.success.lease)
    yield* pause(lane, 200)
  })

const complete = (lane: Lane, lease: Lease, begun: number) => {
  const { fencing_token, step_id, worker_id } = lease
  const holder = worker_id === lane.worker ? {} : { holder: worker_id }
  const names = { step_id, fencing_token, ...holder }
  const command = lane.ledger.completeStep({
    ...lease,
    outcome: lane.chance.oneIn(5) ? "FAILURE" : "SUCCESS",
    receipt_payload: { worker: worker_id, fencing_token },
    traceparent: TRACE
  })
  return (repeat: boolean) => {
    const late = performance.now() - begun > TTL_SECONDS * 1_000
    const refused = { command: repeat ? ("repeat" as const) : ("complete" as const), ...names, late }
    return answered(lane, command, refused, ({ receipt_id }) => ({ did: "complete", ...names, receipt_id }))
  }
}

const renew = (lane: Lane, lease: Lease): Effect.Effect<Renewed | undefined> => {
  const { fencing_token: previous_token, step_id, worker_id } = lease
  const holder = worker_id === lane.worker ? {} : { holder: worker_id }
  const command = lane.ledger.renewLease({ ...lease, ttl_seconds: TTL_SECONDS })
  const refused = { command: "renew" as const, step_id, fencing_token: previous_token, ...holder }
  return answered(lane, command, refused, ({ fencing_token }) => ({
    did: "renew",
    step_id,
    fencing_token,
    previous_token,
    ...holder
  }))
}

const aWhile = (lane: Lane) => pause(lane, lane.chance.oneIn(8) ? LONGEST_HOLD_MILLIS : SHORT_HOLD_MILLIS)

/** Holds a lease for a while that is sometimes longer than it lasts, renews it or not, and ends it in one of several ways. */
const hold = (lane: Lane, first: Lease) =>
  Effect.gen(function* () {
    const { chance, ledger, worker } = lane
    let [lease, begun] = [first, performance.now()]
    yield* aWhile(lane)
    if (chance.oneIn(20)) return
    if (chance.oneIn(8)) {
      // A twin may renew it from now on; this one never hears of that.
      lane.handoffs.offer(lease)
      yield* pause(lane, LONGEST_HOLD_MILLIS)
    }
    while (chance.oneIn(3)) {
      const old = complete(lane, lease, begun)
      const renewed = yield* renew(lane, lease)
      // As a part of the program that was not told would do.
      if (chance.oneIn(3) && (yield* old(false)) !== undefined) return
      if (renewed === undefined) break
      ;[lease, begun] = [renewed.lease, performance.now()]
      yield* aWhile(lane)
    }
    if (chance.oneIn(8)) {
      const { fencing_token, step_id } = lease
      const names = { step_id, fencing_token }
      const release = ledger.requeueStep({ ...lease, reason: "given back", requested_by: worker })
      yield* answered(lane, release, { command: "requeue", ...names }, () => ({ did: "requeue", ...names }))
      return
    }
    const last = complete(lane, lease, begun)
    const reply = yield* last(false)
    if (reply === undefined || chance.oneIn(6)) yield* last(reply !== undefined)
  })

/** Takes a lease that another process has offered, renews it under that one's name and finishes the step. */
export const takeOver = (lane: Lane) =>
  Effect.gen(function* () {
    yield* pause(lane, 200)
    const taken = lane.handoffs.take()
    const renewed = taken && (yield* renew(lane, taken))
    if (renewed === undefined) return
    const begun = performance.now()
    yield* aWhile(lane)
    yield* complete(lane, renewed.lease, begun)(false)
  })

/** A claim of one run, also one that waits, or of any run. */
const claimed = ({ chance, ledger, worker }: Lane) => {
  const wanted = { worker_id: worker, ttl_seconds: TTL_SECONDS, traceparent: TRACE }
  const wait = chance.oneIn(3) ? { wait: chance.below(LONGEST_WAIT_MILLIS) } : {}
  return chance.oneIn(5)
    ? ledger.claimAny({ ...wanted, ...wait, prefix: "run-", after_run: lastRun() })
    : ledger.claimStep({ ...wanted, ...wait, run_id: chance.oneIn(4) ? lastRun() : runNow() })
}

/** Claims a step and holds it. */
export const work = (lane: Lane) =>
  Effect.gen(function* () {
    const step = yield* answered(lane, claimed(lane), { command: "claim" }, claimOf)
    yield* step === undefined ? pause(lane, 40) : hold(lane, step.lease)
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
