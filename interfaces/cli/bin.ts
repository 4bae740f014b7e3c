#!/usr/bin/env node
// The `cortex` binary. It judges Node's version before anything else is loaded, then loads the program. It must
// never import the program statically, nor show a stack where none was asked for.
import { nodeVersionFault } from "./node-version.ts"

const versionFault = nodeVersionFault(process.versions.node)
if (versionFault === undefined) {
  try {
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
