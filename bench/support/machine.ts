// Facts about the machine and the folder that a figure belongs to. A figure without them says nothing; they are
// read, never guessed, and what cannot be read is said to be unknown.
import { readFileSync, realpathSync } from "node:fs"
import { cpus, loadavg, release, totalmem, type } from "node:os"
import Database from "better-sqlite3"

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memory_bytes: number
  readonly system: string
  readonly node: string
  readonly sqlite: string
}

const sqliteVersion = (): string => {
  const database = new Database(":memory:")
  const version = database.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "unknown"
  database.close()
  return version
}

/** What the benchmark runs on. */
export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memory_bytes: totalmem(),
  system: `${type()} ${release()}`,
  node: process.version,
  sqlite: sqliteVersion()
})

/** The load average of the last minute; above the number of cores, others were in the way. */
export const load = (): number => Number((loadavg()[0] ?? 0).toFixed(2))

const mounts = (): ReadonlyArray<{ readonly point: string; readonly kind: string }> => {
  try {
    return readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((mount) => mount.split(" "))
      .map(([, point = "", kind = "unknown"]) => ({ point, kind }))
  } catch {
    return []
  }
}

/** The kind of file system that a folder lies on: the mount point nearest above it. */
export const fileSystemOf = (folder: string): string => {
  const path = realpathSync(folder)
  const above = mounts().filter(
    ({ point }) => point === "/" || path === point || path.startsWith(`${point}/`)
  )
  return above.toSorted((a, b) => b.point.length - a.point.length)[0]?.kind ?? "unknown"
}
