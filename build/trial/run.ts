// `node build/trial/run.ts`: the packed package as users meet it, after a build. Each supported Node imports and requires it,
// bundlers make programs of it, and compilers check its declarations. Each step says whether it went well. `--sizes` measures what
// it costs instead, and writes that to sizes.json.
import { bundlerSteps, prepareBundling } from "./bundlers.ts"
import { compilerSteps, prepareCompiling } from "./compilers.ts"
import { makeHost } from "./host.ts"
import { prepareNodes, tryNode, tryTwoEffects } from "./nodes.ts"
import { tryContents } from "./packed.ts"
import { trySizes, writeSizes } from "./sizes.ts"

type Step = readonly [name: string, attempt: () => Promise<void>]

/** How many steps are under way together. */
const TOGETHER = 2

/** True when the step went well; what went wrong is told whole. */
const isWell = async ([name, attempt]: Step): Promise<boolean> => {
  const start = performance.now()
  const told = (how: string): void => {
    console.log(`${how.padEnd(5)} ${((performance.now() - start) / 1_000).toFixed(1).padStart(6)} s  ${name}`)
  }
  try {
    await attempt()
    told("ok")
    return true
  } catch (error) {
    told("FAILS")
    console.error(error instanceof Error ? error.message : error)
    return false
  }
}

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const host = await makeHost()
  try {
    if (args.includes("--sizes")) {
      await writeSizes(host)
      return 0
    }
    prepareNodes(host)
    prepareBundling(host)
    prepareCompiling(host)
    const steps: ReadonlyArray<Step> = [
      ...compilerSteps(host),
      ...bundlerSteps(host),
      ...Object.entries(host.nodes).map(
        ([name, node]) => [`imported, required and run, ${name}`, () => tryNode(host, node)] as const
      ),
      ["two copies of effect", () => tryTwoEffects(host)],
      ["sizes", () => trySizes(host)],
      ["what is packed", () => tryContents(host)]
    ]
    const waiting = steps.values()
    const outcomes: Array<boolean> = []
    const take = async (): Promise<void> => {
      for (const step of waiting) outcomes.push(await isWell(step))
    }
    await Promise.all(Array.from({ length: TOGETHER }, take))
    const failed = outcomes.filter((each) => !each).length
    console.log(`${outcomes.length - failed} of ${outcomes.length} trials of the package went well`)
    return failed === 0 ? 0 : 1
  } finally {
    host.remove()
  }
}

process.exitCode = await main(process.argv.slice(2))
