// Programs of a checkout, bundled from its sources: at the first use, and again when one of them has changed. Bundles of
// several states stand beside each other, since a program that runs loads more of its own when it needs it. It must load
// nothing but what Node brings.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
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
const caches = join(root, "node_modules", ".cache")

/** What is bundled, and of what. */
interface Bundle {
  /** The folder of its bundles among what is cached. */
  readonly name: string
  /** The settings of the bundler, below the root. */
  readonly config: string
  /** What a bundle is made of, below the root. */
  readonly sources: ReadonlyArray<string>
  readonly isSource: (path: string) => boolean
}

/** The layers and what else a bundle of them depends on. */
export const LAYERS = [
  "application",
  "build",
  "domain",
  "infrastructure",
  "interfaces",
  "migrations",
  "pnpm-lock.yaml"
]

const program: Bundle = {
  name: "cortex",
  config: "build/binary.config.ts",
  sources: LAYERS,
  isSource: (path) => !/\.test\.ts$|(^|\/)testing(\/|$)/.test(path)
}

const MANIFEST = "package.json"

/** How many bundles are kept. */
const KEPT = 4

/** The sources in a folder and below it. Each start asks, so the system is asked once for a folder, and not for each name. */
const filesIn = (folder: string, isSource: Bundle["isSource"]): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (!isSource(path)) return []
    if (entry.isDirectory()) return filesIn(path, isSource)
    return /\.(ts|css|html)$/.test(path) ? [path] : []
  })

const filesOf = (path: string, isSource: Bundle["isSource"]): ReadonlyArray<string> =>
  statSync(join(root, path)).isDirectory() ? filesIn(path, isSource).toSorted() : [path]

/** Names the state of the sources without reading them: no program can set a file's time of change back. */
const stateOf = ({ isSource, sources }: Bundle): string => {
  const hash = createHash("sha256")
  for (const path of [...sources, MANIFEST].flatMap((each) => filesOf(each, isSource))) {
    const { ctimeMs, ino, size } = statSync(join(root, path))
    hash.update(`${path} ${ino} ${size} ${ctimeMs}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

/** Makes the bundle of a state beside its place and moves it there; the second uses the first one's. */
const build = (cache: string, folder: string, config: string): void => {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, "draft-"))
  // Other users of the checkout start this bundle, too.
  chmodSync(draft, 0o777 & ~process.umask())
  // Below `node_modules` Node does not look for the checkout's manifest: it would parse each file to find out that it is a module.
  copyFileSync(join(root, MANIFEST), join(draft, MANIFEST))
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs")
  const settings = ["--config", config, "--logLevel", "silent", "--dir", draft]
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
    .map((name) => join(cache, name))
    // A draft of another start may be gone by now.
    .map((path) => ({ path, made: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((left, right) => right.made - left.made)
  for (const { path } of newestFirst.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}

/** The folder of the bundle of the sources as they are now; throws what the bundler says when they cannot be bundled. */
export const bundleOf = (bundle: Bundle): string => {
  const cache = join(caches, bundle.name)
  const folder = join(cache, stateOf(bundle))
  if (!existsSync(folder)) build(cache, folder, bundle.config)
  return folder
}

/** The command. */
export const bundledProgram = (): string => join(bundleOf(program), "bin.js")
