// The licences that go with the bundle are those of the packages that package.json, or a bundled package, brings into it.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { bundled } from "./binary.config.ts"

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", folder, "package.json"), "utf8"))

/** Native code, which is not bundled. */
const APART = "better-sqlite3"
/** Built into the bundle, and brought by no dependency of the package itself. */
const BUILT_IN = ["effect", "gpt-tokenizer"]

const own = manifestOf(".")
const { ".": direct, ...brought } = bundled

it("every dependency is bundled with its licence, and nothing that is none", () => {
  const wanted = Object.keys(own.dependencies ?? {}).filter((name) => name !== APART)
  expect([...direct].sort()).toEqual([...wanted, ...BUILT_IN].sort())
  for (const name of BUILT_IN) expect(own.devDependencies).toHaveProperty([name])
})

it.each(Object.entries(brought))("%s brings what the list says", (by, names) => {
  const wanted = Object.keys(manifestOf(`node_modules/${by}`).dependencies ?? {})
  for (const name of names) expect(wanted).toContain(name)
})
