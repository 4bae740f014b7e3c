// What a tracer costs a durable command: 64 fibers post, claim and complete at FULL on a real disk, without a tracer, with one that makes
// spans and drops them, and with Effect's exporter of traces, whose requests are answered at once in the same process: its spans are
// written as JSON, and no network is waited for. The events with a tracer have a traceparent more.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Tracer from "effect/Tracer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { Ledger, type LedgerShape } from "../interfaces/embedding/index.ts"
import { payload, receipt } from "./support/events.ts"
import { compare } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line, spread } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const FIBERS = 64

/** Repeats that are not counted. */
const WARM_UP = 2

/** Spans that are written as JSON together: the exporter's default, 1,000, stops the process for several milliseconds at a time. */
const BATCH = 64

const dropping = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
)

/** Takes what the exporter sends, and counts it. */
const sink = () => {
  let requests = 0
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      requests += 1
      return HttpClientResponse.fromWeb(request, new Response("{}", { status: 200 }))
    })
  )
  return { layer: Layer.succeed(HttpClient.HttpClient, client), requests: () => requests }
}

/** Tells how long a command took, in milliseconds. */
const timed = <A, E>(took: Array<number>, command: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(command, (reply) => {
      took.push(performance.now() - start)
      return reply
    })
  })

const fiberWork = (ledger: LedgerShape, fiber: number, messages: number, took: Array<number>) =>
  Effect.gen(function* () {
    const run_id = `run-${fiber}`
    const worker_id = `worker-${fiber}`
    for (let number = 0; number < messages; number++) {
      yield* timed(took, ledger.postMessage({ run_id, source: "USER", payload: payload(number) }))
      const { lease } = yield* timed(took, ledger.claimStep({ run_id, worker_id, ttl_seconds: 3_600 }))
      const receipt_payload = receipt(number)
      yield* timed(took, ledger.completeStep({ ...lease, receipt_payload, outcome: "SUCCESS" }))
    }
  })

interface Slice {
  readonly rate: number
  /** Microseconds on the processor for each command. */
  readonly cpu: number
  /** Milliseconds that 50 and 99 of a hundred commands took at most. */
  readonly median: number
  readonly p99: number
}

const at = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

const slice = async (
  run: (work: Effect.Effect<void, unknown, Ledger>) => Promise<void>,
  messages: number
): Promise<Slice> => {
  const took: Array<number> = []
  const used = process.cpuUsage()
  const start = performance.now()
  await run(
    Effect.flatMap(Ledger, (ledger) =>
      Effect.forEach(
        Array.from({ length: FIBERS }, (_, fiber) => fiber),
        (fiber) => fiberWork(ledger, fiber, messages, took),
        { concurrency: FIBERS, discard: true }
      )
    )
  )
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(used)
  const sorted = took.toSorted((a, b) => a - b)
  return {
    rate: took.length / seconds,
    cpu: (system + user) / took.length,
    median: at(sorted, 0.5),
    p99: at(sorted, 0.99)
  }
}

const measure = async (folder: string, repeats: number, messages: number) => {
  const ledgerOf = (name: string) =>
    Ledger.layer({ filename: join(folder, `${name}.db`), durability: "full" })
  const { layer, requests } = sink()
  const exporting = OtlpTracer.layer({
    url: "http://127.0.0.1/v1/traces",
    resource: { serviceName: "bench" },
    maxBatchSize: BATCH
  }).pipe(Layer.provide([OtlpSerialization.layerJson, layer]))
  const runtimes = {
    none: ManagedRuntime.make(ledgerOf("none")),
    dropped: ManagedRuntime.make(Layer.merge(ledgerOf("dropped"), dropping)),
    exported: ManagedRuntime.make(Layer.merge(ledgerOf("exported"), exporting))
  }
  type Name = keyof typeof runtimes
  const slices: Record<Name, Array<Slice>> = { none: [], dropped: [], exported: [] }
  const turn = (name: Name) => async () =>
    slices[name].push(await slice((work) => runtimes[name].runPromise(work), messages))
  const turns = (count: number) =>
    compare(count, { none: turn("none"), dropped: turn("dropped"), exported: turn("exported") })
  await turns(WARM_UP)
  for (const each of Object.values(slices)) each.length = 0
  await turns(repeats)
  for (const runtime of Object.values(runtimes)) await runtime.dispose()
  const figures = (name: Name, of: keyof Slice) => slices[name].map((each) => each[of])
  const added = (name: Name, of: keyof Slice) =>
    spread(figures(name, of).map((value, repeat) => value - (figures("none", of)[repeat] ?? Number.NaN)))
  const linesOf = (name: Name) => [
    line(
      `99 of 100 commands, spans ${name}, against no tracer`,
      "milliseconds",
      figures(name, "p99"),
      figures("none", "p99")
    ),
    {
      name: `added to 99 of 100, spans ${name}`,
      unit: "milliseconds",
      figure: added(name, "p99"),
      goal: "less than 1"
    },
    {
      name: `added to one of two, spans ${name}`,
      unit: "milliseconds",
      figure: added(name, "median")
    },
    line(
      `a command's time on the processor, spans ${name}, against no tracer`,
      "microseconds",
      figures(name, "cpu"),
      figures("none", "cpu")
    ),
    line(
      `commands, spans ${name}, against no tracer`,
      "per second",
      figures(name, "rate"),
      figures("none", "rate")
    )
  ]
  return { requests: requests(), lines: [...linesOf("dropped"), ...linesOf("exported")] }
}

export const benchmark: Benchmark = {
  description: "durable commands of 64 fibers with a tracer that exports, against the same without one",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const messages = Math.ceil(setting("BENCH_COMMANDS", 1_920) / FIBERS / 3)
      const { lines, requests } = await measure(folder, repeats, messages)
      return { place, settings: { repeats, commands: messages * FIBERS * 3, requests }, lines }
    })
}
