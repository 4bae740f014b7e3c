// What a tracer costs a durable command: 64 fibers post, claim and complete at FULL on a real disk, once without a tracer and once
// with Effect's exporter of traces, whose requests are answered at once in the same process: spans are made, batched and written as
// JSON, and no network is waited for. The events with a tracer have a traceparent more.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
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
  const sorted = took.toSorted((a, b) => a - b)
  return { rate: took.length / seconds, median: at(sorted, 0.5), p99: at(sorted, 0.99) }
}

const measure = async (folder: string, repeats: number, messages: number) => {
  const ledgerOf = (name: string) =>
    Ledger.layer({ filename: join(folder, `${name}.db`), durability: "full" })
  const { layer, requests } = sink()
  const tracer = OtlpTracer.layer({ url: "http://127.0.0.1/v1/traces" }).pipe(
    Layer.provide([OtlpSerialization.layerJson, layer])
  )
  const off = ManagedRuntime.make(ledgerOf("off"))
  const on = ManagedRuntime.make(Layer.merge(ledgerOf("on"), tracer))
  const slices = { off: [] as Array<Slice>, on: [] as Array<Slice> }
  const turns = (count: number) =>
    compare(count, {
      off: async () => slices.off.push(await slice((work) => off.runPromise(work), messages)),
      on: async () => slices.on.push(await slice((work) => on.runPromise(work), messages))
    })
  await turns(WARM_UP)
  slices.off.length = 0
  slices.on.length = 0
  await turns(repeats)
  await off.dispose()
  await on.dispose()
  const figures = (of: keyof Slice) =>
    [slices.on.map((each) => each[of]), slices.off.map((each) => each[of])] as const
  const added = (of: keyof Slice) => {
    const [withTracer, without] = figures(of)
    return spread(withTracer.map((value, repeat) => value - (without[repeat] ?? Number.NaN)))
  }
  return {
    requests: requests(),
    lines: [
      line("a command, 99 of 100, with a tracer against none", "milliseconds", ...figures("p99")),
      { name: "added to 99 of 100", unit: "milliseconds", figure: added("p99"), goal: "less than 1" },
      line("a command, one of two, with a tracer against none", "milliseconds", ...figures("median")),
      { name: "added to one of two", unit: "milliseconds", figure: added("median") },
      line("commands per second, with a tracer against none", "per second", ...figures("rate"))
    ]
  }
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
