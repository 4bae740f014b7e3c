// A host program with a network of stores of its own: two shelves are registered, asked together and ranked as one; a third
// one is broken, and costs the answer nothing but its own part. Run it with `node examples/network.ts` after `pnpm build`.
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { Network } from "cortex-cassette/network"
import { makeShelf } from "./shelf.ts"

const program = Effect.gen(function* () {
  const network = yield* Network
  yield* network.register(
    makeShelf("kitchen", {
      "bread.txt": "flour, water, salt and a night of patience",
      "soup.txt": "water, carrots, and what is there"
    })
  )
  yield* network.register(makeShelf("garden", { "carrots.txt": "sow carrots in March, water them in May" }))
  yield* network.register({ ...makeShelf("attic", {}), query: () => Effect.die("dust") })
  const { answers, hits, partial } = yield* network.query("carrots water")
  for (const { path, source } of hits) yield* Console.log(`${source}: ${path}`)
  yield* Console.log(`attic: ${answers["attic"]?.status}, partial: ${partial}`)
})

Effect.runPromise(Effect.provide(program, Network.layerEmpty))
