// What is said of sizes is what was measured, and what differs much is found.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { leaksOf } from "./packed.ts"
import { differences, entryRows, installedCells, readSizes, type Sizes } from "./sizes.ts"

const guide = readFileSync(new URL("../../docs/guides/package.md", import.meta.url), "utf8")

it("the guide has the sizes that were measured last", () => {
  const sizes = readSizes()
  const rows = entryRows(sizes)
  expect(rows.length).toBeGreaterThan(5)
  expect([...rows, ...installedCells(sizes)].filter((row) => !guide.includes(row))).toEqual([])
})

describe("sizes", () => {
  const golden: Sizes = { entries: { a: { own: 100, whole: 200 } }, installed: { p: 1_000 }, tarball: 10 }

  it("may differ by a tenth", () => {
    expect(differences(golden, { ...golden, tarball: 11, installed: { p: 900 } })).toEqual([])
  })

  it("that differ more are found, in both directions", () => {
    const measured = { entries: { a: { own: 111, whole: 200 } }, installed: { p: 899 }, tarball: 10 }
    expect(differences(golden, measured)).toEqual([
      "a, own code: 111 bytes, and 100 in sizes.json",
      "p, installed: 899 bytes, and 1000 in sizes.json"
    ])
  })

  it("of what is new or gone are found", () => {
    const measured = { ...golden, entries: { b: { own: 1, whole: 2 } } }
    expect(differences(golden, measured)).toEqual([
      "a, own code: in sizes.json, and not measured",
      "a, whole: in sizes.json, and not measured",
      "b, own code: 1 bytes, and not in sizes.json",
      "b, whole: 2 bytes, and not in sizes.json"
    ])
  })
})

it("paths of a machine and what a build leaves are found in a package", () => {
  expect(leaksOf("dist/a.js", "// made in /builds/ada/src", ["/builds/ada", "/other"])).toEqual([
    "dist/a.js names /builds/ada"
  ])
  expect(leaksOf("dist/a.js.map", "{}", ["/builds/ada"])).toEqual(["dist/a.js.map is left over from a build"])
  expect(leaksOf("dist/a.js", "export const a = 1", ["/builds/ada"])).toEqual([])
  expect(
    leaksOf("dist/a.js", 'from "./builds/ada/b.js"; from "../builds/adapter.js"', ["/builds/ada"])
  ).toEqual([])
  expect(leaksOf("dist/a.js", "//# sourceMappingURL=a.js.map", [])).toEqual([
    "dist/a.js leads to a map of sources"
  ])
})
