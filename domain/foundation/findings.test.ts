// One limit for every report: what goes over it is counted, and no text of a finding is longer than its bound.
import { expect, it } from "vitest"
import { MAX_FINDINGS } from "./finding.ts"
import { Findings } from "./findings.ts"

it("lists up to the limit in their order, counts the rest, and fails for any", () => {
  const findings = new Findings<"A" | "B">()
  expect(findings.report).toEqual({ verdict: "PASS", findings: [], findings_left_off: 0 })
  findings.addAll(Array.from({ length: MAX_FINDINGS }, (_, n) => ({ code: "A", where: `${n}`, message: "" })))
  findings.add("B", "behind the limit", "")
  const { findings: listed, findings_left_off, verdict } = findings.report
  expect([verdict, listed.length, findings_left_off]).toEqual(["FAIL", MAX_FINDINGS, 1])
  expect(listed.at(-1)).toEqual({ code: "A", where: `${MAX_FINDINGS - 1}`, message: "" })
  expect(findings.total).toBe(MAX_FINDINGS + 1)
})

it("cuts a text that is too long, and says how long it was", () => {
  const findings = new Findings()
  findings.add("A", "x".repeat(5_000), "y".repeat(2_000))
  expect(findings.listed[0]?.where).toMatch(/^x{2000}… \(5000 characters\)$/)
  expect(findings.listed[0]?.message).toBe("y".repeat(2_000))
})
