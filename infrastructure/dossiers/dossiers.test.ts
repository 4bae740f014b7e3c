// Dossiers of real ledgers: the same bytes each time, verified from their own bytes and a trust file, compared with the ledger.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isSameFile, isSameFolder } from "../files/same-content.ts"
import {
  exported,
  openStory,
  reportAt,
  reportWith,
  RUN,
  signedBy,
  stranger,
  TASK,
  tellStory
} from "./testing/dossiers.ts"

const codesOf = ({ findings }: { readonly findings: ReadonlyArray<{ readonly code: string }> }) =>
  findings.map(({ code }) => code)

describe("a dossier of a run", () => {
  it.effect("is the same bytes each time, and verifies, as a folder and packed", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const made = yield* exported(story, "a")
      assert.deepStrictEqual(readdirSync(made.path).sort(), [
        "checkpoint.txt",
        "dossier.json",
        "events.jsonl",
        "proofs.jsonl",
        "thoughts.jsonl"
      ])
      assert.isTrue(made.created)
      assert.isFalse((yield* exported(story, "a")).created)
      const again = yield* exported(story, "b")
      assert.isTrue(isSameFolder(made.path, again.path))
      const packed = { run_id: RUN, tasks: [TASK], packed: true }
      const tar = yield* exported(story, "a.tar", packed)
      assert.isTrue(isSameFile(tar.path, (yield* exported(story, "b.tar", packed)).path))
      for (const path of [made.path, join(made.path, "dossier.json"), tar.path]) {
        const report = yield* reportAt(path, story.trust)
        assert.deepInclude(report, { verdict: "PASS", findings: [], complete: null, signers: ["audit"] })
        assert.deepInclude(report.counts, { events: 12, proofs: 12, thoughts: 2, withheld: 0, bundles: 0 })
        assert.strictEqual(report.root_hash, made.root_hash)
      }
      assert.deepStrictEqual(readdirSync(story.folder).sort(), ["a", "a.tar", "b", "b.tar"])
    })
  )

  it.effect("is complete, says the ledger, which counts what came later", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const { path } = yield* exported(story, "a")
      assert.deepInclude(yield* reportWith(story, path), { verdict: "PASS", complete: true, newer_events: 0 })
      yield* story.ledger.postMessage({ run_id: RUN, source: "USER", payload: {} })
      assert.deepInclude(yield* reportWith(story, path), { verdict: "PASS", complete: true, newer_events: 1 })
    })
  )

  it.effect("can be made against a checkpoint that was signed before, as of then", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const before = yield* exported(story, "a")
      yield* story.ledger.postMessage({ run_id: RUN, source: "USER", payload: {} })
      const checkpoint = readFileSync(join(before.path, "checkpoint.txt"), "utf8")
      const later = yield* exported(story, "b", { run_id: RUN, tasks: [TASK] }, { checkpoint })
      assert.isTrue(isSameFolder(before.path, later.path))
    })
  )

  it.effect("without bodies shows what is left of each event, and hides the rest", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const { path } = yield* exported(story, "a", { run_id: RUN, tasks: [TASK], bodies: "hashed" })
      const report = yield* reportAt(path, story.trust)
      assert.deepInclude(report, { verdict: "PASS", findings: [], bodies: "hashed" })
      assert.deepInclude(report.counts, { events: 12, withheld: 6 })
      for (const name of readdirSync(path)) {
        assert.notMatch(readFileSync(join(path, name), "utf8"), /Ada|greet, then go|"say/)
      }
      assert.deepInclude(yield* reportWith(story, path), { verdict: "PASS", complete: true })
    })
  )

  it.effect("of some jobs has their events alone", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      const { message_id } = yield* tellStory(story)
      const job = `job_${message_id.slice(4)}.0002`
      const { path } = yield* exported(story, "a", { run_id: RUN, jobs: [job] })
      const report = yield* reportWith(story, path)
      assert.deepInclude(report, { verdict: "PASS", findings: [], complete: true })
      assert.deepInclude(report.counts, { events: 3, thoughts: 0 })
    })
  )

  it.effect("of a task alone has its thoughts", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const { path } = yield* exported(story, "a", { tasks: [TASK] })
      const report = yield* reportWith(story, path)
      assert.deepInclude(report, { verdict: "PASS", findings: [], complete: true })
      assert.deepInclude(report.counts, { events: 2, thoughts: 2 })
    })
  )
})

describe("exporting", () => {
  it.effect("refuses what is not there, and leaves nothing", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const tagOf = (request: Parameters<typeof exported>[2]) =>
        Effect.map(Effect.flip(exported(story, "a", request)), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagOf({}), "InvalidInput")
      assert.strictEqual(yield* tagOf({ tasks: [], jobs: [] }), "InvalidInput")
      assert.strictEqual(yield* tagOf({ run_id: RUN, jobs: [] }), "InvalidInput")
      assert.strictEqual(yield* tagOf({ run_id: "run-c" }), "RunNotFound")
      assert.strictEqual(yield* tagOf({ run_id: RUN, tasks: ["task-b"] }), "TaskNotFound")
      const job = "job_0000000000002_0123456789abcdef.0001"
      assert.strictEqual(yield* tagOf({ run_id: RUN, jobs: [job] }), "JobNotFound")
      assert.deepStrictEqual(readdirSync(story.folder), [])
    })
  )

  it.effect("writes over nothing", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      writeFileSync(join(story.folder, "a"), "mine")
      for (const packed of [false, true]) {
        const error = yield* Effect.flip(exported(story, "a", { run_id: RUN, packed }))
        assert.strictEqual(error._tag, "TargetExists")
      }
      assert.strictEqual(readFileSync(join(story.folder, "a"), "utf8"), "mine")
      assert.deepStrictEqual(readdirSync(story.folder), ["a"])
    })
  )
})

describe("a dossier is not believed", () => {
  it.effect("when a key signed that is not trusted for this ledger", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* tellStory(story)
      const { path } = yield* exported(story, "a", { run_id: RUN }, signedBy(stranger))
      assert.deepStrictEqual(codesOf(yield* reportAt(path, story.trust)), ["CHECKPOINT_UNTRUSTED"])
      assert.deepInclude(yield* reportAt(path), { verdict: "PASS", signers: [] })
    })
  )

  it.effect("by another ledger", () =>
    Effect.gen(function* () {
      const [story, other] = [yield* openStory(), yield* openStory()]
      yield* tellStory(story)
      yield* tellStory(other)
      const { path } = yield* exported(story, "a", { run_id: RUN })
      const report = yield* reportWith({ ...other, trust: story.trust }, path)
      assert.include(codesOf(report), "LEDGER_DIFFERS")
      assert.strictEqual(report.verdict, "FAIL")
    })
  )

  it.effect("when there is none", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      const report = yield* reportAt(join(story.folder, "none"), story.trust)
      assert.deepInclude(report, { verdict: "INVALID", ledger_id: null })
      assert.deepStrictEqual(codesOf(report), ["MANIFEST_MISSING"])
      assert.isFalse(existsSync(join(story.folder, "none")))
    })
  )
})
