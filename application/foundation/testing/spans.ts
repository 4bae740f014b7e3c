// A tracer that keeps its spans, for tests that look at what a host's tracer sees.
import * as Tracer from "effect/Tracer"

export type KeptSpan = Tracer.NativeSpan

/** A tracer, and the spans that it made, in the order in which they began. */
export const keepingTracer = (): {
  readonly tracer: Tracer.Tracer
  readonly spans: ReadonlyArray<KeptSpan>
} => {
  const spans: Array<KeptSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { tracer, spans }
}
