/**
 * Building from real ledgers and caches: what comes out verifies, comes out the same again. Where no
 * bundle can be made, the target stays as it was, also when the builder is killed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type BuildBundle, buildBundle } from "../../application/bundles/build-bundle.ts"
import { verifyBundle } from "../../application/bundles/verify-bundle.ts"
import { startChild } from "../testing/programs/child-process.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { hasPython, secondOpinions } from "./testing/bundle-folders.ts"
import { bundleLayer, finishJob, type JobOptions, type Read } from "./testing/finished-job.ts"

const section = "5".repeat(64)

const reads: ReadonlyArray<Read> = [
  { ref: "@DOCS/readme", slice: "lines[0:2]", text: "# Título\n\u{1f600}" },
  { ref: section, slice: "head(5)", text: "ends\n" },
  { ref: "@DOCS/readme", slice: "lines[0:2]", text: "# Título\n\u{1f600}" },
  {
    ref: "@DOCS/readme",
    slice: "tail(3)",
    text: "\n\n\n",
    constraints: { os: "any", weight: 3 },
    expected_outputs: { lines: [1, { timestamp: "free" }] }
  }
]

type Services = Layer.Success<ReturnType<typeof bundleLayer>>

const within = <A, E>(folder: string, program: Effect.Effect<A, E, Services>) =>
  Effect.provide(program, bundleLayer(folder))

/** A folder with a finished job in its ledger. */
const finished = (steps: ReadonlyArray<Read> = reads, options?: JobOptions) =>
  Effect.gen(function* () {
    const folder = temporaryFolder()
    const job = yield* within(folder, finishJob(steps, options))
    const build = (changes: Partial<BuildBundle> = {}, out = "out") =>
      within(folder, buildBundle({ ...job, ...changes }, join(folder, out)))
    return { folder, job, build, out: join(folder, "out") }
  })

const filesBelow = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, "utf8")])
  )

describe("a bundle", () => {
  it.live("verifies, and so says the second verifier", () =>
    Effect.gen(function* () {
      const { build, folder, out } = yield* finished()
      const built = yield* build()
      assert.isTrue(built.created)
      assert.deepStrictEqual(built.counts, { steps: 4, artifacts: 3, bytes: 23 })
      const { report } = yield* within(folder, verifyBundle(out))
      assert.deepStrictEqual([report.verdict, report.findings], ["PASS", []])
      assert.strictEqual(report.bundle_id, built.bundle_id)
      const texts = Object.entries(filesBelow(out)).flatMap(([name, text]) =>
        name.endsWith(".txt") ? [text] : []
      )
      assert.sameMembers(texts, ["# Título\n\u{1f600}\n", "ends\n", "\n\n\n"])
      if (hasPython) assert.deepInclude(secondOpinions([out])[0], { exit: 0, codes: [] })
    })
  )

  it.live("comes out the same again: beside the first byte for byte, over it untouched", () =>
    Effect.gen(function* () {
      const { build, folder, out } = yield* finished()
      yield* build()
      yield* build({}, "again")
      assert.deepStrictEqual(filesBelow(join(folder, "again")), filesBelow(out))
      assert.isFalse((yield* build()).created)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("partial")),
        []
      )
    })
  )

  it.live("names the steps that failed when it is allowed to", () =>
    Effect.gen(function* () {
      const { build, folder, out } = yield* finished([
        ...reads,
        { ref: "@A/b", slice: "head(1)", text: undefined }
      ])
      assert.strictEqual((yield* Effect.flip(build()))._tag, "StepsFailed")
      assert.isFalse(existsSync(out))
      const { failed_steps } = yield* build({ allow_failures: true })
      assert.strictEqual(failed_steps.length, 1)
      const { manifest, report } = yield* within(folder, verifyBundle(out))
      assert.deepStrictEqual([report.verdict, manifest?.provenance], ["PASS", { failed_steps }])
    })
  )

  it.live("of nothing but failures has no artifact and verifies", () =>
    Effect.gen(function* () {
      const { build, folder, out } = yield* finished([{ ref: "@A/b", slice: "head(1)", text: undefined }])
      yield* build({ allow_failures: true })
      assert.strictEqual((yield* within(folder, verifyBundle(out))).report.verdict, "PASS")
    })
  )
})

describe("no bundle", () => {
  const refused = (options: JobOptions, tag: string, changes: Partial<BuildBundle> = {}) =>
    Effect.gen(function* () {
      const { build, folder } = yield* finished(reads, options)
      assert.strictEqual((yield* Effect.flip(build(changes)))._tag, tag)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("out")),
        []
      )
    })

  it.live("of a job with work left", () => refused({ waiting: 1 }, "JobIncomplete"))
  it.live("of what is not kept", () => refused({ unstored: true }, "ExpansionMissing"))
  it.live("of a job that is not there", () => refused({}, "JobNotFound", { job_id: "job_x" }))
  it.live("of a job of another run", () => refused({}, "JobNotFound", { run_id: "run_2" }))
  it.live("of no run at all", () => refused({}, "InvalidInput", { run_id: "" }))

  it.live("into a folder that is not there", () =>
    Effect.gen(function* () {
      const { build } = yield* finished()
      assert.strictEqual((yield* Effect.flip(build({}, "no/out")))._tag, "InvalidInput")
    })
  )

  it.live("over anything that is not the same", () =>
    Effect.gen(function* () {
      const { build, folder, out } = yield* finished()
      yield* build()
      const places: ReadonlyArray<readonly [string, (path: string) => void]> = [
        ["file", (path) => writeFileSync(path, "")],
        ["empty", (path) => mkdirSync(path)],
        ["link", (path) => symlinkSync(out, path)],
        [
          "other",
          (path) => {
            mkdirSync(path)
            writeFileSync(join(path, "bundle.json"), "{}")
          }
        ]
      ]
      for (const [name, make] of places) {
        make(join(folder, name))
        const error = yield* Effect.flip(build({}, name))
        assert.strictEqual(error._tag, "TargetExists", name)
      }
      writeFileSync(join(out, "more"), "")
      assert.strictEqual((yield* Effect.flip(build()))._tag, "TargetExists")
      assert.strictEqual(readFileSync(join(folder, "other", "bundle.json"), "utf8"), "{}")
    })
  )
})

describe("a builder that is killed", () => {
  for (const [moment, writes] of [
    ["between two files", 2],
    ["before the last step", 99]
  ] as const) {
    it.live(`${moment} leaves no target, and the next one builds it`, () =>
      Effect.gen(function* () {
        const { build, folder, job, out } = yield* finished()
        const child = startChild([folder, out, job.run_id, job.job_id, String(writes)], { script: "builder" })
        assert.strictEqual(yield* Effect.promise(child.line), "stopped")
        child.process.kill("SIGKILL")
        yield* Effect.promise(() => child.ended)
        assert.isFalse(existsSync(out))
        yield* build()
        assert.strictEqual((yield* within(folder, verifyBundle(out))).report.verdict, "PASS")
      })
    )
  }
})
