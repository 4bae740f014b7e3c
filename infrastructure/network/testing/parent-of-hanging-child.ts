// A parent whose child hangs: it prints the child's process id once the child has answered, asks it something that it
// never answers, and waits to be killed.
import * as Effect from "effect/Effect"
import { programOf } from "../../testing/programs/program.ts"
import { childCassette } from "../children/child-cassette.ts"

const program = programOf("infrastructure/network/testing/hanging-child.ts")
const cassette = childCassette({
  id: "one",
  file: "one.db",
  shownPath: "one.db",
  program,
  deadlineMillis: 600_000
})
const count = { op: "count", scope: { now: "", agent: null }, terms: [] } as const
const { chunks } = await Effect.runPromise(cassette.askIndex(count))
console.log(chunks)
await Effect.runPromise(cassette.askIndex(count))
