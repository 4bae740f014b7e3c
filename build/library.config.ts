// Bundles the entry points of the library: a host loads a few files instead of hundreds of modules. The entry points share their
// files, so that each class is there once. No package is inside: `effect` is the host's own copy, and the packages that only a part
// of the library needs load with that part. The declarations that the entry points lead to go beside.
import { readFileSync } from "node:fs"
import { dirname, join, normalize, resolve } from "node:path"
import { defineConfig, type Plugin } from "rolldown"
import { thirdPartyLicences } from "./licences.ts"

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

const manifest: Manifest = JSON.parse(readFileSync("package.json", "utf8"))

const TYPES = "./dist/library/types/"

/** The name and the source of each entry point, as package.json has them. */
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "string"
    ? []
    : [
        {
          name: target.default.slice("./dist/library/".length, -".js".length),
          source: target.types.slice(TYPES.length).replace(/\.d\.ts$/, ".ts")
        }
      ]
)

const outside = Object.keys({ ...manifest.peerDependencies, ...manifest.dependencies })

/** The names that declarations import; examples in their comments import the package itself. */
const importsOf = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(/\/\*[^]*?\*\//g, "").matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, name]) => name!
  )

/** The declarations that a source leads to, by their paths; what they need must come with the package. */
const declarationsFrom = (source: string, seen: Map<string, string>): void => {
  const path = source.replace(/\.ts$/, ".d.ts")
  if (seen.has(path)) return
  const text = readFileSync(join("dist", path), "utf8")
  seen.set(path, text)
  for (const name of importsOf(text)) {
    if (name.startsWith(".")) declarationsFrom(normalize(join(dirname(source), name)), seen)
    else if (
      !/^(?:node|cloudflare):/.test(name) &&
      !outside.some((each) => name === each || name.startsWith(`${each}/`))
    ) {
      throw new Error(`${path} needs ${name}, which does not come with the package`)
    }
  }
}

const declarations: Plugin = {
  name: "declarations",
  generateBundle() {
    const seen = new Map<string, string>()
    for (const { source } of entries) declarationsFrom(source, seen)
    for (const [path, text] of seen) this.emitFile({ type: "asset", fileName: `types/${path}`, source: text })
  }
}

/** The entry points that are told apart where the main one shares a module with them. */
const SHARING = ["cassette-child", "domain", "bundle", "dossier", "application", "durable-objects"]

type Importing = (id: string) => { readonly importedIds: ReadonlyArray<string> } | null

/** The modules that each entry point imports, as soon as all are known. */
let reached: ReadonlyMap<string, ReadonlySet<string>> | undefined

const reachedFrom = (id: string, of: Importing, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const each of of(id)?.importedIds ?? []) reachedFrom(each, of, seen)
  return seen
}

/**
 * The name of the file that a module of the main entry point goes to: together are those that the same others import, since each
 * file that imports a module of `effect` has it resolved again. What a module imports is imported by its entry points, so that no
 * two files import each other.
 */
const fileOf = (module: string, of: Importing): string | null => {
  reached ??= new Map(entries.map(({ name, source }) => [name, reachedFrom(resolve(source), of)]))
  const isEntry = entries.some(({ source }) => resolve(source) === module)
  if (isEntry || reached.get("index")?.has(module) !== true) return null
  return ["ledger", ...SHARING.filter((name) => reached?.get(name)?.has(module))].join("-")
}

export default defineConfig({
  input: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  external: [/^(?:node|cloudflare):/, ...outside.map((name) => new RegExp(`^${name}(/|$)`))],
  output: {
    dir: "dist/library",
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    minify: false,
    codeSplitting: {
      groups: [
        {
          debugName: "ledger",
          name: (id, context) => fileOf(id, (each) => context.getModuleInfo(each)),
          includeDependenciesRecursively: false
        }
      ]
    }
  },
  plugins: [declarations, thirdPartyLicences({ ".": [] })]
})
