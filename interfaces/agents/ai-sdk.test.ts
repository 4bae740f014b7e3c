// Telemetry of the AI SDK: generations of a scripted model as steps of a ledger.
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai"
import { MockLanguageModelV4, simulateReadableStream } from "ai/test"
import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { afterEach, describe, expect, it } from "vitest"
import { Ledger } from "../embedding/index.ts"
import { openLedger, type PromiseLedger } from "../promise/index.ts"
import { ledgerTelemetry } from "./ai-sdk.ts"

const open: Array<PromiseLedger> = []
afterEach(() => Promise.all(open.splice(0).map((ledger) => ledger.close())))

const ledgerInMemory = async (): Promise<PromiseLedger> => {
  const ledger = await openLedger({ filename: ":memory:" })
  open.push(ledger)
  return ledger
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined }
}

type Content = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>["content"]

/** A model that answers what the script says, one answer a step. */
const scripted = (...script: ReadonlyArray<Content | Error>) => {
  const answers = [...script]
  return new MockLanguageModelV4({
    modelId: "scripted",
    doGenerate: async () => {
      const content = answers.shift() ?? []
      if (content instanceof Error) throw content
      const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop"
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
    }
  })
}

const call: Content = [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: `{"city":"Oslo"}` }]
const said: Content = [{ type: "text", text: "It rains." }]
const weather = tool({
  description: "The weather",
  inputSchema: jsonSchema<{ readonly city: string }>({
    type: "object",
    properties: { city: { type: "string" } }
  }),
  execute: async ({ city }) => {
    if (city === "Atlantis") throw new Error("no such city")
    return { city, sky: "rain" }
  }
})

/** What a run has, as lines: what was called, how it ended, and the bodies that are kept of it. */
const told = async (ledger: PromiseLedger, run_id: string) => {
  const [messages, receipts] = [await ledger.messages(run_id), await ledger.receipts({ run_id })]
  return messages.map(({ message_id, payload_json }) => {
    const { intent, op } = JSON.parse(payload_json) as { readonly intent: string; readonly op: string }
    const receipt = receipts.find(({ step_id }) => step_id.includes(message_id.slice("msg_".length)))
    return `${intent} ${op} ${receipt?.outcome ?? "open"}`
  })
}

