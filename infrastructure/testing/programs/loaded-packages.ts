// Which packages a program of the repository loads: it runs in a process of its own, whose modules are listed at its end.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { PROGRAM_MILLIS } from "./process-end.ts"

const repository = fileURLToPath(new URL("../../../", import.meta.url))

/** Where the list goes: beside what the program itself prints. */
const LIST = 3

/** Lists what each module led to, at the end of the process: who asked, and what was found. */
const LISTING = `
  import { writeSync } from "node:fs"
  import { registerHooks } from "node:module"
  const found = []
  registerHooks({
    resolve: (name, context, next) => {
      const module = next(name, context)
      found.push([context.parentURL ?? "", module.url])
      return module
    }
  })
  process.on("exit", () => writeSync(${LIST}, JSON.stringify(found)))
`

/** Starts Node like this in a folder, and gives what its modules led to; throws what it says on standard error. */
const leadsOf = (
  args: ReadonlyArray<string>,
  cwd: string
): ReadonlyArray<readonly [from: string, to: string]> => {
  const listing = `data:text/javascript,${encodeURIComponent(LISTING)}`
  const { output, stderr } = spawnSync(process.execPath, ["--import", listing, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    timeout: PROGRAM_MILLIS
  })
  if (stderr !== "") throw new Error(stderr)
  return JSON.parse(output[LIST] ?? "") as ReadonlyArray<readonly [string, string]>
}

const packagesAmong = (urls: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort()

/** The packages that Node loads when it is started like this in a folder (default: the repository's). */
export const loadedPackages = (args: ReadonlyArray<string>, cwd = repository): ReadonlyArray<string> =>
  packagesAmong(leadsOf(args, cwd).map(([, to]) => to))

/** The packages that the import of each of these modules leads to. All are imported in one process: what two share is loaded once. */
export const packagesOfEach = (urls: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const imports = urls.map((url) => `import ${JSON.stringify(url)}`).join("\n")
  const leads = Map.groupBy(leadsOf(["--input-type=module", "--eval", imports], repository), ([from]) => from)
  const reachedFrom = (url: string): ReadonlyArray<string> => {
    const reached = new Set([url])
    for (const from of reached) for (const [, to] of leads.get(from) ?? []) reached.add(to)
    return [...reached]
  }
  return new Map(urls.map((url) => [url, packagesAmong(reachedFrom(url))]))
}
