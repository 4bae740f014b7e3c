// A host program with a ledger inside: it posts a message, lets two fibers compete for its steps, finishes them
// and reads back what happened. Run it with `node examples/embedding.ts` after `pnpm build`.
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger } from "cortex-cassette"

const workOnce = Effect.fn("workOnce")(function* (worker_id: string) {
  const ledger = yield* Ledger
  const step = yield* ledger.claimStep({ run_id: "greeting", worker_id })
  const receipt_payload = { said: `Hello, ${String(step.payload["name"])}!` }
  const { fencing_token, step_id } = step
  yield* ledger.completeStep({
    run_id: "greeting",
    step_id,
    worker_id,
    fencing_token,
    receipt_payload,
    outcome: "SUCCESS"
  })
})

/** Works until no step waits; when the program runs again, what it had finished is done already. */
const worker = (worker_id: string) =>
  workOnce(worker_id).pipe(
    Effect.forever,
    Effect.catchTag("NoPendingStep", () => Effect.void)
  )

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const payload = { intent: "greet", steps: [{ name: "Ada" }, { name: "Grace" }] }
  yield* ledger.postMessage({ run_id: "greeting", source: "USER", payload, idempotency_key: "monday" })
  yield* Effect.all([worker("left"), worker("right")], { concurrency: 2 })
  yield* ledger
    .events({ live: false })
    .pipe(
      Stream.runForEach((event) => Console.log(`${event.position} ${event.type} ${event.hash.slice(0, 8)}`))
    )
  const report = yield* ledger.verifyCassette()
  yield* Console.log(report.verdict)
})

Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: process.argv[2] ?? ":memory:" })))
