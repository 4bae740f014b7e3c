/**
 * A short storm as its users start it: the whole program, its exit code and its report. It must leave no process and no
 * folder behind, also when it is interrupted.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { programOf } from "../infrastructure/testing/programs/program.ts"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"
import { settingsFrom } from "./settings.ts"
import type { StormReport } from "./storm.ts"

const script = programOf("storm/run.ts")

const start = (...args: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [script, "--format", "json", ...args], { stdio: ["ignore", "pipe", "pipe"] })

/** Processes of this machine whose command line has this text in it. */
const processesWith = (text: string): ReadonlyArray<string> =>
  spawnSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.includes(text))

const POLL_MILLIS = 100

/** Waits until the storm below a folder has processes. */
const started = async (below: string): Promise<void> => {
  while (processesWith(join(below, "cassette-storm-")).length === 0) await sleep(POLL_MILLIS)
}

const outcomeOf = async (storm: ChildProcess): Promise<{ code: number; report: StormReport }> => {
  if (storm.stdout === null) throw new Error("the storm has no output")
  const output = text(storm.stdout)
  const [code] = (await once(storm, "exit")) as [number]
  return { code, report: JSON.parse(await output) as StormReport }
}

describe("a storm", () => {
  it("passes, says what it did and leaves nothing behind", async () => {
    const below = temporaryFolder()
    const storm = start("--seconds", "1", "--processes", "3", "--seed", "7", "--below", below)
    const { code, report } = await outcomeOf(storm)
    assert.deepStrictEqual(report.findings, [])
    assert.strictEqual(code, 0)
    assert.deepInclude(report, { verdict: "PASS", seed: 7, processes: 3 })
    assert.isAtLeast(report.weather.lives, 3)
    assert.deepStrictEqual(readdirSync(below), [])
    assert.deepStrictEqual(processesWith(below), [])
  })

  it("that is interrupted ends at once, is judged, and leaves nothing behind", async () => {
    const below = temporaryFolder()
    const storm = start("--seconds", "3600", "--processes", "2", "--below", below)
    await started(below)
    storm.kill("SIGTERM")
    const { code, report } = await outcomeOf(storm)
    assert.deepStrictEqual(report.findings, [])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(readdirSync(below), [])
    assert.deepStrictEqual(processesWith(below), [])
  })

  it("that is killed takes its processes along, also those that are stopped", async () => {
    const below = temporaryFolder()
    const storm = start("--seconds", "3600", "--processes", "3", "--below", below)
    await started(below)
    const ended = once(storm, "exit")
    storm.kill("SIGKILL")
    await ended
    while (processesWith(below).length > 0) await sleep(POLL_MILLIS)
    assert.notDeepEqual(readdirSync(below), [], "no process was left to remove it")
  })

  it("over workers has each step done once, and leaves nothing behind", async () => {
    const below = temporaryFolder()
    const storm = start("--workers", "4", "--seed", "3", "--below", below)
    const { code, report } = await outcomeOf(storm)
    assert.deepStrictEqual(report.findings, [])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(readdirSync(below), [])
    assert.deepStrictEqual(processesWith(below), [])
  })

  it("refuses settings that make no sense, and says how they are given", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [script, "--seconds", "0"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 2, stderr)
    assert.include(stderr, "--seconds takes a whole number from 1 to 86400")
    assert.include(stderr, "Usage: pnpm storm")
    assert.strictEqual(stdout, "")
    const help = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" })
    assert.deepInclude(help, { status: 0, stderr: "" })
    assert.match(help.stdout, /^Usage: pnpm storm/)
    for (const args of [["--processes", "x"], ["--seed", "-1"], ["--format", "xml"], ["--x"], ["x"]]) {
      assert.throws(() => settingsFrom(args, 1), TypeError)
    }
    const { processes, seed } = settingsFrom(["--processes", "9"], 5)
    assert.deepStrictEqual([processes, seed], [9, 5])
  })
})
