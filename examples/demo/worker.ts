// One worker process of the demo: claims a step, counts the file that it names, commits the receipt, until no
// step waits. It says on standard output what it claimed, so that the demo can kill it in the middle of its work.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Ledger } from "../../interfaces/embedding/ledger.ts"
import { textStatistics } from "./text-statistics.ts"

const [filename = "", folder = "", run_id = "", worker_id = "", ttl = "2"] = process.argv.slice(2)

/** How long a worker holds each step, so that a person can see the competition. */
const PACE = "30 millis"

const work = Effect.gen(function* () {
  const ledger = yield* Ledger
  while (true) {
    const step = yield* ledger.claimStep({ run_id, worker_id, ttl_seconds: Number(ttl) })
    process.stdout.write(`${step.step_id}\n`)
    yield* Effect.sleep(PACE)
    const path = String(step.payload["path"])
    const counts = textStatistics(join(folder, path))
    yield* ledger.completeStep({
      run_id,
      step_id: step.step_id,
      worker_id,
      fencing_token: step.fencing_token,
      receipt_payload: counts === undefined ? { path, problem: "no text any more" } : { path, ...counts },
      outcome: counts === undefined ? "FAILURE" : "SUCCESS"
    })
  }
}).pipe(Effect.catchTag("NoPendingStep", () => Effect.void))

await Effect.runPromise(Effect.provide(work, Ledger.layer({ filename })))
