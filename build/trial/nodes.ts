// The package with each Node that is supported: every entry point is imported and required, and programs run.
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endsWith, entries, FOR_LANGGRAPH, FOR_WORKERS, type Host, PROGRAMS, run, WAITING } from "./host.ts"

const loaded = entries.filter((name) => ![FOR_LANGGRAPH, FOR_WORKERS, ...PROGRAMS].includes(name))

/** Requires each entry point, and compares it with what is imported: they must be the same objects. */
const REQUIRING = `
const names = ${JSON.stringify(loaded.filter((name) => name !== WAITING))}
const main = async () => {
  for (const name of names) {
    const required = require(name)
    const imported = await import(name)
    const differing = Object.keys(imported).filter((key) => required[key] !== imported[key])
    if (Object.keys(imported).length === 0 || differing.length > 0) throw new Error(name + ": " + differing)
  }
  await import(${JSON.stringify(WAITING)})
  const missing = await import(${JSON.stringify(FOR_LANGGRAPH)}).catch((error) => error)
  if (!String(missing.message).includes("'@langchain/langgraph-checkpoint'")) throw missing
  const { openLedger } = require("cortex-cassette/promise")
  const ledger = await openLedger({ filename: ":memory:" })
  await ledger.postMessage({ run_id: "r", source: "USER", payload: { intent: "greet" } })
  console.log((await ledger.verifyCassette()).verdict)
  await ledger.close()
}
void main()
`

/** What each Node runs in the folder of the host. */
export const tryNode = async (host: Host, node: string): Promise<void> => {
  const { folder } = host
  await endsWith("PASS", folder, node, "requiring.cjs")
  await endsWith("PASS", folder, node, "embedding.ts")
  await endsWith("found there: guides/receipts.md", folder, node, "embedding-network.ts")
  const cortex = join(folder, "node_modules/cortex-cassette/dist/bin/cortex/bin.js")
  await run(folder, node, cortex, "mcp", "--check")
}

export const prepareNodes = ({ folder }: Host): void => {
  writeFileSync(join(folder, "requiring.cjs"), REQUIRING)
  const examples = join(folder, "node_modules/cortex-cassette/examples")
  for (const name of ["embedding.ts", "embedding-network.ts"])
    cpSync(join(examples, name), join(folder, name))
}

/** A host with two copies of `effect`, as package managers make them where two versions are asked for: both meet by names. */
export const tryTwoEffects = async (host: Host): Promise<void> => {
  const folder = host.newFolder("two-effects")
  cpSync(host.folder, folder, { recursive: true })
  const second = join(folder, "node_modules/cortex-cassette/node_modules/effect")
  cpSync(join(folder, "node_modules/effect"), second, { recursive: true })
  await endsWith("PASS", folder, process.execPath, "embedding.ts")
}
