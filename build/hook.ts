// Bundles `cortex hook` as one small file of its own beside the command: it is started for each call of an agent, and what it shares
// with other commands in large files would take longer to load than it runs.
import { type Plugin, rolldown } from "rolldown"
import { packagesOf } from "./licences.ts"

const ENTRY = "./hook/hook-process.ts"
const FILE = "hook.js"

const bundle = async (): Promise<string> => {
  const build = await rolldown({
    input: `interfaces/cli/${ENTRY}`,
    platform: "node",
    external: [/^node:/, "better-sqlite3"]
  })
  try {
    const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false })
    const [chunk] = output
    if (output.length !== 1) throw new Error("the hook must be one file")
    // Its licence stands beside the command's bundle, which holds it too.
    const foreign = [...packagesOf(chunk.moduleIds)].filter((name) => name !== "effect")
    if (foreign.length > 0) throw new Error(`the hook may hold no package but effect: ${foreign.join(", ")}`)
    return chunk.code
  } finally {
    await build.close()
  }
}

/** Leads the command to the hook's own file, and puts that beside it. */
export const ownHook: Plugin = {
  name: "own-hook",
  resolveId: (id) => (id === ENTRY ? { id: `./${FILE}`, external: true } : undefined),
  async generateBundle() {
    this.emitFile({ type: "asset", fileName: FILE, source: await bundle() })
  }
}
