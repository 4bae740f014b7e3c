// Bundles the `cortex` binary: one file per lazily loaded group instead of some six hundred modules, which is the
// difference between a third of a second and most of one at every start. Only better-sqlite3, which is native code,
// stays outside. The library entry points are not bundled: they share `effect` with their host.
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "rolldown"

/** The packages whose code ends up in the bundle, by the package that brings them; their licences go with it. */
export const bundled = {
  ".": [
    "effect",
    "gpt-tokenizer",
    "kysely",
    "markdown-it",
    "picomatch",
    "stemmer",
    "yaml",
    "@lezer/common",
    "@lezer/javascript",
    "@lezer/python"
  ],
  "@lezer/javascript": ["@lezer/highlight", "@lezer/lr"],
  "markdown-it": ["entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"]
}

const licenceOf = (by: string, name: string): string => {
  // What a package brings stands beside it, where the package really is.
  const folder =
    by === "." ? "node_modules" : realpathSync(`node_modules/${by}`).replace(/\/(@[^/]+\/)?[^/]+$/, "")
  const file = readdirSync(join(folder, name)).find((entry) => /^LICEN[CS]E/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `${name}\n\n${readFileSync(join(folder, name, file), "utf8")}`
}

const licences = Object.entries(bundled)
  .flatMap(([by, names]) => names.map((name) => licenceOf(by, name)))
  .join(`\n${"-".repeat(72)}\n\n`)

/** The packages that modules of the bundle come from. */
const packagesOf = (modules: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(modules.flatMap((id) => /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(id)?.[1] ?? []))

/** Refuses a bundle whose packages are not those of the list: a licence would be missing, or one too many. */
const checkLicences = (modules: ReadonlyArray<string>): void => {
  const packages = packagesOf(modules)
  const listed = new Set(Object.values(bundled).flat())
  const faults = [
    ...[...packages]
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is bundled and not in the list of licences`),
    ...[...listed]
      .filter((name) => !packages.has(name))
      .map((name) => `${name} is in the list of licences and not bundled`)
  ]
  if (faults.length > 0) throw new Error(faults.join("\n"))
}

export default defineConfig({
  // The children that read external cassettes start beside the command.
  input: {
    bin: "interfaces/cli/bin.ts",
    "cassette-child": "infrastructure/network/children/cassette-child.ts"
  },
  platform: "node",
  external: [/^node:/, "better-sqlite3"],
  output: { dir: "dist/bin/cortex", format: "esm", chunkFileNames: "[name]-[hash].js", minify: false },
  plugins: [
    {
      name: "third-party-licences",
      generateBundle(_, files) {
        checkLicences(Object.values(files).flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])))
        this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENCES.txt", source: licences })
      }
    }
  ]
})
