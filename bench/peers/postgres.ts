// A PostgreSQL of its own for a benchmark: the server that Debian's package has put on the machine, with a new folder and a port of
// its own on loopback, as it is configured by default: each commit is flushed. It is stopped and removed afterwards.
import { spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

const PROGRAMS = "/usr/lib/postgresql"

/** How long one of its programs may take (milliseconds). */
const PROGRAM_MILLIS = 60_000

/** The folder of the newest server's programs; undefined where there is none. */
const programsFolder = (): string | undefined => {
  const versions = existsSync(PROGRAMS) ? readdirSync(PROGRAMS) : []
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  return newest && join(PROGRAMS, newest, "bin")
}

/** A port of loopback that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A number that `id` prints of the server's user. */
const idOf = (flag: "-g" | "-u"): number =>
  Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)

/** The server refuses to run as root: then it is its own user. */
const user = () => (process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {})

/** Runs `work` with the address of a server whose files lie below this folder, or with undefined where there is none. */
export const withPostgres = async <A>(
  folder: string,
  work: (address: string | undefined) => Promise<A>
): Promise<A> => {
  const programs = programsFolder()
  if (programs === undefined) return work(undefined)
  const place = join(folder, "postgres")
  const data = join(place, "data")
  mkdirSync(place)
  const owner = user()
  if (owner.uid !== undefined) {
    chownSync(folder, owner.uid, owner.gid)
    chownSync(place, owner.uid, owner.gid)
  }
  const run = (program: string, ...args: ReadonlyArray<string>): void => {
    const { error, status } = spawnSync(join(programs, program), args, {
      ...owner,
      cwd: place,
      stdio: ["ignore", "ignore", 2],
      timeout: PROGRAM_MILLIS
    })
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? String(status)}`)
  }
  const port = await freePort()
  run("initdb", "-D", data, "-U", "postgres", "-A", "trust")
  const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=`
  run("pg_ctl", "-D", data, "-w", "-l", join(place, "log"), "-o", options, "start")
  try {
    return await work(`postgresql://postgres@127.0.0.1:${port}/bench`)
  } finally {
    run("pg_ctl", "-D", data, "-m", "fast", "stop")
  }
}
