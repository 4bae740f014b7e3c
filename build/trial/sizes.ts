// What the package costs: of each entry point what is loaded when it is imported, and the bytes of what is installed. `sizes.json`
// has what was measured last, and what differs much from it is a finding.
import { lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Metafile } from "esbuild"
import { entries, type Host, PROGRAMS } from "./host.ts"

/** Bytes, minified and compressed, that importing an entry point loads. */
interface EntrySize {
  /** The package's own code. */
  readonly own: number
  /** With `effect` and all other packages that it imports at once, but the driver and test tools. */
  readonly whole: number
}

/** Bytes of one package on disk, or of several that come together. */
export interface Sizes {
  readonly entries: Readonly<Record<string, EntrySize>>
  readonly installed: Readonly<Record<string, number>>
  readonly tarball: number
}

/** What is never part of a bundle: native code, the platform of Durable Objects, tools of tests, the host of a saver. */
const OUTSIDE = ["@langchain/langgraph-checkpoint", "better-sqlite3", "cloudflare:*", "fast-check", "vitest"]

/** How much a size may differ from what was measured last. */
const TOLERANCE = 0.1

/** Packages that are installed together, by what they are for. */
const TOGETHER: Readonly<Record<string, ReadonlyArray<string>>> = {
  "cortex-cassette": ["cortex-cassette"],
  effect: ["effect"],
  "better-sqlite3": ["better-sqlite3", "node-addon-api"],
  "markdown-it": ["markdown-it", "argparse", "entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"],
  "@lezer": ["@lezer"],
  yaml: ["yaml"],
  picomatch: ["picomatch"],
  stemmer: ["stemmer"]
}

const goldenFile = new URL("sizes.json", import.meta.url)

export const readSizes = (): Sizes => JSON.parse(readFileSync(goldenFile, "utf8"))

/** The outputs that one leads to without a later `import()`. */
const loadedWith = (name: string, { outputs }: Metafile, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const { kind, path } of outputs[name]?.imports ?? []) {
    if (kind === "import-statement" && path in outputs) loadedWith(path, { inputs: {}, outputs }, seen)
  }
  return seen
}

const loadedBytes = async (host: Host, name: string, packages: "bundle" | "external"): Promise<number> => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: host.folder,
    bundle: true,
    entryPoints: { [name]: join(host.folder, "node_modules/cortex-cassette/dist/library", `${name}.js`) },
    external: OUTSIDE,
    format: "esm",
    logLevel: "error",
    metafile: true,
    minify: true,
    outdir: "measured",
    packages,
    platform: "node",
    splitting: true,
    write: false
  })
  const loaded = loadedWith(`measured/${name}.js`, metafile)
  return outputFiles
    .filter(({ path }) => loaded.has(path.slice(host.folder.length + 1)))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
}

const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)

/** The name of an entry point's file. */
const fileOf = (entry: string): string => entry.replace(/^cortex-cassette\/?/, "") || "index"

const measure = async (host: Host): Promise<Sizes> => {
  const measured = entries.filter((entry) => !PROGRAMS.includes(entry))
  const sizes: Array<readonly [string, EntrySize]> = []
  for (const entry of measured) {
    const own = await loadedBytes(host, fileOf(entry), "external")
    sizes.push([entry, { own, whole: await loadedBytes(host, fileOf(entry), "bundle") }])
  }
  const installed = Object.entries(TOGETHER).map(([name, packages]) => [
    name,
    packages.reduce((sum, each) => sum + bytesOf(join(host.folder, "node_modules", each)), 0)
  ])
  return {
    entries: Object.fromEntries(sizes),
    installed: Object.fromEntries(installed),
    tarball: statSync(host.tarball).size
  }
}

/** Every size by its name. */
const flat = ({ entries: each, installed, tarball }: Sizes): ReadonlyMap<string, number> =>
  new Map([
    ...Object.entries(each).flatMap(
      ([name, { own, whole }]) =>
        [
          [`${name}, own code`, own],
          [`${name}, whole`, whole]
        ] as const
    ),
    ...Object.entries(installed).map(([name, size]) => [`${name}, installed`, size] as const),
    ["tarball", tarball]
  ])

/** What differs much from what was measured last, as sentences. */
export const differences = (golden: Sizes, measured: Sizes): ReadonlyArray<string> => {
  const before = flat(golden)
  const now = flat(measured)
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)]
    if (was === undefined) return [`${name}: ${is} bytes, and not in sizes.json`]
    if (is === undefined) return [`${name}: in sizes.json, and not measured`]
    return Math.abs(is - was) > was * TOLERANCE ? [`${name}: ${is} bytes, and ${was} in sizes.json`] : []
  })
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(bytes < 1_000_000 ? 2 : 1)} MB`

/** The rows of the tables in docs/guides/package.md. */
export const entryRows = ({ entries: each }: Sizes): ReadonlyArray<string> =>
  Object.entries(each).map(
    ([name, { own, whole }]) => `| \`${name}\` | ${kilobytes(own)} | ${kilobytes(whole)} |`
  )

export const installedCells = ({ installed, tarball }: Sizes): ReadonlyArray<string> => [
  ...Object.entries(installed).map(([name, size]) => `| \`${name}\` | ${megabytes(size)} |`),
  `The tarball has ${megabytes(tarball)}`
]

/** Measures, and writes what was measured. */
export const writeSizes = async (host: Host): Promise<void> => {
  const sizes = await measure(host)
  writeFileSync(goldenFile, `${JSON.stringify(sizes, undefined, 2)}\n`)
  console.log([...entryRows(sizes), ...installedCells(sizes)].join("\n"))
}

/** Measures, and refuses what differs much. */
export const trySizes = async (host: Host): Promise<void> => {
  const found = differences(readSizes(), await measure(host))
  if (found.length > 0) {
    const remedy = "If that is meant, run `node build/trial/run.ts --sizes`, and mend docs/guides/package.md."
    throw new Error([...found, remedy].join("\n"))
  }
}
