// A program that uses one layer once, says so, and never disposes of its runtime: `node one-use.js LAYER PLACE`.
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Corpus, Ledger } from "../index.ts"
import { Network } from "../network.ts"

const [layer = "", place = ""] = process.argv.slice(2)

const post = Ledger.use((ledger) => ledger.postMessage({ run_id: "r", source: "USER", payload: {} }))
const query = Network.use((network) => network.query("hub"))

const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  ledger: () => ManagedRuntime.make(Ledger.layer({ filename: place })).runPromise(post),
  corpus: () =>
    ManagedRuntime.make(Corpus.layer({ root: place })).runPromise(Corpus.use((corpus) => corpus.index())),
  lines: () =>
    ManagedRuntime.make(Corpus.layer({ root: place, cache: "jsonl" })).runPromise(
      Corpus.use((corpus) => corpus.cacheStats)
    ),
  network: () => ManagedRuntime.make(Network.layer({ file: place, watch: true })).runPromise(query)
}

const use = uses[layer]
if (use === undefined) throw new Error(`no layer ${layer}`)
await use()
console.log("done")