describe("telemetry", () => {
  it("records a generation, its steps and its tool calls, with hashes alone", async () => {
    const ledger = await ledgerInMemory()
    const telemetry = { functionId: "forecast", integrations: ledgerTelemetry({ ledger, session: "s1" }) }
    const model = scripted(call, said)
    const { text } = await generateText({
      model,
      prompt: "Oslo?",
      tools: { weather },
      stopWhen: stepCountIs(3),
      telemetry
    })
    expect(text).toBe("It rains.")
    expect(await told(ledger, "agent/ai-sdk/s1")).toEqual([
      "invoke_agent forecast SUCCESS",
      "chat scripted SUCCESS",
      "execute_tool weather SUCCESS",
      "chat scripted SUCCESS"
    ])
    const [, , posted] = await ledger.messages("agent/ai-sdk/s1")
    const sha256 = hash("sha256", `{"city":"Oslo"}`)
    expect(JSON.parse(posted?.payload_json ?? "")).toMatchObject({ input: { sha256, bytes: 15 } })
    const all = JSON.stringify([
      await ledger.messages("agent/ai-sdk/s1"),
      await ledger.receipts({ run_id: "agent/ai-sdk/s1" })
    ])
    for (const secret of ["Oslo", "rain"]) expect(all).not.toContain(secret)
    expect((await ledger.verifyCassette()).verdict).toBe("PASS")
  })

  it("takes the ledger of a program with Effect, and its calls belong to the program's trace", async () => {
    const span = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })
    const traces = await Effect.gen(function* () {
      const { completeStep, eventsAfter, postMessage } = yield* Ledger
      const run = Effect.runPromiseWith(yield* Effect.context())
      const ledger = {
        postMessage: <C extends Parameters<typeof postMessage>[0]>(command: C) => run(postMessage(command)),
        completeStep: (command: Parameters<typeof completeStep>[0]) => run(completeStep(command))
      }
      const telemetry = { integrations: ledgerTelemetry({ ledger }) }
      yield* Effect.promise(() => generateText({ model: scripted(said), prompt: "Oslo?", telemetry }))
      const events = yield* eventsAfter({ prefix: "agent/" })
      return events.map(({ data, type }) => {
        const { traceparent } = JSON.parse(data) as { readonly traceparent?: string }
        return [type, traceparent?.slice(3, 35)]
      })
    }).pipe(
      Effect.withParentSpan(span),
      Effect.provide(Ledger.layer({ filename: ":memory:" })),
      Effect.runPromise
    )
    const call = ["MessagePosted", "StepClaimed"]
    const types = [...call, ...call, "StepCompleted", "StepCompleted"]
    expect(traces).toEqual(types.map((type) => [type, span.traceId]))
  })

  it("keeps bodies when it is told to, but not those that the program hides", async () => {
    const ledger = await ledgerInMemory()
    const integrations = ledgerTelemetry({ ledger, session: "s1", bodies: "keep" })
    const ask = (hidden: object) =>
      generateText({
        model: scripted(call, said),
        prompt: "Oslo?",
        tools: { weather },
        stopWhen: stepCountIs(3),
        telemetry: { integrations, ...hidden }
      })
    await ask({})
    expect(JSON.stringify(await ledger.receipts({ run_id: "agent/ai-sdk/s1" }))).toContain("rain")
    const after = (await ledger.messages("agent/ai-sdk/s1")).at(-1)?.message_id
    await ask({ recordInputs: false, recordOutputs: false })
    const hidden = JSON.stringify([
      await ledger.messages("agent/ai-sdk/s1", { after }),
      (await ledger.receipts({ run_id: "agent/ai-sdk/s1" })).slice(4)
    ])
    for (const word of ["Oslo", "rain", "sha256"]) expect(hidden).not.toContain(word)
  })

  it("makes each generation a run where no session is given", async () => {
    const ledger = await ledgerInMemory()
    const telemetry = { integrations: ledgerTelemetry({ ledger }) }
    await generateText({ model: scripted(said), prompt: "a", telemetry })
    await generateText({ model: scripted(said), prompt: "b", telemetry })
    expect((await ledger.runs()).map(({ committed }) => committed)).toEqual([2, 2])
  })

  it("records a tool that fails, and a model that does", async () => {
    const ledger = await ledgerInMemory()
    const telemetry = { integrations: ledgerTelemetry({ ledger, session: "s1" }) }
    const lost: Content = [{ ...call[0]!, input: `{"city":"Atlantis"}` } as Content[number]]
    const failing = generateText({
      model: scripted(lost, new Error("the model is gone")),
      prompt: "Atlantis?",
      tools: { weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      telemetry
    })
    await expect(failing).rejects.toThrow("the model is gone")
    expect(await told(ledger, "agent/ai-sdk/s1")).toEqual([
      "invoke_agent ai.generateText FAILURE",
      "chat scripted SUCCESS",
      "execute_tool weather FAILURE",
      "chat scripted FAILURE"
    ])
  })

  it("records a stream, and one that is aborted", async () => {
    const ledger = await ledgerInMemory()
    const telemetry = { integrations: ledgerTelemetry({ ledger, session: "s1" }) }
    const streaming = () =>
      new MockLanguageModelV4({
        modelId: "scripted",
        doStream: async () => ({
          stream: simulateReadableStream({
            chunks: [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "It " },
              { type: "text-delta", id: "t", delta: "rains." },
              { type: "text-end", id: "t" },
              { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage }
            ]
          })
        })
      })
    await streamText({ model: streaming(), prompt: "Oslo?", telemetry }).consumeStream()
    const stopping = new AbortController()
    const stopped = streamText({
      model: streaming(),
      prompt: "Oslo?",
      telemetry,
      abortSignal: stopping.signal
    })
    for await (const part of stopped.fullStream) if (part.type === "text-delta") stopping.abort()
    expect(await told(ledger, "agent/ai-sdk/s1")).toEqual([
      "invoke_agent ai.streamText SUCCESS",
      "chat scripted SUCCESS",
      "invoke_agent ai.streamText ABORTED",
      "chat scripted ABORTED"
    ])
  })

  it("tells what could not be recorded, and the agent goes on", async () => {
    const ledger = await ledgerInMemory()
    await ledger.close()
    const errors: Array<unknown> = []
    const onError = (error: unknown): void => {
      errors.push(error)
      throw new Error("the callback is broken, too")
    }
    const warnings: Array<string> = []
    const listen = ({ message }: Error): void => void warnings.push(message)
    process.on("warning", listen)
    const telemetry = { integrations: ledgerTelemetry({ ledger, onError }) }
    expect((await generateText({ model: scripted(said), prompt: "a", telemetry })).text).toBe("It rains.")
    await new Promise(setImmediate)
    process.off("warning", listen)
    expect(errors.map((error) => (error as { readonly _tag: string })._tag)).toEqual([
      "LedgerClosed",
      "LedgerClosed"
    ])
    expect(warnings).toEqual(
      Array.from({ length: 2 }, () => "A call was not recorded: the callback is broken, too")
    )
  })

  it("leaves a call that never ends as a leased step, and records one that is told twice once", async () => {
    const ledger = await ledgerInMemory()
    const errors: Array<unknown> = []
    const { onToolExecutionEnd, onToolExecutionStart } = ledgerTelemetry({
      ledger,
      session: "s1",
      onError: (error) => void errors.push(error)
    })
    const toolCall = {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "weather",
      input: {},
      dynamic: true
    } as const
    const event = { callId: "g1", messages: [], toolCall, toolContext: undefined }
    const ended = (id: string) => ({
      ...event,
      toolCall: { ...toolCall, toolCallId: id },
      toolExecutionMs: 1,
      toolOutput: { ...toolCall, type: "tool-result", toolCallId: id, output: 1 } as const
    })
    await onToolExecutionEnd?.(ended("c1"))
    expect(errors.splice(0).map(String).join()).toContain("is not open: ")
    await Promise.all([onToolExecutionStart?.(event), onToolExecutionStart?.(event)])
    expect(await ledger.leases()).toHaveLength(1)
    await Promise.all([onToolExecutionEnd?.(ended("c1")), onToolExecutionEnd?.(ended("c1"))])
    expect(errors.splice(0)).toHaveLength(1)
    // One that the ledger has already is told as such, and left as it is.
    await onToolExecutionStart?.(event)
    expect(errors.splice(0).map(String).join()).toContain("it was recorded before")
    await onToolExecutionStart?.({ ...event, toolCall: { ...toolCall, toolCallId: "c2" } })
    expect(await told(ledger, "agent/ai-sdk/s1")).toEqual([
      "execute_tool weather SUCCESS",
      "execute_tool weather open"
    ])
    expect(errors).toEqual([])
    expect((await ledger.verifyCassette()).verdict).toBe("PASS")
  })
})
