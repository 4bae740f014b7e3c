// Which packages a program of the repository loads: it runs in a process of its own, whose modules are listed at its end.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { PROGRAM_MILLIS } from "./process-end.ts"

const repository = fileURLToPath(new URL("../../", import.meta.url))

/** Where the list goes: beside what the program itself prints. */
const LIST = 3

/** Lists the places of all modules that a process loaded, at its end. */
const LISTING = `
  import { writeSync } from "node:fs"
  import { registerHooks } from "node:module"
  const seen = []
  registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
  process.on("exit", () => writeSync(${LIST}, JSON.stringify(seen)))
`

/** The packages that Node loads when it is started like this in a folder (default: the repository's); throws what it says on standard error. */
export const loadedPackages = (args: ReadonlyArray<string>, cwd = repository): ReadonlyArray<string> => {
  const listing = `data:text/javascript,${encodeURIComponent(LISTING)}`
  const { output, stderr } = spawnSync(process.execPath, ["--import", listing, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    timeout: PROGRAM_MILLIS
  })
  if (stderr !== "") throw new Error(stderr)
  const urls = JSON.parse(output[LIST] ?? "") as ReadonlyArray<string>
  return [
    ...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
  ].sort()
}
