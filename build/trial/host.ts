// A folder with the packed package as a user has it: a host program's own folder has the package and `effect`, and the folder above
// has the tools that try it, so that nothing of the package is found among them.
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const repository = fileURLToPath(new URL("../..", import.meta.url))

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"))

/** The entry points, as a program imports them. */
export const entries = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => `cortex-cassette${name.slice(1)}`)

/** The entry point that is for the platform of Durable Objects alone. */
export const FOR_WORKERS = "cortex-cassette/durable-objects"
/** The entry point that waits while it is loaded: the test runner and fast-check may be missing. */
export const WAITING = "cortex-cassette/testing"
/** The entry point that loads the package of its host of agents, which this host does not have. */
export const FOR_LANGGRAPH = "cortex-cassette/agents/langgraph"
/** Entry points that are programs of processes and threads. */
export const PROGRAMS = ["cortex-cassette/cassette-child", "cortex-cassette/cutting-thread"]

const own = (name: string): string => `${name}@${manifest.devDependencies[name]}`

/** Node at its oldest that is supported and at its newest; what has ended in between is left out. */
const NODES = { "Node 22.19": "22.19.0", "Node 26": "26.10.0" }

/** The tools, each at one version: those of the repository, and those that only try the package. */
const tools = [
  own("@types/node"),
  own("fast-check"),
  own("vitest"),
  "@arethetypeswrong/cli@0.18.5",
  "typescript-5@npm:typescript@5.9.3",
  "webpack@5.113.0",
  ...Object.values(NODES).map(
    (version) => `node-${version}@npm:node-${process.platform}-${process.arch}@${version}`
  )
]

/** How long one program may take (milliseconds). */
const TIMEOUT = 300_000

/** What a program prints; an error has all of it. */
export const run = async (cwd: string, program: string, ...given: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd, timeout: TIMEOUT, maxBuffer: 2 ** 26, env: { ...process.env, NO_COLOR: "1" } }
    execFile(program, given, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${given.join(" ")}\n${stdout}${stderr}`))
    })
  })

/** The last line that a program prints must be this one. */
export const endsWith = async (
  line: string,
  cwd: string,
  program: string,
  ...given: ReadonlyArray<string>
): Promise<void> => {
  const printed = await run(cwd, program, ...given)
  if (printed.trimEnd().split("\n").at(-1) !== line) {
    throw new Error(`${given.join(" ")} should end with ${line}:\n${printed}`)
  }
}

export interface Host {
  /** The folder of the host program. */
  readonly folder: string
  readonly tarball: string
  /** The program of a tool, or a file of its package. */
  readonly tool: (path: string) => string
  /** The Nodes that are tried, by what they are called. */
  readonly nodes: Readonly<Record<string, string>>
  /** A new folder for what one step makes, below that of the tools. */
  readonly newFolder: (name: string) => string
  readonly remove: () => void
}

const install = (folder: string, ...packages: ReadonlyArray<string>) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"name":"host","private":true,"type":"module"}')
  return run(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages)
}

/** Packs what was built, and installs it. */
export const makeHost = async (): Promise<Host> => {
  const root = mkdtempSync(join(tmpdir(), "cassette-trial-"))
  const folder = join(root, "host")
  await run(repository, "npm", "pack", "--ignore-scripts", "--pack-destination", root)
  const tarball = join(root, readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "none.tgz")
  await Promise.all([install(root, ...tools), install(folder, tarball, own("effect"))])
  const tool = (path: string): string => join(root, "node_modules", path)
  const oldAndNew = Object.entries(NODES).map(([name, version]) => [name, tool(`node-${version}/bin/node`)])
  return {
    folder,
    tarball,
    tool,
    nodes: { ...Object.fromEntries(oldAndNew), "Node 24": process.execPath },
    newFolder: (name) => {
      const made = join(root, name)
      mkdirSync(dirname(made), { recursive: true })
      mkdirSync(made)
      return made
    },
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}
