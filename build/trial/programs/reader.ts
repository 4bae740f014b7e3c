// A host program that fills a cassette and then asks it from another network, whose file names it as one from outside: a process of
// its own reads it. It prints PASS.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { CassetteKeeping, Network } from "cortex-cassette/network"

const folder = mkdtempSync(join(tmpdir(), "cassette-reader-"))
const file = join(folder, "network.yaml")

const describe = (cassette: string): void =>
  writeFileSync(
    file,
    `network: { version: "1.0", protocol: SNP }\ncassettes:\n  - { id: guides, path: guides.db, ${cassette} }\n`
  )

const fill = Effect.flatMap(CassetteKeeping, ({ index }) => index())

const ask = Effect.gen(function* () {
  const { answers, hits } = yield* (yield* Network).query("is a receipt ever changed?")
  const isFound = hits[0]?.path === "guides/receipts.md"
  yield* Console.log(isFound ? "PASS" : JSON.stringify({ answers, hits }))
})

const layer = Effect.sync(() => Network.layer({ file }))
const on = <A, E>(effect: Effect.Effect<A, E, CassetteKeeping | Network>) =>
  Effect.flatMap(layer, (network) => Effect.provide(effect, network))

try {
  mkdirSync(join(folder, "guides"))
  writeFileSync(join(folder, "guides", "receipts.md"), "# Receipts\n\nA receipt is never changed.\n")
  describe('type: local, mutability: mutable, auto_index: true, sources: ["guides/**"]')
  await Effect.runPromise(on(fill))
  describe("type: external")
  await Effect.runPromise(on(ask))
} finally {
  rmSync(folder, { recursive: true })
}
