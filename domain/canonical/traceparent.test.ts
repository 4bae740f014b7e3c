// The header of W3C Trace Context: what names a span, what later versions may add, and what is none.
import { assert, describe, it } from "@effect/vitest"
import { isTraceparent, spanNameOf, traceparentOf } from "./traceparent.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const header = `00-${traceId}-${spanId}-01`

describe("a traceparent", () => {
  it("names a span, and a span has one", () => {
    assert.deepStrictEqual(spanNameOf(header), { traceId, spanId, sampled: true })
    assert.deepStrictEqual(spanNameOf(header.replace(/01$/, "02")), { traceId, spanId, sampled: false })
    assert.strictEqual(traceparentOf({ traceId, spanId, sampled: true }), header)
    assert.strictEqual(traceparentOf({ traceId, spanId, sampled: false }), header.replace(/01$/, "00"))
  })

  it("of a later version is read by the parts that are known", () => {
    for (const later of [
      `01-${header.slice(3)}`,
      `cc-${header.slice(3)}-what-comes-later`,
      `01-${header.slice(3)}-`
    ]) {
      assert.deepStrictEqual(spanNameOf(later), { traceId, spanId, sampled: true }, later)
    }
  })

  it("of a system with short ids is filled up", () => {
    const short = traceparentOf({ traceId: traceId.slice(16), spanId, sampled: true })
    assert.strictEqual(short, `00-${"0".repeat(16)}${traceId.slice(16)}-${spanId}-01`)
  })

  it.each([
    "",
    "00",
    header.toUpperCase(),
    ` ${header}`,
    `${header} `,
    `${header}-00`,
    `ff-${header.slice(3)}`,
    `ff-${header.slice(3)}-more`,
    `01-${header.slice(3)}more`,
    `01-${"0".repeat(32)}-${spanId}-01-more`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${spanId}-1`,
    header.replaceAll("-", "_"),
    "0".repeat(10_000),
    `00-${"a".repeat(10_000)}`
  ])("is not %s", (text) => {
    assert.isUndefined(spanNameOf(text))
    assert.isFalse(isTraceparent(text))
  })

  it("is not made of ids that are none", () => {
    assert.isUndefined(traceparentOf({ traceId: "noop", spanId: "noop", sampled: false }))
    assert.isUndefined(traceparentOf({ traceId, spanId: spanId.toUpperCase(), sampled: true }))
  })
})
