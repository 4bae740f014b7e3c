// A run of the laws that fails says how to repeat it in one line, and the line, pasted into a shell, gives the same failure.
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { expect, it } from "vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")

/** What a shell prints for a line, without colours. */
const printed = (line: string): string => {
  const { LAWS_RUNS: _runs, LAWS_SEED: _start, ...environment } = process.env
  const { stderr, stdout } = spawnSync("sh", ["-c", line], { cwd: root, encoding: "utf8", env: environment })
  return stripVTControlCharacters(`${stdout}${stderr}`)
}

/** Each failure from its sentence to its line. */
const failuresIn = (text: string): ReadonlyArray<{ readonly shown: string; readonly line: string }> =>
  [...text.matchAll(/^Error: ([^]*?)\nTo repeat:\n(LAWS_SEED=.*)$/gm)].map(([, shown = "", line = ""]) => ({
    shown,
    line
  }))

it("a line repeats the failure exactly, and only that test", () => {
  const first = printed(
    'LAWS_SEED=7 node_modules/.bin/vitest run --config "interfaces/test-kit/testing/fixture.config.mjs"'
  )
  const failure = failuresIn(first).find(({ line }) => line.includes("posted again under its key"))
  expect(failure, first).toBeDefined()
  const again = printed(failure?.line ?? "false")
  expect(failuresIn(again), again).toStrictEqual([failure])
  expect(again).toMatch(/1 failed \|/)
  // It fails after posts alone, shown as they were given, one by one or together.
  expect(failure?.shown).toMatch(/after:\n\[?\{"kind":"post"/)
})
