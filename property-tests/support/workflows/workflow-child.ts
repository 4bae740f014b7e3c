// A process that runs workflows and may be killed at any moment: `node workflow-child.ts <file> <log> <name> <plan>`. Every process
// on the file executes the same trips, and notes in one log what begins, what is acknowledged and what the callers are told; a
// line is written before what follows it. The plan may say after which write to the ledger the process kills itself, before it
// knows that the write was done. It ends when all trips have ended, or with its standard input.
import { appendFileSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Activity, DurableClock, DurableDeferred, Workflow } from "effect/workflow"
import { Ledger as LedgerService, type LedgerShape } from "../../../application/ledger/ledger.ts"
import { Ledger } from "../../../interfaces/embedding/ledger.ts"
import { CassetteWorkflowEngine } from "../../../interfaces/workflow/index.ts"
import { isFailing, STEPS, tripIds, type TripPlan, TRIP_TAG } from "./workflow-trips.ts"

const [filename = "", log = "", name = "", planText = "{}"] = process.argv.slice(2)
const plan = JSON.parse(planText) as TripPlan

const note = (...words: ReadonlyArray<string>) =>
  Effect.sync(() => appendFileSync(log, `${JSON.stringify([name, ...words])}\n`))

/** A value that no other body has. */
const newValue = (at: string) => Effect.sync(() => `${at} ${name} ${process.hrtime.bigint()}`)

const Trip = Workflow.make(TRIP_TAG, {
  payload: { id: Schema.String },
  success: Schema.String,
  error: Schema.String,
  idempotencyKey: ({ id }) => id
})

const approval = DurableDeferred.make("approval", { success: Schema.String })

/** A step of a trip: its body is noted when it begins, its value when the engine gives it. */
const step = (id: string, at: string) =>
  Effect.gen(function* () {
    const activity = Activity.make({
      name: at,
      success: Schema.String,
      execute: Effect.gen(function* () {
        yield* note("begin", id, at)
        if (plan.stepMillis > 0) yield* Effect.sleep(plan.stepMillis)
        return yield* newValue(at)
      })
    })
    const value = yield* activity
    yield* note("has", id, at, value)
    return value
  })

/** A trip: steps, a sleep and an approval in between; every third one fails at the end, and its first step is undone. */
const body = ({ id }: { readonly id: string }) =>
  Effect.gen(function* () {
    const [first, second, third, fourth, fifth] = STEPS
    const values = [yield* Workflow.withCompensation(step(id, first), () => Effect.asVoid(step(id, "undo")))]
    values.push(yield* step(id, second))
    yield* DurableClock.sleep({ name: "night", duration: plan.sleepMillis, inMemoryThreshold: 0 })
    values.push(yield* step(id, third))
    values.push(yield* DurableDeferred.await(approval))
    values.push(...(yield* Effect.all([step(id, fourth), step(id, fifth)], { concurrency: "unbounded" })))
    const end = values.join()
    return isFailing(id) ? yield* Effect.fail(end) : end
  })

/** Approves a trip, some time after the beginning. */
const approve = (id: string) =>
  Effect.gen(function* () {
    yield* Effect.sleep((Number(id) * 37) % 300)
    const token = yield* DurableDeferred.tokenFromPayload(approval, { workflow: Trip, payload: { id } })
    yield* DurableDeferred.succeed(approval, { token, value: yield* newValue("approval") })
  })

const travel = (id: string) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Trip.execute({ id }))
    const told = Exit.isSuccess(exit)
      ? ["success", exit.value]
      : ["failure", String(Cause.squash(exit.cause))]
    yield* note("told", id, ...told)
  })

/** Functions of a ledger that write. */
const WRITES = [
  "claimAny",
  "claimStep",
  "commands",
  "completeStep",
  "postMessage",
  "renewLease",
  "requeueStep"
]

/** A ledger after whose n-th write the process is no more: no one here has its answer. */
const dyingAfter = (ledger: LedgerShape, writes: number): LedgerShape => {
  let left = writes
  const die = Effect.sync(() => {
    left -= 1
    if (left === 0) process.kill(process.pid, "SIGKILL")
  })
  const wrapped = WRITES.map((write) => {
    const original = ledger[write as keyof LedgerShape] as (
      ...args: ReadonlyArray<unknown>
    ) => Effect.Effect<unknown>
    return [write, (...args: ReadonlyArray<unknown>) => Effect.tap(original(...args), die)]
  })
  return { ...ledger, ...Object.fromEntries(wrapped) }
}

const ledgerLayer = Layer.effect(
  LedgerService,
  Effect.map(LedgerService, (ledger) => (plan.dieAfter > 0 ? dyingAfter(ledger, plan.dieAfter) : ledger))
).pipe(Layer.provide(Ledger.layer({ filename, durability: "normal", busyDeadline: "1 minute" })))

/** Waits until nothing is left to be done: wakes that came too late, leases of processes that died. */
const rest = Effect.gen(function* () {
  const ledger = yield* LedgerService
  while ((yield* ledger.waiting()).length > 0 || (yield* ledger.leases({})).length > 0)
    yield* Effect.sleep(20)
})

const program = Effect.gen(function* () {
  process.stdout.write("open\n")
  const ids = tripIds(plan.trips)
  yield* Effect.all([...ids.map(travel), ...ids.map(approve)], { concurrency: "unbounded" })
  yield* note("done")
  yield* rest
}).pipe(
  Effect.provide(Trip.toLayer(body)),
  Effect.provide(CassetteWorkflowEngine.layerFrom({ name, ttl_seconds: plan.leaseSeconds })),
  Effect.provide(ledgerLayer)
)

process.stdout.on("error", () => {})
const fiber = Effect.runFork(program)
process.stdin.once("end", () => Effect.runFork(Fiber.interrupt(fiber))).resume()
const exit = await Effect.runPromise(Fiber.await(fiber))
process.stdin.destroy()
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
