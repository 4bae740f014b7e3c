// The JSON documents byte by byte: programs read them.
import { describe, expect, it } from "vitest"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { LedgerClosed, StaleFencingToken } from "../../domain/ledger/errors.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import { errorDocument, errorEnvelope, successEnvelope } from "./envelope.ts"
import { findingCount, VerificationFailed } from "./failures.ts"

const report: VerificationReport = {
  verdict: "FAIL",
  rungs: [{ name: "chain", findings: 3, since: null, run_id: null }],
  findings: [{ code: "HEAD_MISMATCH", where: "head", message: "m" }],
  findings_left_off: 2,
  warnings: [],
  counts: { events: 1 },
  head: { position: 1, hash: "00" },
  digests: {}
}

describe("envelopes", () => {
  it("wraps data", () => {
    expect(successEnvelope({ receipt_id: "rcpt_1" })).toBe('{"ok":true,"data":{"receipt_id":"rcpt_1"}}')
  })
  it("gives an error its code, its message and its own fields", () => {
    const failure = new StaleFencingToken({ step_id: "s", fencing_token: 1, current_token: 2 })
    expect(errorEnvelope(errorDocument(failure))).toBe(
      '{"ok":false,"error":{"code":"STALE_FENCING_TOKEN","message":"Fencing token mismatch on step s: given 1, current 2","details":{"step_id":"s","fencing_token":1,"current_token":2}}}'
    )
  })
  it("keeps the message of invalid input out of its details", () => {
    const failure = new InvalidInput({ message: "no", issues: [{ path: "/a", message: "no" }] })
    expect(errorDocument(failure)).toEqual({
      code: "INVALID_PARAMS",
      message: "no",
      details: { issues: [{ path: "/a", message: "no" }] }
    })
  })
  it("has empty details for an error without fields", () => {
    expect(errorDocument(new LedgerClosed())).toEqual({
      code: "LEDGER_CLOSED",
      message: "The ledger is closed",
      details: {}
    })
  })
  it("gives a negative verdict the whole report", () => {
    const failure = new VerificationFailed({ message: "3 issue(s) found", report, listed: [] })
    expect(errorDocument(failure)).toEqual({
      code: "VERIFICATION_FAILED",
      message: "3 issue(s) found",
      details: report
    })
    expect(findingCount(report)).toBe(3)
  })
})
