// Builds the site of the documents into `site/`, with VitePress. Its packages are installed in `.site/`, apart from those of a checkout, and
// its pages are staged there. A link that leads nowhere fails the build. Run it with `pnpm docs:build`.
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { navigation, type Repository, sitePages } from "./pages.ts"

const here = import.meta.dirname
const root = join(here, "..", "..")
/** Where the site's own packages are installed, and its pages are staged beside them. */
const workshop = join(root, ".site")
const stage = join(workshop, "stage")
const out = join(root, "site")

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(testing|demo)\/|^docs\/site\//.test(path))
    .toSorted()

const docs = filesIn("docs")
const endsWith = (paths: ReadonlyArray<string>, ...ends: ReadonlyArray<string>) =>
  paths.filter((path) => ends.includes(extname(path)))

const repository: Repository = {
  documents: [
    ...readdirSync(root).filter((name) => name.endsWith(".md")),
    "bench/README.md",
    ...endsWith(docs, ".md")
  ],
  programs: endsWith(filesIn("examples"), ".ts", ".mjs", ".py", ".jsonc"),
  assets: endsWith(docs, ".png", ".svg", ".json"),
  read: (path) => readFileSync(join(root, path), "utf8")
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

rmSync(stage, { recursive: true, force: true })
rmSync(out, { recursive: true, force: true })
const pages = sitePages(repository)
for (const [path, text] of pages) write(join(stage, path), text)
for (const path of repository.assets) cpSync(join(root, path), join(stage, "public", path))
const configuration = {
  lang: "en",
  title: "Cassette",
  description: "An audit-grade work ledger and memory for agent programs, on SQLite alone.",
  outDir: out,
  cacheDir: join(stage, ".cache"),
  ignoreDeadLinks: false,
  lastUpdated: false,
  themeConfig: {
    sidebar: navigation(pages),
    outline: { level: [2, 3] },
    search: { provider: "local" },
    docFooter: { prev: false, next: false }
  }
}
/** A guide that has the words stands before a reference that has them. */
const ranking = `configuration.themeConfig.search.options = {
  miniSearch: { searchOptions: { boostDocument: (id) => (id.includes("/docs/guides/") ? 3 : 1) } }
}`
write(
  join(stage, ".vitepress", "config.mjs"),
  `const configuration = ${JSON.stringify(configuration, null, 2)}\n${ranking}\nexport default configuration\n`
)

const run = (program: string, args: ReadonlyArray<string>): void => {
  const { error, status } = spawnSync(program, args, { cwd: workshop, stdio: "inherit" })
  if (error !== undefined) console.error(`${program} did not start (${error.message}): is it on the PATH?`)
  if (error !== undefined || status !== 0) process.exit(1)
}

for (const name of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
  cpSync(join(here, name), join(workshop, name))
}
run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--silent"])
run(process.execPath, [join(workshop, "node_modules/vitepress/bin/vitepress.js"), "build", stage])
