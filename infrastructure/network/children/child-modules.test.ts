// What a child of a cassette loads: there is a process for every cassette, and what any of these modules imports is in
// the memory of each. A schema library alone doubled that once.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

/** What a file imports when it runs: types alone are gone by then. */
const importsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm)].map(
    ([, name]) => name!
  )

/** All packages that a file leads to; files of its own are followed. */
const packagesFrom = (file: URL, seen = new Set<string>(), packages = new Set<string>()) => {
  if (seen.has(file.href)) return { seen, packages }
  seen.add(file.href)
  for (const name of importsOf(readFileSync(file, "utf8"))) {
    if (name.startsWith(".")) packagesFrom(new URL(name, file), seen, packages)
    else if (!name.startsWith("node:")) packages.add(name)
  }
  return { seen, packages }
}

it("a child loads SQLite and nothing else that is not ours", () => {
  const { packages, seen } = packagesFrom(new URL("cassette-child.ts", import.meta.url))
  expect([...packages]).toEqual(["better-sqlite3"])
  expect([...seen].map((each) => fileURLToPath(each))).toContain(
    fileURLToPath(new URL("../index/cassette-index.ts", import.meta.url))
  )
})

it("what is forbidden would be found: the hub's side leads to Effect", () => {
  const { packages } = packagesFrom(new URL("child-cassette.ts", import.meta.url))
  expect([...packages]).toContain("effect/Effect")
})
