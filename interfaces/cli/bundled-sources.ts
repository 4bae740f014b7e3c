// The program of a checkout, bundled from its sources: at the first use, and again when one of them has changed. Bundles of
// several states stand beside each other, since a program that runs loads more of its own when it needs it. It must load
// nothing but what Node brings.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dirname))
const cache = join(root, "node_modules", ".cache", "cortex")

/** What a bundle is made of, below the root. */
const SOURCES = [
  "application",
  "domain",
  "infrastructure",
  "interfaces",
  "migrations",
  "pnpm-lock.yaml",
  "rolldown.config.ts"
]

/** How many bundles are kept. */
const KEPT = 4

const isSource = (path: string): boolean => !/\.test\.ts$|(^|\/)testing(\/|$)/.test(path)

const filesOf = (path: string): ReadonlyArray<string> =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
        .map((name) => join(path, name))
        .filter((each) => each.endsWith(".ts") && isSource(each))
        .sort()
    : [path]

/** Names the state of the sources without reading them: no program can set a file's time of change back. */
const stateOfSources = (): string => {
  const hash = createHash("sha256")
  for (const path of SOURCES.flatMap(filesOf)) {
    const { ctimeMs, ino, size } = statSync(join(root, path))
    hash.update(`${path} ${ino} ${size} ${ctimeMs}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

/** Makes the bundle of a state beside its place and moves it there; the second uses the first one's. */
const build = (folder: string): void => {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, "draft-"))
  // Other users of the checkout start this bundle, too.
  chmodSync(draft, 0o777 & ~process.umask())
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs")
  const settings = ["--config", "rolldown.config.ts", "--logLevel", "silent", "--dir", draft]
  try {
    execFileSync(process.execPath, [rolldown, ...settings], {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
      stdio: ["ignore", "ignore", "pipe"]
    })
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  const newestFirst = readdirSync(cache)
    .map((name) => ({ path: join(cache, name), made: statSync(join(cache, name)).mtimeMs }))
    .sort((left, right) => right.made - left.made)
  for (const { path } of newestFirst.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}

/** The bundle of the sources as they are now; throws what the bundler says when they cannot be bundled. */
export const bundledProgram = (): string => {
  const folder = join(cache, stateOfSources())
  if (!existsSync(folder)) build(folder)
  return join(folder, "bin.js")
}
