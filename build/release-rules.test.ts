// What stands against a release is found, each alone, and what the lockfile really has passes.
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bundled } from "./binary.config.ts"
import { closure, dependencyOf, readLockfile } from "./dependencies.ts"
import { type Dependency, dependencyFindings, type Release, releaseFindings } from "./release-rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const lockfile = readLockfile(fileURLToPath(new URL("../pnpm-lock.yaml", import.meta.url)))

describe("a dependency", () => {
  const sound: Dependency = {
    name: "picomatch",
    version: "4.0.7",
    integrity: "sha512-abc",
    licence: "MIT",
    installScripts: [],
    nativeFiles: []
  }

  it("that is sound passes, and so does the driver with its native code", () => {
    expect(dependencyFindings(sound)).toEqual([])
    expect(dependencyFindings({ ...sound, name: "better-sqlite3", nativeFiles: ["a.node"] })).toEqual([])
  })

  it.each([
    [{ integrity: undefined }, "picomatch 4.0.7 has no SHA-512 in the lockfile"],
    [{ integrity: "sha1-abc" }, "picomatch 4.0.7 has no SHA-512 in the lockfile"],
    [{ licence: "GPL-3.0" }, "picomatch 4.0.7 has the licence GPL-3.0, which is not on the list"],
    [{ licence: undefined }, "picomatch 4.0.7 has the licence (none), which is not on the list"],
    [{ installScripts: ["install"] }, "picomatch 4.0.7 runs a script when it is installed: install"],
    [{ nativeFiles: ["b.node"] }, "picomatch 4.0.7 brings native code: b.node"]
  ])("with %j is refused", (change, finding) => {
    expect(dependencyFindings({ ...sound, ...change })).toEqual([finding])
  })
})

describe("the packages that users run", () => {
  const ids = closure(lockfile, Object.values(bundled).flat())

  it("are the direct ones, those that they bring, and those in the bundles", () => {
    const names = ids.map((id) => id.replace(/@[^@]+$/, ""))
    expect(names).toEqual(expect.arrayContaining(["better-sqlite3", "linkify-it", "@lezer/lr", "effect"]))
    expect(names).not.toContain("vitest")
  })

  it("have licences, checksums, and no script at installation", () => {
    const dependencies = ids.map((id) => dependencyOf(root, lockfile, id))
    expect(dependencies.flatMap(dependencyFindings)).toEqual([])
    expect(dependencies.find(({ name }) => name === "better-sqlite3")?.nativeFiles).toHaveLength(8)
  })

  it("a package that runs a script at installation would be found", () => {
    const id = Object.keys(lockfile.packages).find((each) => each.startsWith("esbuild@")) ?? ""
    expect(dependencyOf(root, lockfile, id).installScripts).toEqual(["postinstall"])
  })
})

describe("a release", () => {
  const sound: Release = {
    version: "0.2.0",
    changelog: "# Changelog\n\n## 0.2.0 (2026-12-24)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n",
    tags: ["v0.1.0"],
    uncommitted: "",
    repository: "git+ssh://host/repository.git",
    wanted: { yaml: "2.9.1" }
  }

  it("that is ready passes", () => {
    expect(releaseFindings(sound)).toEqual([])
  })

  it.each([
    [{ uncommitted: " M a.ts" }, "the checkout has changes that are not committed:\n M a.ts"],
    [
      { version: "0.2.1" },
      'CHANGELOG.md has no section for 0.2.1: its heading must be "## 0.2.1 (YYYY-MM-DD)"'
    ],
    [
      { changelog: "## 0.2.0 (unreleased)\n\n- New.\n" },
      'CHANGELOG.md has "## 0.2.0 (unreleased)": write the day of the release in its place'
    ],
    [{ tags: ["v0.2.0"] }, "the tag v0.2.0 exists: raise the version"],
    [
      { repository: undefined },
      "package.json names no repository, which the registry compares with the provenance"
    ],
    [{ wanted: { yaml: "^2.9.1" } }, "package.json asks for yaml ^2.9.1, which is not one version"]
  ])("with %j is refused", (change, finding) => {
    expect(releaseFindings({ ...sound, ...change })).toEqual([finding])
  })
})
