// `pnpm guarantees`: runs every command of the table in README.md beside this file, one after the other, and tells which of them
// ended well. `--quick` takes few cases for each; it never leaves a command out. `--storms` leaves out the properties, for those who have
// just run all of them (`pnpm prop`). The programs that they start are bundled before.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { bundlePrograms } from "../../interfaces/cli/testing/built-programs.ts"
import { guaranteesIn, isProperty, quicker } from "./table.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

/** Few cases, instead of the count that a command names. */
const QUICK = { PROP_RUNS: "3" }

/** `pnpm` in a command, also where it is not installed: the script of that name, by the Node that runs this. */
const PNPM = 'pnpm() { script=$1; shift; node --run "$script" -- "$@"; }\n'
const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)

/** True when the command ended well; what it printed is shown only when it did not. */
const holds = (command: string, quick: boolean): boolean => {
  const { error, status, stderr, stdout } = spawnSync(
    "sh",
    ["-c", PNPM + (quick ? quicker(command) : command)],
    {
      cwd: repository,
      encoding: "utf8",
      maxBuffer: 256 * 1_048_576,
      env: { ...process.env, PATH, NO_COLOR: "1", ...(quick && QUICK) }
    }
  )
  if (status === 0) return true
  process.stderr.write(`${stdout}${stderr}${error === undefined ? "" : `${error.message}\n`}`)
  return false
}

const main = (args: ReadonlyArray<string>): number => {
  const unknown = args.filter((arg) => arg !== "--quick" && arg !== "--storms")
  if (unknown.length > 0) {
    console.error(`Usage: pnpm guarantees [--quick] [--storms], and not ${unknown.join(" ")}`)
    return 2
  }
  const all = guaranteesIn(readFileSync(new URL("README.md", import.meta.url), "utf8"))
  const guarantees = args.includes("--storms") ? all.filter(({ command }) => !isProperty(command)) : all
  bundlePrograms()
  let failed = 0
  for (const { claim, command } of guarantees) {
    const start = performance.now()
    const passed = holds(command, args.includes("--quick"))
    if (!passed) failed += 1
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    console.log(`${passed ? "holds" : "FAILS"}  ${seconds.padStart(6)} s  ${command}  (${claim})`)
  }
  console.log(`${guarantees.length - failed} of ${guarantees.length} guarantees hold`)
  return failed === 0 ? 0 : 1
}

process.exitCode = main(process.argv.slice(2))
