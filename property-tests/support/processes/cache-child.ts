// A process that stores expansions until it is killed: `node cache-child.ts SUBSTRATE FOLDER NAME SIZE`. It prints the
// slice of each one after it was stored; the payload follows from the slice.
import * as Effect from "effect/Effect"
import { type CacheSubstrate, ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import { cacheLayer, sample } from "../../../infrastructure/corpus/testing/expansion-caches.ts"

const [substrate = "", folder = "", run_id = "", size = ""] = process.argv.slice(2)

const endless = ExpansionCache.use((cache) =>
  Effect.gen(function* () {
    for (let number = 1; ; number++) {
      const slice = `head(${number})`
      yield* cache.store(sample({ run_id, slice }, slice.repeat(Number(size))))
      process.stdout.write(`${JSON.stringify(slice)}\n`)
    }
  })
)

await Effect.runPromise(endless.pipe(Effect.provide(cacheLayer(substrate as CacheSubstrate, folder))))
