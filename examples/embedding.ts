// A host program with a ledger inside: it posts a message, lets two workers compete for its steps, and reads back what
// happened. Run it with `node examples/embedding.ts` after `pnpm build`.
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger, Worker } from "cortex-cassette"

/** Works until no step waits; when the program runs again, what it had finished is done already. */
const worker = (worker_id: string) =>
  Worker.run({ worker_id, run_id: "greeting", untilEmpty: true }, (step) =>
    Effect.succeed({ said: `Hello, ${String(step.payload["name"])}!` })
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
