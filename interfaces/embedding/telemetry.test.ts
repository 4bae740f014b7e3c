// What leaves a program with its spans and metrics: names that OpenTelemetry's conventions have or that begin with `cassette.`, and no
// body. The names are collected twice, from the sources and from a program that runs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { type KeptSpan, keepingTracer } from "../../application/foundation/testing/spans.ts"
import { cassetteWith } from "../../infrastructure/network/testing/cassettes.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { Caller } from "../mcp/caller.ts"
import { callTool } from "../mcp/result.ts"
import { RootFolder } from "../mcp/root-folder.ts"
import { agentTool, reads } from "../mcp/tools/tool.ts"
import { InvalidInput, Ledger, Thoughts, Worker } from "./index.ts"
import { Network } from "./network.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Conventions {
  readonly attributes: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<string>
  readonly operations: ReadonlyArray<string>
  readonly mcp_methods: ReadonlyArray<string>
  readonly metrics: ReadonlyArray<string>
}

const conventions = JSON.parse(
  readFileSync(join(root, "docs/spec/opentelemetry-names.json"), "utf8")
) as Conventions

const isOwn = (name: string): boolean => /^cassette(\.[a-z][A-Za-z_]*)+$/.test(name)

/** Attributes that may leave: those that hold bodies may not, though the conventions have them. */
const isAttribute = (name: string): boolean =>
  isOwn(name) || (conventions.attributes.includes(name) && !conventions.bodies.includes(name))

const isSpan = (name: string): boolean =>
  isOwn(name) || [...conventions.operations, ...conventions.mcp_methods].includes(name.split(" ")[0] ?? "")

const isMetric = (name: string): boolean => isOwn(name) || conventions.metrics.includes(name)

const product = ["application", "domain", "infrastructure", "interfaces"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\/|^test-kit\//.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8"))
)

/** Every name that the sources give to something; what is put together of parts is `x` there. */
const namesIn = (pattern: RegExp): ReadonlyArray<string> =>
  product.flatMap((text) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name.replaceAll(/\$\{[^}]*\}/g, "x"))
  )

