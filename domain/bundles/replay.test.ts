/**
 * Receipts of replays: their form, their hash, their chain, and what is no receipt.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { pyText } from "../canonical/py.ts"
import { firstDifference, parseReceipt, type ReplayReceipt, receiptText, replayReceipt } from "./replay.ts"
import { golden, goldenManifest, sha256 } from "./testing/smallest-bundle.ts"

const [artifact] = goldenManifest.artifacts
const read = [{ artifact_id: artifact!.artifact_id, sha256: artifact!.sha256, bytes: artifact!.bytes }]
const receipt = replayReceipt(sha256, goldenManifest, read, null)

const parsed = (value: object | string) =>
  parseReceipt(sha256, Buffer.from(typeof value === "string" ? value : `${pyText(value)}\n`))

describe("a receipt", () => {
  it("says what every step gave", () => {
    assert.deepInclude(receipt, {
      outcome: "SUCCESS",
      error: null,
      root_hash: golden.root_hash,
      bundle_id: golden.bundle_id,
      parent_receipt_hash: null
    })
    assert.deepStrictEqual(receipt.steps, [
      {
        ordinal: 1,
        step_id: "s1",
        op: "READ_SECTION",
        outcome: "SUCCESS",
        result: { content_hash: artifact!.sha256, bytes: 20 },
        error: null
      }
    ])
  })

  it("has the hash of its file without the hash", () => {
    const text = receiptText(receipt)
    const without = text.replace(`"receipt_hash":"${receipt.receipt_hash}",`, "")
    assert.strictEqual(without.length, text.length - 82)
    assert.strictEqual(sha256(without), receipt.receipt_hash)
  })

  it("names the one before it", () => {
    const next = replayReceipt(sha256, goldenManifest, read, receipt.receipt_hash)
    assert.strictEqual(next.parent_receipt_hash, receipt.receipt_hash)
    assert.notStrictEqual(next.receipt_hash, receipt.receipt_hash)
  })

  it("of failed steps is a failure that reads nothing", () => {
    const failed = replayReceipt(
      sha256,
      { ...goldenManifest, artifacts: [], provenance: { failed_steps: ["s1"] } },
      [],
      null
    )
    assert.deepStrictEqual(
      [failed.outcome, failed.error],
      ["FAILURE", "1 of 1 steps did not succeed in their job"]
    )
    assert.deepInclude(failed.steps[0], { outcome: "FAILURE", result: null })
  })
})

describe("reading a receipt", () => {
  it("gives it back", () => {
    assert.deepStrictEqual(Result.getOrThrow(parsed(receiptText(receipt))), receipt)
  })

  it("refuses what is none, and what was changed", () => {
    const text = receiptText(receipt)
    const changed: ReadonlyArray<object | string> = [
      "",
      "[]",
      {},
      text.trimEnd(),
      `${text}\n`,
      text.replace(":", ": "),
      { ...receipt, run_id: "run_2" },
      { ...receipt, receipt_hash: "0".repeat(64) },
      { ...receipt, more: 1 },
      { ...receipt, receipt_version: "2.0.0" },
      text.replace('"bytes":20', '"bytes":20.0')
    ]
    for (const value of changed) assert.isTrue(Result.isFailure(parsed(value)), JSON.stringify(value))
  })
})

describe("the first difference", () => {
  it("is none between equal receipts, and a pointer else", () => {
    assert.isUndefined(firstDifference(receipt, { ...receipt }))
    const other: ReplayReceipt = {
      ...receipt,
      steps: receipt.steps.map((step) => ({ ...step, result: null }))
    }
    assert.deepInclude(firstDifference(receipt, other), {
      where: "/steps/0/result/content_hash",
      right: null
    })
    assert.deepStrictEqual(firstDifference(receipt, { ...receipt, parent_receipt_hash: "a" }), {
      where: "/parent_receipt_hash",
      left: "null",
      right: '"a"'
    })
  })
})
