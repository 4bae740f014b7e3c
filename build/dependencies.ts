// The packages that users of the package run, from the lockfile and from what is installed: its dependencies with all that they
// bring, and the packages whose code is in its bundles.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { Dependency } from "./release-rules.ts"

interface Importer {
  readonly dependencies: Readonly<Record<string, { readonly version: string }>>
  readonly devDependencies: Readonly<Record<string, { readonly version: string }>>
}

export interface Lockfile {
  readonly importers: { readonly ".": Importer }
  readonly packages: Readonly<
    Record<string, { readonly resolution: { readonly integrity?: string | undefined } }>
  >
  readonly snapshots: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, string>> | undefined }>
  >
}

export const readLockfile = (file: string): Lockfile => parse(readFileSync(file, "utf8")) as Lockfile

/** The name and version of a package in the lockfile, without the peers that it was resolved with. */
const plain = (key: string): string => key.replace(/\(.*$/, "")

/** The packages that these lead to, each as `name@version`. */
export const closure = (lockfile: Lockfile, bundled: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { dependencies, devDependencies } = lockfile.importers["."]
  const seen = new Set<string>()
  const follow = (key: string): void => {
    if (seen.has(plain(key))) return
    seen.add(plain(key))
    const brought = lockfile.snapshots[key]?.dependencies ?? {}
    for (const [name, version] of Object.entries(brought)) follow(`${name}@${version}`)
  }
  for (const [name, { version }] of Object.entries(dependencies)) follow(`${name}@${version}`)
  for (const name of bundled) {
    const version = devDependencies[name]?.version
    if (version !== undefined) seen.add(plain(`${name}@${version}`))
  }
  return [...seen].sort()
}

const RUN_AT_INSTALLATION = ["preinstall", "install", "postinstall"]

interface Manifest {
  readonly license?: string | undefined
  readonly gypfile?: boolean | undefined
  readonly scripts?: Readonly<Record<string, string>> | undefined
}

/** Scripts that run at installation; without a word against it, package managers compile what has instructions for that. */
const scriptsOf = (folder: string, { gypfile, scripts = {} }: Manifest): ReadonlyArray<string> => [
  ...RUN_AT_INSTALLATION.filter((name) => name in scripts),
  ...(existsSync(join(folder, "binding.gyp")) && gypfile !== false ? ["node-gyp"] : [])
]

/** A package of the lockfile, with what its folder below `node_modules` tells. */
export const dependencyOf = (root: string, lockfile: Lockfile, id: string): Dependency => {
  const [, name = "", version = ""] = /^(.+)@([^@]+)$/.exec(id) ?? []
  const store = join(root, "node_modules/.pnpm")
  const stored = `${name.replace("/", "+")}@${version}`
  const variant =
    readdirSync(store).find((each) => each === stored || each.startsWith(`${stored}_`)) ?? stored
  const folder = join(store, variant, "node_modules", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  return {
    name,
    version,
    integrity: lockfile.packages[id]?.resolution.integrity,
    licence: manifest.license,
    installScripts: scriptsOf(folder, manifest),
    nativeFiles: files.filter((file) => file.endsWith(".node")).sort()
  }
}
