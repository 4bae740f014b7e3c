// A process that saves memories: `node memory-child.ts CONFIGURATION AGENT COUNT`. COUNT 0 goes on until it is killed.
// It prints every save after it was acknowledged. Every third text is one that all processes save.
import * as Effect from "effect/Effect"
import { Network } from "../../../interfaces/embedding/network.ts"

const [file = "", agent = "", count = ""] = process.argv.slice(2)
const wanted = Number(count) === 0 ? Number.POSITIVE_INFINITY : Number(count)

const saving = Network.use((network) =>
  Effect.gen(function* () {
    for (let number = 1; number <= wanted; number++) {
      const text = number % 3 === 0 ? `everybody remembers ${number}` : `${agent} remembers ${number}`
      for (const cassette of ["shared", "own"]) {
        const { hash } = yield* network.memorySave(text, cassette, { number })
        process.stdout.write(`${JSON.stringify({ cassette, hash, number })}\n`)
      }
    }
  })
)

await Effect.runPromise(saving.pipe(Effect.provide(Network.layer({ file, agent }))))
