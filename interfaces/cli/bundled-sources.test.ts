// The bundle of a checkout's sources: an old one never starts once a source was edited, replaced, added or removed.
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { bundleOf, LAYERS } from "./bundled-sources.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Sources in a folder of their own, and what their bundle says. */
const sources = () => {
  const folder = temporaryFolder()
  const [code, cache] = [join(folder, "code"), join(folder, "cache")]
  mkdirSync(code)
  const write = (name: string, text: string) => writeFileSync(join(code, name), text)
  write("main.ts", 'import { said } from "./said.ts"\nconsole.log(said)\n')
  write("said.ts", 'export const said = "one"\n')
  write("other.ts", 'export const said = "two"\n')
  const config = join(folder, "config.mjs")
  writeFileSync(config, `export default { input: ${JSON.stringify(join(code, "main.ts"))} }\n`)
  const bundled = () =>
    bundleOf({
      name: relative(join(root, "node_modules", ".cache"), cache),
      config,
      sources: [relative(root, code)],
      isSource: () => true
    })
  const said = () => /"(one|two|six)"/.exec(readFileSync(join(bundled(), "main.js"), "utf8"))?.[1]
  return { bundled, cache, code, said, write }
}

describe("a bundle of sources", () => {
  it("stays as long as they are the same, and is made again after a file in place, of the same size and time", () => {
    const { bundled, code, said, write } = sources()
    const file = join(code, "said.ts")
    utimesSync(file, 1_000, 1_000)
    const first = bundled()
    expect([said(), bundled()]).toEqual(["one", first])
    write("said.ts", 'export const said = "six"\n')
    utimesSync(file, 1_000, 1_000)
    expect(said()).toBe("six")
  })

  it("is made again after a file that was renamed onto another, one that came and one that went", () => {
    const { bundled, code, said, write } = sources()
    const seen = [bundled()]
    renameSync(join(code, "other.ts"), join(code, "said.ts"))
    expect(said()).toBe("two")
    seen.push(bundled())
    write("more.ts", "")
    seen.push(bundled())
    rmSync(join(code, "more.ts"))
    seen.push(bundled())
    // That is the state of the second again.
    expect(new Set(seen).size).toBe(3)
    rmSync(join(code, "said.ts"))
    expect(bundled).toThrow("said.ts")
  })

  it("is made also where the draft of another start vanishes meanwhile", () => {
    const { cache, said } = sources()
    mkdirSync(cache)
    symlinkSync("gone", join(cache, "draft-gone"))
    expect(said()).toBe("one")
  })

  it("is of all that the bundler's own settings are made of, too", () => {
    const settings = new Set<string>()
    const follow = (file: string): void => {
      if (settings.has(file)) return
      settings.add(file)
      for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(/ from "(\.[^"]+)"/g))
        follow(join(dirname(file), name))
    }
    follow("build/binary.config.ts")
    follow("build/tests.config.ts")
    expect(settings).toContain("build/hook.ts")
    for (const file of settings) expect(LAYERS, file).toContain(file.split("/")[0])
  })
})
