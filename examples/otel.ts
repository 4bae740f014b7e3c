// A host program whose work is seen in a tracing tool: it sends its spans with Effect's own exporter to a collector, which stands
// here for Jaeger, Phoenix, Langfuse or any other that takes OTLP. Then it prints the tree of spans and the timeline of the same run: the
// timeline names the trace, and the spans name run, step and receipt. Run it with `node examples/otel.ts` after `pnpm build`.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { History, Ledger, Worker } from "cortex-cassette"

/** A span as OTLP sends it, as far as it is shown here. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{
    readonly key: string
    readonly value: Readonly<Record<string, unknown>>
  }>
}

interface Sent {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<SentSpan> }>
  }>
}

/** A collector on this machine: it keeps the spans that are sent to it, in the order in which they ended. */
const collector = Effect.acquireRelease(
  Effect.promise(async () => {
    const spans: Array<SentSpan> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (text: string) => (body += text))
      request.on("end", () => {
        const { resourceSpans } = JSON.parse(body) as Sent
        for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
        response.end("{}")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { spans, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

/** What the program does: it asks for two greetings, and a worker greets. */
const work = Effect.gen(function* () {
  const ledger = yield* Ledger
  const payload = { intent: "greet", steps: [{ name: "Ada" }, { name: "Grace" }] }
  yield* Effect.withSpan(ledger.postMessage({ run_id: "greeting", source: "USER", payload }), "ask")
  yield* Worker.run({ worker_id: "greeter", run_id: "greeting", untilEmpty: true }, (step) =>
    Effect.withSpan(Effect.succeed({ said: `Hello, ${String(step.payload["name"])}!` }), "greet")
  )
})

/** The lines of a span and of those below it. */
const tree = (spans: ReadonlyArray<SentSpan>, span: SentSpan, depth = 0): ReadonlyArray<string> => {
  const told = span.attributes.map(({ key, value }) => `${key}=${String(Object.values(value)[0])}`)
  const below = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)
  return [
    `${"  ".repeat(depth)}${span.name}  ${told.join(" ")}`.trimEnd(),
    ...below.flatMap((each) => tree(spans, each, depth + 1))
  ]
}

const timeline = Effect.gen(function* () {
  const history = yield* History
  const ledger = yield* Ledger
  const entries = yield* Stream.runCollect(history.timeline({ run_id: "greeting" }))
  return { entries, verdict: (yield* ledger.verifyCassette()).verdict }
})

/** Runs the program against a collector; gives the spans and the timeline. */
export const main = (filename: string) =>
  Effect.gen(function* () {
    const { spans, url } = yield* collector
    const exporter = OtlpTracer.layer({ url, resource: { serviceName: "greetings" } }).pipe(
      Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer])
    )
    const services = Layer.provideMerge(History.layer, Ledger.layer({ filename }))
    const told = yield* Effect.provide(
      // The exporter sends what is left when its layer ends: before the spans are looked at.
      Effect.andThen(Effect.provide(work, exporter), timeline),
      services
    )
    return { spans, ...told }
  }).pipe(Effect.scoped)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { entries, spans, verdict } = await Effect.runPromise(main(process.argv[2] ?? ":memory:"))
  for (const traceId of new Set(spans.map((span) => span.traceId))) {
    const own = spans.filter((span) => span.traceId === traceId)
    console.log(`trace ${traceId}`)
    for (const root of own.filter(({ parentSpanId }) => !own.some(({ spanId }) => spanId === parentSpanId))) {
      console.log(tree(own, root, 1).join("\n"))
    }
  }
  for (const { sentence, traceparent } of entries) {
    console.log(traceparent === null ? sentence : `${sentence}  trace ${traceparent.slice(3, 35)}`)
  }
  console.log(verdict)
}