describe("the names in the sources", () => {
  it("are known from names that are not", () => {
    expect(["cassette.ledger.head", "tools/call x", "search_memory"].filter(isSpan)).toHaveLength(3)
    expect(["Ledger.head", "cassette.", "mcp.x", "tools/invented x"].filter(isSpan)).toEqual([])
    expect(["gen_ai.invented", "run_id", "gen_ai.tool.call.arguments"].filter(isAttribute)).toEqual([])
  })

  it("of spans are of the conventions, or our own", () => {
    const names = namesIn(/(?:traced|withSpan|useSpan|makeSpan|asOperation|Effect\.fn)\(\s*["`]([^"`]+)["`]/g)
    expect(names.filter((name) => !isSpan(name))).toEqual([])
    expect(names.length).toBeGreaterThan(60)
  })

  it("of attributes are of the conventions, or our own", () => {
    const names = namesIn(
      /["'`]((?:gen_ai|mcp|jsonrpc|cassette|error|rpc|network|server)\.[a-z_.]+)["'`]\s*[:,}]/g
    )
    const ofSpans = names.filter((name) => !/^(?:network|cassette)\.(?:yaml|db)$/.test(name))
    expect([...new Set(ofSpans)].filter((name) => !isAttribute(name))).toEqual([])
    expect(ofSpans).toContain("gen_ai.conversation.id")
  })

  it("of metrics are of the conventions, or our own", () => {
    const names = namesIn(/Metric\.\w+\(\s*["`]([^"`]+)["`]/g)
    expect(names.filter((name) => !isMetric(name))).toEqual([])
    expect(names).toContain("cassette.ledger.commands")
  })
})

/** Stands in every body: it must be in no span. */
const SECRET = "s3cr3t-7b1f"

const run_id = "r"

const ledgerDay = Effect.gen(function* () {
  const ledger = yield* Ledger
  const thoughts = yield* Thoughts
  const post = (payload: object) => ledger.postMessage({ run_id, source: "USER", payload: { ...payload } })
  yield* post({ intent: SECRET, steps: [{ key: SECRET }, { key: SECRET }, { fails: SECRET }] })
  yield* post({ intent: "execute_tool", op: "search", refs: { call: "call_1" }, input: { body: SECRET } })
  const jobs = [{ intent: SECRET, steps: [{ n: 1 }] }] as const
  yield* ledger.postMessage({ run_id, source: "USER", payload: { a: SECRET }, jobs, idempotency_key: "k" })
  yield* Effect.flip(
    ledger.postMessage({ run_id, source: "USER", payload: { b: SECRET }, idempotency_key: "k" })
  )
  yield* Effect.flip(ledger.postMessage({ run_id: "", source: "USER", payload: { [SECRET]: Number.NaN } }))
  yield* Effect.flip(ledger.messages(`${SECRET}${"x".repeat(300)}`))
  const { lease } = yield* ledger.claimStep({ run_id, worker_id: "w" })
  const renewed = yield* ledger.renewLease({ ...lease, ttl_seconds: 60 })
  yield* ledger.requeueStep({ ...renewed.lease, reason: SECRET })
  yield* Worker.run({ worker_id: "w", run_id, untilEmpty: true }, ({ payload }) =>
    "fails" in payload ? Effect.fail({ _tag: "Refused", message: SECRET }) : Effect.succeed({ said: SECRET })
  )
  yield* ledger.commands([{ _tag: "PostMessage", run_id, source: "USER", payload: { c: SECRET } }])
  yield* thoughts.createThoughtRecord({ task_id: "t", agent_id: "a", type: "plan", content: SECRET })
  yield* thoughts.verifyChain({ task_id: "t" })
  yield* ledger.steps({ run_id })
  yield* ledger.receipts({ run_id })
  yield* ledger.failures()
  yield* ledger.eventsAfter({ run_id })
  yield* ledger.runSummary(run_id)
  yield* ledger.head
  return (yield* ledger.verifyCassette()).verdict
})

const memoryDay = Effect.gen(function* () {
  const network = yield* Network
  const { hash } = yield* network.memorySave(`the key is ${SECRET}`, "notes", { about: SECRET })
  yield* network.memoryQuery(SECRET)
  yield* network.memoryRecall(hash)
  yield* network.query(SECRET)
  yield* network.queryAll(SECRET)
  yield* Effect.flip(network.memorySave(SECRET, "none"))
  yield* network.memoryForget(hash, "notes")
})

const tool = (name: string, call: Effect.Effect<{ readonly said: string }, InvalidInput>) =>
  agentTool({
    name,
    title: name,
    description: name,
    hints: reads,
    input: { body: Schema.String },
    data: Schema.Struct({ said: Schema.String }),
    run: () => call
  })

const mcpDay = Effect.gen(function* () {
  const input = { body: SECRET }
  const services = Layer.mergeAll(
    Layer.succeed(RootFolder, { path: "/", isNamed: true }),
    Layer.succeed(Caller, { agent: undefined })
  )
  const call = (each: ReturnType<typeof tool>) =>
    Effect.provide(callTool(each, input, undefined), services) as Effect.Effect<unknown>
  yield* call(tool("says", Effect.succeed({ said: SECRET })))
  yield* call(tool("refuses", Effect.fail(new InvalidInput({ message: "no", issues: [] }))))
})

/** The spans of a program that does a little of everything. */
const spansOfProgram = async (): Promise<{ spans: ReadonlyArray<KeptSpan>; verdict: string }> => {
  const folder = temporaryFolder()
  cassetteWith(folder, "notes", { "a.md": `text of ${SECRET}` })
  const file = join(folder, "network.yaml")
  writeFileSync(
    file,
    'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: notes, path: notes.db, type: local}\n'
  )
  const { spans, tracer } = keepingTracer()
  const services = Layer.mergeAll(Ledger.layer({ filename: ":memory:" }), Network.layer({ file }))
  const program = Effect.gen(function* () {
    const verdict = yield* ledgerDay
    yield* memoryDay
    yield* mcpDay
    return verdict
  })
  const verdict = await Effect.runPromise(Effect.provide(Effect.withTracer(program, tracer), services))
  return { spans, verdict }
}

/** All that an exporter sends of a span: of its ending the error, with its message, and not what was answered. */
const sent = ({ attributes, events, links, name, status }: KeptSpan): string =>
  JSON.stringify(
    [
      name,
      [...attributes],
      events,
      links.map((link) => link.attributes),
      status._tag === "Ended" && status.exit._tag === "Failure" ? Cause.prettyErrors(status.exit.cause) : []
    ],
    (_, value: unknown) =>
      typeof value === "bigint"
        ? 0
        : value instanceof Error
          ? [value.name, value.message, value.stack]
          : value
  )

describe("the spans of a program", () => {
  it("have names and attributes of the conventions, or our own, and operations that are known", async () => {
    const { spans, verdict } = await spansOfProgram()
    expect(verdict).toBe("PASS")
    expect(spans.map(({ name }) => name).filter((name) => !isSpan(name))).toEqual([])
    const attributes = new Set(spans.flatMap((span) => [...span.attributes.keys()]))
    expect([...attributes].filter((name) => !isAttribute(name))).toEqual([])
    expect([...attributes].toSorted()).toEqual(
      expect.arrayContaining([
        "error.type",
        "gen_ai.agent.id",
        "gen_ai.conversation.id",
        "gen_ai.memory.record.id",
        "gen_ai.memory.store.id",
        "gen_ai.operation.name",
        "gen_ai.tool.call.id",
        "gen_ai.tool.name"
      ])
    )
    const operations = spans.flatMap(({ attributes: of }) => of.get("gen_ai.operation.name") ?? [])
    expect(operations.filter((operation) => !conventions.operations.includes(String(operation)))).toEqual([])
    const mcp = spans.filter(({ name }) => name.startsWith("tools/call "))
    expect(mcp.map(({ attributes: of, kind, name }) => [name, kind, of.get("error.type")])).toEqual([
      ["tools/call says", "server", undefined],
      ["tools/call refuses", "server", "tool_error"]
    ])
  })

  it("hold no payload, receipt, thought, memory, question, reason or argument, and no message of a handler's error", async () => {
    const { spans } = await spansOfProgram()
    expect(spans.length).toBeGreaterThan(20)
    // A question for a run is told as the id that it gives, as far as ids may be long; the one here is longer.
    expect(spans.map(sent).filter((text) => text.includes(SECRET))).toEqual([])
  })
})

describe("the metrics of a program", () => {
  it("have names and attributes of the conventions, or our own", async () => {
    await spansOfProgram()
    const metrics = Effect.runSync(Metric.snapshot).filter(({ id }) => id.includes("cassette"))
    expect(metrics.map(({ id }) => id).filter((id) => !isMetric(id))).toEqual([])
    const attributes = metrics.flatMap((metric) => Object.keys(metric.attributes ?? {}))
    expect([...new Set(attributes)].filter((name) => !isAttribute(name))).toEqual([])
    expect(metrics.map(({ id }) => id)).toContain("cassette.ledger.commands")
  })
})
