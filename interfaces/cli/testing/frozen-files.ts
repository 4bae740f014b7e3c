// Makes one of each file of the formats that are frozen: a ledger with every kind of event, a corpus, cassettes with documents,
// vectors, versions and memories, a bundle, a cartridge and a checkpoint. They are made once for each version of a format; from
// then on the test beside the command line opens them with every later program.
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Document, runJson } from "./in-process.ts"

const guide = "# Guide\n\nRead this first.\n\n## Install\n\nRun it twice: ünïcode 漢字.\n"
const source = "def add(a, b):\n    return a + b\n"

const configuration = `network:
  version: "1.0"
  protocol: "SNP"
cassettes:
  - id: documents
    path: cassettes/documents.db
    type: local
    auto_index: true
    mutability: mutable
    sources: ["../docs/**"]
    capabilities: [vectors, fts]
  - id: versions
    path: cassettes/versions.db
    type: local
    auto_index: true
    mutability: append-only
    sources: ["../docs/**"]
    capabilities: [fts]
  - id: resident
    path: cassettes/resident.db
    type: local
    auto_index: false
    mutability: read-write
    capabilities: [vectors, fts, agent_id]
indexing:
  model: counted-letters
  dimensions: 4
  embedder: command
  command: [node, embedder.mjs]
`

/** An embedder that any Node runs: it counts a few letters. */
const embedder = `import { createInterface } from "node:readline"
const vectorOf = (text) => [1, ..."aei"].map((letter) => (letter === 1 ? 1 : text.split(letter).length - 1))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, texts } = JSON.parse(line)
  console.log(JSON.stringify({ id, vectors: texts.map(vectorOf) }))
}
`

type Lease = { readonly step_id: string; readonly fencing_token: number }

/** Runs commands in a root; a command that is refused is a fault of this maker. */
const commandsIn =
  (root: string) =>
  async (args: ReadonlyArray<string>, stdin?: object): Promise<NonNullable<Document["data"]>> => {
    const options = stdin === undefined ? { cwd: root } : { cwd: root, stdin: JSON.stringify(stdin) }
    const { document } = await runJson(args, options)
    if (!document.ok) throw new Error(`cortex ${args.join(" ")}: ${JSON.stringify(document.error)}`)
    return document.data ?? {}
  }

const trace = ["--traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]

/** Every event that there is: messages of all shapes, claims, renewals, requeues, completions, thoughts. */
const fillLedger = async (run: ReturnType<typeof commandsIn>) => {
  const post = (message: object, ...more: ReadonlyArray<string>) =>
    run(["cassette", "post", "--json", "-", "--run-id", "work", "--source", "USER", ...more], message)
  const claim = async (...more: ReadonlyArray<string>) =>
    (await run(["cassette", "claim", "--run-id", "work", "--worker", "w1", ...more])) as unknown as Lease
  const of = ({ fencing_token, step_id }: Lease) =>
    ["--run-id", "work", "--step", step_id, "--worker", "w1", "--token", String(fencing_token)] as const
  const complete = (lease: Lease, outcome: string, ...more: ReadonlyArray<string>) =>
    run(["cassette", "complete", ...of(lease), "--receipt", "-", "--outcome", outcome, ...more], { ok: "ü" })
  await post({ intent: "greet", name: "Ada" }, ...trace)
  await post({ intent: "keyed" }, "--idempotency-key", "monday")
  await post({ intent: "several", steps: [{ n: 1 }, { n: 2 }, { n: 3 }] })
  await complete(await claim(...trace), "SUCCESS", ...trace)
  const renewed = (await run(["cassette", "renew", ...of(await claim())])) as unknown as Lease
  await complete(renewed, "FAILURE")
  await run(["cassette", "requeue", ...of(await claim()), "--reason", "given back"])
  await complete(await claim(), "ABORTED")
  await claim()
  for (const type of ["plan", "analysis", "decision", "reflection"]) {
    await run([
      "thought",
      "record",
      "--task",
      "t1",
      "--type",
      type,
      "--agent",
      "a1",
      "--content",
      `a ${type}`
    ])
  }
}

/** Makes the files in a folder that is there and empty, as a root has them; `scratch` is for everything between. */
export const makeFrozenFiles = async (folder: string, scratch: string): Promise<void> => {
  const root = join(scratch, "root")
  mkdirSync(join(root, "docs"), { recursive: true })
  mkdirSync(join(root, "CORTEX"))
  writeFileSync(join(root, "docs", "guide.md"), guide)
  writeFileSync(join(root, "docs", "add.py"), source)
  writeFileSync(join(root, "CORTEX", "network.yaml"), configuration)
  writeFileSync(join(root, "CORTEX", "embedder.mjs"), embedder)
  const run = commandsIn(root)
  await fillLedger(run)
  await run(["index"])
  await run(["symbol", "add", "@DOCS/guide", "docs/guide.md"])
  const inputs = { symbols: [{ symbol_id: "@DOCS/guide", slice: "lines[0:3]" }] }
  const request = { run_id: "reading", request_id: "q1", intent: "learn", inputs }
  await run(["run", "--request", "-", "--out", "bundle"], request)
  await run(["bundle", "pack", "bundle", "bundle.tar"])
  await run(["network", "index"])
  writeFileSync(join(root, "docs", "guide.md"), `${guide}\n## Later\n\nA second version.\n`)
  await run(["network", "index"])
  await run(["memory", "save", "--cassette", "resident", "--agent", "a1", "The hub needs no server"])
  await run(["network", "export", "documents", "--tar", "--out", "cartridge.tar"])
  await run(["key", "generate", "--out", "key.pem"])
  const { ledger_id } = await run(["cassette", "status"])
  await run(["cassette", "checkpoint", "--key", "key.pem", "--out", "checkpoint.txt"])
  const trust = await run(["key", "trust", "--public-key", "key.pem.pub", "--ledger", String(ledger_id)])
  writeFileSync(join(folder, "trust.json"), `${JSON.stringify(trust)}\n`)
  for (const file of [
    "CORTEX/_generated/system3.db",
    "CORTEX/_generated/system1.db",
    "CORTEX/network.yaml",
    "CORTEX/embedder.mjs",
    "CORTEX/cassettes",
    "docs",
    "bundle.tar",
    "cartridge.tar",
    "checkpoint.txt"
  ]) {
    cpSync(join(root, file), join(folder, file), { recursive: true })
  }
}
