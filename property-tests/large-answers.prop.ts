// Answers that are larger than the memory of the process that gives them: each command writes while it reads, so a small
// heap suffices for a large ledger, and what is written is whole.
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleLayer, finishJob } from "../infrastructure/bundles/testing/finished-job.ts"
import { sha256 } from "../infrastructure/hashing/sha256.ts"
import { Ledger, Thoughts } from "../interfaces/embedding/index.ts"

/** More than the heap below could hold, several times over: 200,000 steps and 100 MB of thoughts. */
const MESSAGES = 20
const STEPS = 10_000
const STEP_CHARACTERS = 60
const THOUGHTS = 1_000
const THOUGHT_CHARACTERS = 100_000
const HEAP_MEGABYTES = 96
/** So that a command that hangs ends; no time is judged. */
const COMMAND_MILLIS = 900_000
const LARGE = MESSAGES * STEPS * STEP_CHARACTERS

const folder = mkdtempSync(join(tmpdir(), "cassette-large-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const filename = join(folder, "l.db")
const binary = join(import.meta.dirname, "..", "interfaces", "cli", "bin.ts")
/** A job whose steps read 100 MB. */
const READS = 1_000
const READ_CHARACTERS = 100_000
const root = join(folder, "job")
const END = String(1 + MESSAGES + THOUGHTS)

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const thoughts = yield* Thoughts
      const text = "t".repeat(STEP_CHARACTERS)
      const steps = Array.from({ length: STEPS }, (_, n) => ({ n, text }))
      for (let n = 0; n < MESSAGES; n++) {
        yield* ledger.postMessage({ run_id: `large-${n}`, source: "USER", payload: { n, steps } })
      }
      const content = "t".repeat(THOUGHT_CHARACTERS)
      for (let n = 0; n < THOUGHTS; n++) {
        yield* thoughts.createThoughtRecord({ type: "plan", task_id: "t", agent_id: "a", content })
      }
    }).pipe(Effect.provide(Ledger.layer({ filename, durability: "normal" })))
  )
)

/** Runs `cortex ARGS` with a small heap; gives the file that holds what it wrote. */
const written = (args: ReadonlyArray<string>, place: ReadonlyArray<string> = ["--db", filename]): string => {
  const file = join(folder, "out")
  const descriptor = openSync(file, "w")
  const { status, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP_MEGABYTES}`, binary, ...args, ...place],
    { stdio: ["ignore", descriptor, "pipe"], encoding: "utf8", timeout: COMMAND_MILLIS }
  )
  closeSync(descriptor)
  expect([args, status, stderr.slice(-2_000)]).toEqual([
    args,
    0,
    args.includes("verify") ? "PASS: All invariants verified\n" : ""
  ])
  return file
}

/** What a file holds as one document. */
const dataOf = (file: string) => {
  const { data, ok } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly ok: boolean
    readonly data: Readonly<Record<string, ReadonlyArray<unknown>>>
  }
  expect(ok).toBe(true)
  return data
}

describe("a small heap suffices", () => {
  it("for the state of a large ledger, as a whole document", () => {
    const file = written(["cassette", "at", END, "--format", "json"])
    expect(statSync(file).size).toBeGreaterThan(2 * LARGE)
    const { steps, thoughts } = dataOf(file)
    expect([steps?.length, thoughts?.length]).toEqual([MESSAGES * STEPS, THOUGHTS])
  })

  it.each([
    [["cassette", "log", "--format", "json"]],
    [["cassette", "status"]],
    [["cassette", "waiting"]],
    [["cassette", "waiting", "--format", "json"]],
    [["cassette", "verify"]],
    [["cassette", "verify", "--run-id", "large-7"]],
    [["cassette", "at", END, "--run-id", "large-7"]],
    [["thought", "list"]],
    [["thought", "list", "--desc"]],
    [["thought", "list", "--task", "t"]],
    [["thought", "verify"]]
  ])("for %j", (args) => {
    expect(statSync(written(args)).size).toBeGreaterThan(0)
  })

  it("for the bundle of a large job", async () => {
    const reads = Array.from({ length: READS }, (_, n) => ({
      ref: sha256(`section ${n}`),
      slice: "lines[0:9]",
      text: `${n} ${"t".repeat(READ_CHARACTERS)}`
    }))
    const databases = bundleLayer(join(root, "CORTEX", "_generated"))
    const { job_id, run_id } = await Effect.runPromise(Effect.provide(finishJob(reads), databases))
    const bundle = join(root, "bundle")
    const named = ["--run-id", run_id, "--job-id", job_id, "--out", bundle]
    written(["bundle", "build", ...named], ["--root", root])
    written(["bundle", "verify", bundle], [])
    written(["bundle", "pack", bundle, `${bundle}.tar`], [])
    expect(statSync(`${bundle}.tar`).size).toBeGreaterThan(READS * READ_CHARACTERS)
  })
})
