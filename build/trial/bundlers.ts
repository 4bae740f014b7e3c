// Programs that a bundler has made one file of run from a folder that has nothing but the driver, and one without even that.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { build as esbuild } from "esbuild"
import { rolldown } from "rolldown"
import { endsWith, type Host, repository } from "./host.ts"

/** What no bundler takes: native code. */
const DRIVER = "better-sqlite3"
/** A package that asks for Node's own modules by `require`, for which esbuild has no answer in an ES module. */
const YAML = "yaml"

type Format = "cjs" | "esm"
const extensions = { esm: ".mjs", cjs: ".cjs" } as const

interface Bundled {
  /** The programs of one bundle, by their names. */
  readonly input: Readonly<Record<string, string>>
  readonly format: Format
  readonly folder: string
  readonly outside: ReadonlyArray<string>
}

const withEsbuild = async ({ folder, format, input, outside }: Bundled): Promise<void> => {
  await esbuild({
    bundle: true,
    entryPoints: { ...input },
    external: [...outside],
    format,
    logLevel: "error",
    outdir: folder,
    outExtension: { ".js": extensions[format] },
    platform: "node"
  })
}

const withRolldown = async ({ folder, format, input, outside }: Bundled): Promise<void> => {
  const bundle = await rolldown({ input: { ...input }, external: [...outside], platform: "node" })
  await bundle.write({ dir: folder, entryFileNames: `[name]${extensions[format]}`, format })
  await bundle.close()
}

interface Webpack {
  (
    options: object,
    callback: (
      error: Error | null,
      stats: { readonly hasErrors: () => boolean; readonly toString: () => string }
    ) => void
  ): void
}

/** webpack with the settings that it has for Node, and no more. */
const withWebpack =
  (host: Host) =>
  async ({ folder, input, outside }: Bundled): Promise<void> => {
    const webpack = createRequire(host.tool("webpack/package.json"))("webpack") as Webpack
    const options = {
      context: host.folder,
      devtool: false,
      entry: input,
      externals: Object.fromEntries(outside.map((name) => [name, `commonjs ${name}`])),
      mode: "production",
      optimization: { minimize: false },
      output: { filename: "[name].cjs", path: folder },
      target: "node"
    }
    return new Promise((resolve, reject) => {
      webpack(options, (error, stats) => {
        if (error !== null || stats.hasErrors()) reject(error ?? new Error(stats.toString()))
        else resolve()
      })
    })
  }

/** A folder outside of all that is installed, with links to a few packages. */
const folderWith = (host: Host, name: string, packages: ReadonlyArray<string>): string => {
  const folder = host.newFolder(join("bundled", name))
  mkdirSync(join(folder, "node_modules"))
  for (const each of packages) {
    symlinkSync(join(host.folder, "node_modules", each), join(folder, "node_modules", each))
  }
  return folder
}

/** The sources that are bundled, in the folder of the host. */
export const prepareBundling = ({ folder }: Host): void => {
  cpSync(join(repository, "examples/embedding.ts"), join(folder, "ledger.mts"))
  cpSync(join(repository, "build/trial/programs/reader.ts"), join(folder, "reader.mts"))
  for (const name of ["cassette-child", "cutting-thread"]) {
    writeFileSync(join(folder, `${name}.mts`), `import "cortex-cassette/${name}"\n`)
  }
}

const bundlers = (host: Host) => ({
  esbuild: { bundle: withEsbuild, formats: ["esm", "cjs"] as const },
  rolldown: { bundle: withRolldown, formats: ["esm", "cjs"] as const },
  webpack: { bundle: withWebpack(host), formats: ["cjs"] as const }
})

const inHost = (host: Host, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, join(host.folder, `${name}.mts`)]))

const tryEach = async (host: Host, folder: string, program: string): Promise<void> => {
  for (const node of Object.values(host.nodes)) await endsWith("PASS", folder, node, program)
}

/** One file, and the driver beside it. */
const tryLedger = async (host: Host, name: keyof ReturnType<typeof bundlers>, format: Format) => {
  const folder = folderWith(host, `${name}-${format}`, [DRIVER])
  const input = inHost(host, "ledger")
  await bundlers(host)[name].bundle({ input, format, folder, outside: [DRIVER] })
  await tryEach(host, folder, `ledger${extensions[format]}`)
}

/** A network with a cassette from outside, whose process's program stands beside the bundle, as does that of the thread. */
const tryNetwork = async (host: Host, name: "esbuild" | "rolldown") => {
  const outside = name === "esbuild" ? [DRIVER, YAML] : [DRIVER]
  const folder = folderWith(host, `${name}-network`, outside)
  const input = inHost(host, "reader", "cassette-child", "cutting-thread")
  await bundlers(host)[name].bundle({ input, format: "esm", folder, outside })
  await tryEach(host, folder, "reader.mjs")
}

/** Two files and nothing else: the bundler copies the driver's native code of this machine beside the bundle. */
const tryAlone = async (host: Host) => {
  const folder = folderWith(host, "alone", [])
  await esbuild({
    alias: { [DRIVER]: `${DRIVER}/${process.platform}-${process.arch}` },
    bundle: true,
    entryPoints: [join(host.folder, "ledger.mts")],
    format: "cjs",
    loader: { ".node": "copy" },
    logLevel: "error",
    outExtension: { ".js": ".cjs" },
    outdir: folder,
    platform: "node"
  })
  await tryEach(host, folder, "ledger.cjs")
}

/** What is tried of bundlers, by what it is called. */
export const bundlerSteps = (host: Host): ReadonlyArray<readonly [string, () => Promise<void>]> => [
  ...(Object.keys(bundlers(host)) as ReadonlyArray<keyof ReturnType<typeof bundlers>>).flatMap((name) =>
    bundlers(host)[name].formats.map(
      (format) => [`a ledger, ${name}, ${format}`, () => tryLedger(host, name, format)] as const
    )
  ),
  ["a network and its processes, esbuild", () => tryNetwork(host, "esbuild")],
  ["a network and its processes, rolldown", () => tryNetwork(host, "rolldown")],
  ["a ledger and its driver in two files, esbuild", () => tryAlone(host)]
]
