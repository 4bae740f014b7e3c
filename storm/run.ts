// `pnpm storm`: reads the arguments, raises the storm, prints the report. Each end of it (a signal, a failure, the
// time) takes all of its processes along.
import { Children } from "./children.ts"
import { MAX_SEED, type Settings, settingsFrom, USAGE } from "./settings.ts"
import { storm } from "./storm.ts"
import { tableOf, workerTableOf } from "./table.ts"
import { workerStorm } from "./workers.ts"

const asked = (): Settings | undefined => {
  try {
    return settingsFrom(process.argv.slice(2), Math.floor(Math.random() * MAX_SEED))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return undefined
  }
}

const main = async (settings: Settings): Promise<number> => {
  const children = new Children()
  const interrupted = new AbortController()
  process.on("exit", () => children.killAll())
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // Once more means at once.
      if (interrupted.signal.aborted) process.exit(130)
      interrupted.abort()
    })
  }
  const { below, format, processes, seconds, seed, workers } = settings
  if (workers !== undefined) {
    process.stderr.write(`storm: seed ${seed}, until ${workers} workers are killed\n`)
    const report = await workerStorm({ below, kills: workers, seed }, children, interrupted.signal)
    process.stdout.write(`${format === "json" ? JSON.stringify(report) : workerTableOf(report)}\n`)
    return report.verdict === "PASS" ? 0 : 1
  }
  process.stderr.write(`storm: seed ${seed}, ${processes} processes, ${seconds} s\n`)
  const report = await storm(settings, children, interrupted.signal)
  process.stdout.write(`${format === "json" ? JSON.stringify(report) : tableOf(report)}\n`)
  return report.verdict === "PASS" ? 0 : 1
}

if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) process.stdout.write(USAGE)
else {
  const settings = asked()
  process.exitCode = settings === undefined ? 2 : await main(settings)
}
