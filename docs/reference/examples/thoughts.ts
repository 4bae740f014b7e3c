// The example of Thoughts in application/ledger/thoughts/thoughts.ts.
import * as Effect from "effect/Effect"
import { Ledger, Thoughts } from "cortex-cassette"

const program = Effect.gen(function* () {
  const thoughts = yield* Thoughts
  const plan = { task_id: "t1", type: "plan", agent_id: "a1", content: "read first, then write" } as const
  const { id } = yield* thoughts.createThoughtRecord(plan)
  return yield* thoughts.getThoughtRecord(id)
})

await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "thoughts.db" })))
