#!/usr/bin/env node
// The `cortex` binary. It judges Node's version before anything else is loaded, then loads the program. It must
// never import the program statically, nor show a stack where none was asked for.
// Older Nodes export fewer names, and an import by name would end before the version is judged.
import module from "node:module"
import { join } from "node:path"
import { nodeVersionFault } from "./node-version.ts"

/** What is started for each call of an agent keeps what Node has compiled beside the bundle, where that may be written. */
const keepCompiled = (): void => {
  const isBundle = import.meta.filename.endsWith(".js")
  if (isBundle && process.argv[2] === "hook" && module.getCompileCacheDir() === undefined) {
    module.enableCompileCache(join(import.meta.dirname, "compiled"))
  }
}

const versionFault = nodeVersionFault(process.versions.node)
if (versionFault === undefined) {
  try {
    keepCompiled()
    const { runProcess } = await import("./process-host.ts")
    await runProcess()
  } catch (defect) {
    const shown = process.env["CORTEX_DEBUG"] ? defect : String((defect as Error).message ?? defect)
    console.error("cortex could not be started: install its packages again, or report this:", shown)
    process.exitCode = 3
  }
} else {
  console.error(versionFault)
  process.exitCode = 2
}
