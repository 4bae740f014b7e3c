// The example of Network in interfaces/embedding/network.ts.
import { mkdirSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { CassetteKeeping, Network } from "cortex-cassette/network"

const program = Effect.gen(function* () {
  const keeping = yield* CassetteKeeping
  const network = yield* Network
  yield* keeping.index()
  const { hits } = yield* network.query("who claims a step?", 5)
  return hits
})

mkdirSync("guides")
writeFileSync("guides/leases.md", "# Leases\n\nA worker claims a step under a lease.\n")
const cassette = '{ id: guides, path: guides.db, type: local, mutability: mutable, sources: ["guides/**"] }'
writeFileSync("network.yaml", `network: { version: "1.0", protocol: SNP }\ncassettes:\n  - ${cassette}\n`)
await Effect.runPromise(Effect.provide(program, Network.layer({ file: resolve("network.yaml") })))
