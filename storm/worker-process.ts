// A worker as a program has it, in ten lines: `node worker-process.ts <file> <log> <name>`. It works the storm's steps until
// SIGTERM or the end of standard input, which also comes when the parent dies. It may be killed or stopped at any moment. Started
// by the storm, never by hand.
import { appendFileSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Ledger, Worker } from "../interfaces/embedding/index.ts"
import { HELD_LONG, holdOf, LEASE_SECONDS, RUN } from "./worker-steps.ts"

const [filename = "", log = "", worker_id = ""] = process.argv.slice(2)

/** Writes a line of what the worker does or is told, before anything follows. */
const note = (...words: ReadonlyArray<string | number>) =>
  Effect.sync(() => appendFileSync(log, `${words.join(" ")}\n`))

const worker = Worker.run(
  {
    worker_id,
    run_id: RUN,
    concurrency: 2,
    ttl_seconds: LEASE_SECONDS,
    reap: true,
    onStep: ({ _tag, step }) => note(_tag, step.step_id, step.fencing_token)
  },
  (step, lease) =>
    Effect.gen(function* () {
      yield* note("Begun", step.step_id, step.fencing_token)
      const hold = holdOf(step.payload)
      yield* Effect.sleep(hold)
      return { by: worker_id, token: (yield* lease).fencing_token, long: hold === HELD_LONG }
    })
)

const program = Effect.andThen(
  Effect.sync(() => process.stdout.write("open\n")),
  worker
)
// The signal is listened for before the first word is said: the parent may answer at once.
const stopped = Promise.withResolvers<void>()
process.once("SIGTERM", stopped.resolve)
process.stdin.once("end", stopped.resolve).resume()
process.stdout.on("error", () => {})
const fiber = Effect.runFork(
  Effect.provide(program, Ledger.layer({ filename, durability: "normal", busyDeadline: "1 minute" }))
)
void stopped.promise.then(() => Effect.runPromise(Fiber.interrupt(fiber)))
const exit = await Effect.runPromise(Fiber.await(fiber))
process.stdin.destroy()
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
