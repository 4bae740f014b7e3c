/**
 * The pure builder: the golden bundle comes out byte for byte, in any order of steps and receipts, and every
 * way in which a job can be unfit for a bundle is an error that names it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { artifactOf, type JobEvidence, manifestOf, planBundle, type PlannedReading } from "./build.ts"
import {
  golden,
  goldenJob,
  goldenPayload,
  goldenReceipt,
  goldenText,
  sha256
} from "./testing/smallest-bundle.ts"

const planned = (job: JobEvidence, allowFailures = false) => planBundle(sha256, job, { allowFailures })

const refusalOf = (job: JobEvidence, allowFailures = false) => {
  const plan = planned(job, allowFailures)
  assert.isTrue(Result.isFailure(plan))
  return Result.isFailure(plan) ? plan.failure : undefined
}

const reading = (): PlannedReading => Result.getOrThrow(planned(goldenJob)).readings[0] as PlannedReading

const withPayload = (changes: object): JobEvidence => ({
  ...goldenJob,
  steps: goldenJob.steps.map((step) => ({ ...step, payload_json: goldenPayload(changes) }))
})

const withReceipt = (changes: object): JobEvidence => ({
  ...goldenJob,
  receipts: goldenJob.receipts.map((receipt) => ({ ...receipt, receipt_json: goldenReceipt(changes) }))
})

const twoSteps = (
  second: Partial<JobEvidence["steps"][number]>,
  outcome: "SUCCESS" | "FAILURE"
): JobEvidence => ({
  ...goldenJob,
  steps: [...goldenJob.steps, { ...goldenJob.steps[0]!, step_id: "s2", ordinal: 2, ...second }],
  receipts: [
    ...goldenJob.receipts,
    { step_id: "s2", outcome, receipt_json: goldenReceipt({ step_id: "s2" }) }
  ]
})

describe("building", () => {
  it("gives the golden bundle exactly", () => {
    const plan = Result.getOrThrow(planned(goldenJob))
    const { artifact, text } = Result.getOrThrow(artifactOf(sha256, reading(), goldenText.slice(0, -1)))
    const built = Result.getOrThrow(manifestOf(sha256, plan, [artifact]))
    assert.deepStrictEqual({ [artifact.path]: text }, golden.artifacts)
    assert.strictEqual(built.text, `${golden.bundle_json_text}\n`)
    assert.strictEqual(built.manifest.bundle_id, golden.bundle_id)
    assert.strictEqual(built.manifest.plan_hash, golden.plan_hash)
    assert.strictEqual(built.manifest.hashes.root_hash, golden.root_hash)
  })

  it("adds no second line feed and strips nothing", () => {
    const whole = `${goldenText}\n`
    const kept = { ...reading(), payload_hash: sha256(whole), bytes_read: whole.length }
    assert.strictEqual(Result.getOrThrow(artifactOf(sha256, kept, whole)).text, whole)
    const empty = { ...reading(), payload_hash: sha256(""), bytes_read: 0 }
    const { artifact, text } = Result.getOrThrow(artifactOf(sha256, empty, ""))
    assert.deepStrictEqual([text, artifact.bytes, artifact.sha256], ["\n", 1, sha256("\n")])
  })

  it("does not depend on the order of rows, and shares one artifact between equal readings", () => {
    const job = twoSteps({}, "SUCCESS")
    const turned = { ...job, steps: job.steps.toReversed(), receipts: job.receipts.toReversed() }
    const plan = Result.getOrThrow(planned(job))
    assert.strictEqual(plan.readings.length, 1)
    assert.deepStrictEqual(Result.getOrThrow(planned(turned)).steps, plan.steps)
  })

  it("leaves failed steps out only when it is told to, and names them", () => {
    const job = twoSteps({}, "FAILURE")
    assert.strictEqual(refusalOf(job)?._tag, "StepsFailed")
    const plan = Result.getOrThrow(planned(job, true))
    assert.deepStrictEqual([plan.failed_steps, plan.readings.length], [["s2"], 1])
    const built = Result.getOrThrow(manifestOf(sha256, plan, []))
    assert.deepStrictEqual(built.manifest.provenance, { failed_steps: ["s2"] })
  })
})

describe("a job", () => {
  it("with work left, without receipts or with two for a step is incomplete", () => {
    const open = twoSteps({ status: "LEASED" }, "SUCCESS")
    assert.include(refusalOf(open)?.message, "s2")
    const jobs = [
      open,
      { ...goldenJob, receipts: [] },
      { ...goldenJob, receipts: [...goldenJob.receipts, ...goldenJob.receipts] },
      { ...goldenJob, steps: [], receipts: [] }
    ]
    assert.deepStrictEqual(
      jobs.map((job) => refusalOf(job, true)?._tag),
      jobs.map(() => "JobIncomplete" as const)
    )
  })

  it("with a step that is no reading, or whose slice or numbers no bundle can hold, is not bundleable", () => {
    const changes: ReadonlyArray<object> = [
      { op: "RUN" },
      { refs: { symbol_id: "@A/b" } },
      { refs: { section_id: "x", symbol_id: "@A/b" } },
      { constraints: {} },
      { constraints: { slice: "ALL" } },
      { constraints: { slice: "all" } },
      { constraints: { slice: " lines[0:3]" } },
      { constraints: { slice: "lines[0:3]", weight: 0.5 } },
      { timestamp: "2026-11-27T10:11:12.345Z" }
    ]
    for (const change of changes) {
      assert.strictEqual(refusalOf(withPayload(change))?._tag, "NotBundleable", JSON.stringify(change))
    }
  })

  it("whose receipt speaks of another reading has drifted", () => {
    const changes = [
      { step_id: "s9" },
      { op: "READ_SYMBOL" },
      { slice: "lines[0:4]" },
      { section_id: "b".repeat(64) },
      { symbol_id: "@A/b" }
    ]
    for (const change of changes) {
      assert.strictEqual(refusalOf(withReceipt(change))?._tag, "ReceiptDrift", JSON.stringify(change))
    }
    assert.strictEqual(refusalOf(withReceipt({ cache: "MAYBE" }))?._tag, "NotBundleable")
  })

  it("that read two texts under one name is in conflict", () => {
    const job = twoSteps({}, "SUCCESS")
    const [first, second] = job.receipts
    const changed = goldenReceipt({ step_id: "s2", payload_hash: sha256("another text") })
    const conflict = refusalOf({ ...job, receipts: [first!, { ...second!, receipt_json: changed }] })
    assert.strictEqual(conflict?._tag, "ArtifactConflict")
  })
})

describe("a text", () => {
  it("that is not what the receipt says is drift", () => {
    const text = goldenText.slice(0, -1)
    const faults = [
      artifactOf(sha256, reading(), `${text}!`),
      artifactOf(sha256, { ...reading(), bytes_read: text.length + 1 }, text)
    ]
    for (const fault of faults) {
      assert.strictEqual(Result.isFailure(fault) && fault.failure._tag, "ReceiptDrift")
    }
  })

  it("that verification would refuse is not bundled", () => {
    for (const text of ["a\r\nb", "\ufeffa", "a\ud800"]) {
      const kept = { ...reading(), payload_hash: sha256(text), bytes_read: Buffer.byteLength(text) }
      const artifact = artifactOf(sha256, kept, text)
      assert.strictEqual(Result.isFailure(artifact) && artifact.failure._tag, "NotBundleable", text)
    }
  })
})
