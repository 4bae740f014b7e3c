// A host program that fills a network, asks it, judges it, and takes a cassette to another network as a cartridge. Run it with
// `node examples/embedding-network.ts` after `pnpm build`; everything happens in a new folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { CassetteKeeping, Network } from "cortex-cassette/network"

const folder = mkdtempSync(join(tmpdir(), "cassette-example-"))

/** A root folder with a configuration: one cassette of documents, one of memories. */
const rootFolder = (name: string): string => {
  const root = join(folder, name)
  mkdirSync(join(root, "CORTEX"), { recursive: true })
  writeFileSync(
    join(root, "CORTEX", "network.yaml"),
    `network: { version: "1.0", protocol: SNP }
cassettes:
  - { id: guides, path: guides.db, type: local, mutability: mutable, auto_index: true, sources: ["../guides/**"] }
  - { id: notes, path: notes.db, type: local, mutability: mutable, sources: [] }
`
  )
  return root
}

const home = rootFolder("home")
mkdirSync(join(home, "guides"))
writeFileSync(join(home, "guides", "leases.md"), "# Leases\n\nA worker claims a step under a lease.\n")
writeFileSync(join(home, "guides", "receipts.md"), "# Receipts\n\nA receipt is never changed.\n")

const cartridge = join(folder, "guides-cartridge")

const fill = Effect.gen(function* () {
  const { exportCartridge, index, verify } = yield* CassetteKeeping
  const network = yield* Network
  const { done } = yield* index()
  for (const { added, cassette_id } of done) yield* Console.log(`${cassette_id}: ${added} documents added`)

  const { hits } = yield* network.query("who claims a step?")
  yield* Console.log(`found: ${hits[0]?.path}`)

  const { hash } = yield* network.memorySave("leases end after 30 seconds", "notes")
  yield* network.memoryForget(hash, "notes")

  const findings = (yield* verify()).flatMap((verified) => verified.findings)
  yield* Console.log(`findings: ${findings.length}`)
  const { manifest } = yield* exportCartridge({ cassette: "guides", target: cartridge })
  yield* Console.log(`exported: ${manifest.cassette_id}`)
})

const take = Effect.gen(function* () {
  const { importCartridge, index } = yield* CassetteKeeping
  const { chunks } = yield* importCartridge(cartridge)
  yield* index({ cassettes: ["notes"] })
  yield* Console.log(`imported: ${chunks} chunks`)
  const { hits } = yield* (yield* Network).query("is a receipt ever changed?")
  yield* Console.log(`found there: ${hits[0]?.path}`)
})

const on = (root: string) => Network.layer({ file: join(root, "CORTEX", "network.yaml") })

try {
  await Effect.runPromise(Effect.provide(fill, on(home)))
  await Effect.runPromise(Effect.provide(take, on(rootFolder("elsewhere"))))
} finally {
  rmSync(folder, { recursive: true })
}
