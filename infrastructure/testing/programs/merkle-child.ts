/**
 * A process of its own that asks for one proof from the tree beside a sample log: `file events size`. It waits for a
 * line before it begins, so that several begin together, and prints the root.
 */
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { MerkleLog } from "../../../application/ledger/proofs/merkle-log.ts"
import { hexText } from "../../../domain/canonical/bytes.ts"
import { chainedEvents, merkleOver } from "../merkle-events.ts"

const [file = "", count = "", size = ""] = process.argv.slice(2)
const log = { events: chainedEvents(Number(count), "a"), read: 0 }
const lines = createInterface({ input: process.stdin })
console.log("ready")
lines.once("line", () => {
  lines.close()
  const program = MerkleLog.use((merkle) => merkle.consistency(1, Number(size)))
  void Effect.runPromise(Effect.provide(program, merkleOver(file, log))).then(({ root }) => {
    console.log(hexText(root))
  })
})
