// The `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/, "traceparent Header"): it names the span that
// was active when something was recorded, so that traces and ledger can find each other.
import * as Schema from "effect/Schema"

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Length of a `traceparent` in characters. */
const LENGTH = 55

/** True for a text that `Traceparent` takes. */
export const isTraceparent = (text: string): boolean => FORM.test(text)

/**
 * A `traceparent`: version, trace id, parent id and flags as lower-case hexadecimal digits, 55 characters, as W3C Trace
 * Context writes it: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
 */
export const Traceparent = Schema.String.check(
  Schema.makeFilter(isTraceparent, {
    expected: `a traceparent of ${LENGTH} characters: 00-<32 hex>-<16 hex>-<2 hex>, with ids that are not all zeros`,
    toJsonSchema: () => ({ pattern: FORM.source })
  })
)

/** What names a span across programs. */
export interface SpanName {
  /** 32 hexadecimal digits, or the 16 of systems that have shorter ones. */
  readonly traceId: string
  readonly spanId: string
  /** Whether the span is kept by the system that traces. */
  readonly sampled: boolean
}

/** The `traceparent` of a span, by version 00; undefined for a span that has no such ids. */
export const traceparentOf = ({ sampled, spanId, traceId }: SpanName): string | undefined => {
  const text = `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
  return isTraceparent(text) ? text : undefined
}

// A later version may say more behind the parts that are known.
const LATER_FORM = /^(?!00|ff)[0-9a-f]{2}-[0-9a-f-]{52}-/

/** The span that a header names; undefined for a text that is none, which the standard asks to ignore. */
export const spanNameOf = (header: string): SpanName | undefined => {
  const known = LATER_FORM.test(header) ? header.slice(0, LENGTH) : header
  if (!isTraceparent(known)) return undefined
  const [, traceId = "", spanId = "", flags = ""] = known.split("-")
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
