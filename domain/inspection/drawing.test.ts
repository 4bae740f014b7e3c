// The drawing of a run: bars for attempts, lanes for steps or workers, and times that a file was tampered with.
import { assert, describe, it } from "@effect/vitest"
import type { Attempt } from "../ledger/attempts.ts"
import { type DrawnStep, drawingOf } from "./drawing.ts"

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 28, 12, 0, seconds)).toISOString()

const attempt = (
  worker_id: string,
  from: number,
  to: number | undefined,
  how: "SUCCESS" | "FAILURE" = "SUCCESS"
): Attempt => ({
  worker_id,
  fencing_token: 1,
  lease_expires_at: at(from + 60),
  claimed: { position: 1, at: at(from) },
  renewals: [],
  end: to === undefined ? undefined : { position: 2, at: at(to), how }
})

const step = (ordinal: number, attempts: ReadonlyArray<Attempt>, waits = false): DrawnStep => ({
  run_id: "r",
  step_id: `step_${ordinal}`,
  ordinal,
  what: `step ${ordinal}`,
  created_at: at(0),
  attempts,
  waits
})

describe("a drawing", () => {
  it("has a lane for each step, with a bar for each attempt and the end of its lease", () => {
    const drawing = drawingOf([step(1, [attempt("a", 1, 4)]), step(2, [], true)], at(10), true)
    assert.deepStrictEqual(drawing, {
      by: "step",
      from: at(0),
      length: 10_000,
      lanes: [
        {
          label: "step 1",
          step_id: "step_1",
          bars: [{ from: 1_000, to: 4_000, lease: 61_000, how: "SUCCESS", count: 1 }],
          waits_from: null
        },
        { label: "step 2", step_id: "step_2", bars: [], waits_from: 0 }
      ],
      left_off: 0,
      is_whole: true
    })
  })

  it("says of a lease that is held whether it has ended", () => {
    const held = (now: number) =>
      drawingOf([step(1, [attempt("a", 1, undefined)])], at(now), true)?.lanes[0]?.bars.map(({ how, to }) => [
        how,
        to
      ])
    assert.deepStrictEqual(held(30), [["leased", 30_000]])
    assert.deepStrictEqual(held(61), [["ended", 61_000]])
    assert.deepStrictEqual(held(90), [["ended", 61_000]])
  })

  it("of many steps has a lane for each worker; what touches and went well is one bar, a failure stays", () => {
    const steps = Array.from({ length: 100 }, (_, index) =>
      step(index + 1, [
        attempt(index % 2 === 0 ? "a" : "b", index, index + 1, index === 50 ? "FAILURE" : "SUCCESS")
      ])
    )
    const drawing = drawingOf(steps, at(200), true)
    assert.strictEqual(drawing?.by, "worker")
    assert.deepStrictEqual(
      drawing?.lanes.map(({ label }) => label),
      ["a", "b"]
    )
    const joined = drawingOf(
      Array.from({ length: 100 }, (_, index) =>
        step(index + 1, [attempt("a", index, index + 1, index === 50 ? "FAILURE" : "SUCCESS")])
      ),
      at(200),
      true
    )
    assert.deepStrictEqual(
      joined?.lanes[0]?.bars.map(({ count, how }) => [how, count]),
      [
        ["SUCCESS", 50],
        ["FAILURE", 1],
        ["SUCCESS", 49]
      ]
    )
  })

  it("has no negative time where a clock was set back, and bears a time that is none", () => {
    const back = drawingOf([step(1, [attempt("a", 9, 4)])], at(10), true)
    assert.deepStrictEqual(
      back?.lanes[0]?.bars.map(({ from, to }) => to - from),
      [0]
    )
    const broken = { ...attempt("a", 1, 4), claimed: { position: 1, at: "\u202e no time" } }
    assert.strictEqual(drawingOf([step(1, [broken])], at(10), true)?.lanes.length, 1)
    assert.isUndefined(drawingOf([], at(10), true))
  })
})
