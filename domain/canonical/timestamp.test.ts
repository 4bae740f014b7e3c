// Timestamps against JavaScript's Date over the whole range, and on the edges of the calendar.

import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Schema from "effect/Schema"
import {
  isTimestamp,
  millisFromTimestamp,
  nearestTimestamp,
  Timestamp,
  timestampFromMillis
} from "./timestamp.ts"

const first = Date.parse("0000-01-01T00:00:00.000Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")
const dayMillis = 86_400_000

describe("timestampFromMillis", () => {
  it("agrees with Date at both ends of every day of 0000 to 9999, in strides", () => {
    for (let day = first; day < last; day += 13 * dayMillis) {
      for (const millis of [day, day + dayMillis - 1]) {
        const text = timestampFromMillis(millis)
        if (text !== new Date(millis).toISOString()) assert.fail(`${millis} gave ${text}`)
      }
    }
  })

  it("agrees with Date around every leap day and year's end", () => {
    for (let year = 0; year <= 9999; year++) {
      const march = Date.parse(`${`${year}`.padStart(4, "0")}-03-01T00:00:00.000Z`)
      for (const millis of [march - dayMillis, march - 1, march, march + 306 * dayMillis - 1]) {
        if (timestampFromMillis(millis) !== new Date(millis).toISOString()) assert.fail(`${millis}`)
      }
    }
  })

  it("round-trips, and keeps order, for 5,000 generated times", () => {
    const times = fc.integer({ min: first, max: last })
    fc.assert(
      fc.property(times, times, (left, right) => {
        const [a, b] = [timestampFromMillis(left), timestampFromMillis(right)]
        assert.strictEqual(a, new Date(left).toISOString())
        assert.strictEqual(millisFromTimestamp(a), left)
        assert.isTrue(isTimestamp(a))
        assert.strictEqual(a < b, left < right)
      }),
      { numRuns: 5000, seed: 1970 }
    )
  })

  it("cuts fractions towards the past", () => {
    assert.strictEqual(timestampFromMillis(1.9), "1970-01-01T00:00:00.001Z")
    assert.strictEqual(timestampFromMillis(-0.5), "1969-12-31T23:59:59.999Z")
  })

  it.each([first - 1, last + 1, Number.NaN, Number.POSITIVE_INFINITY, -8.64e15, 8.64e15])(
    "refuses %d",
    (millis) => {
      assert.throws(() => timestampFromMillis(millis), RangeError)
    }
  )
})

describe("isTimestamp", () => {
  it.each([
    "0000-01-01T00:00:00.000Z",
    "0000-02-29T00:00:00.000Z",
    "1970-01-01T00:00:00.000Z",
    "2000-02-29T12:00:00.000Z",
    "2024-02-29T23:59:59.999Z",
    "2026-11-30T10:11:12.345Z",
    "2026-12-31T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z"
  ])("takes %s", (text) => {
    assert.isTrue(isTimestamp(text))
    assert.strictEqual(Schema.decodeUnknownSync(Timestamp)(text), text)
  })

  it.each([
    "",
    "2026-11-27",
    "2026-11-27T10:11:12Z",
    "2026-11-27T10:11:12.34Z",
    "2026-11-27T10:11:12.3456Z",
    "2026-11-27T10:11:12.345",
    "2026-11-27t10:11:12.345z",
    "2026-11-27 10:11:12.345Z",
    "2026-11-27T10:11:12.345+00:00",
    "2026-02-29T00:00:00.000Z",
    "1900-02-29T00:00:00.000Z",
    "2024-02-30T00:00:00.000Z",
    "2026-04-31T00:00:00.000Z",
    "2026-00-10T00:00:00.000Z",
    "2026-13-10T00:00:00.000Z",
    "2026-01-00T00:00:00.000Z",
    "2026-01-32T00:00:00.000Z",
    "2026-11-27T24:00:00.000Z",
    "2026-11-27T23:60:00.000Z",
    "2026-11-27T23:59:60.000Z",
    "+02026-11-27T10:11:12.345Z",
    "-0001-11-27T10:11:12.345Z",
    "2026-11-27T10:11:12.345Z ",
    "2026-11-27T10:11:12.345Z\n",
    "２026-11-27T10:11:12.345Z"
  ])("refuses %j", (text) => {
    assert.isFalse(isTimestamp(text))
    assert.throws(() => millisFromTimestamp(text), RangeError)
    assert.throws(() => Schema.decodeUnknownSync(Timestamp)(text), /UTC time such as/)
  })

  it("knows the length of every month as Date does", () => {
    for (const year of ["1900", "2000", "2023", "2024"]) {
      for (let month = 1; month <= 12; month++) {
        for (let day = 28; day <= 31; day++) {
          const text = `${year}-${`${month}`.padStart(2, "0")}-${day}T00:00:00.000Z`
          assert.strictEqual(isTimestamp(text), new Date(Date.parse(text)).toISOString() === text, text)
        }
      }
    }
  })
})

describe("nearestTimestamp", () => {
  it("is the timestamp where there is one, else the end that is nearer", () => {
    assert.strictEqual(nearestTimestamp(1.5), timestampFromMillis(1))
    for (const millis of [last, last + 1, 1e15, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(nearestTimestamp(millis), "9999-12-31T23:59:59.999Z")
    }
    for (const millis of [first, first - 1, -1e15, Number.NEGATIVE_INFINITY, Number.NaN]) {
      assert.strictEqual(nearestTimestamp(millis), "0000-01-01T00:00:00.000Z")
    }
  })
})
