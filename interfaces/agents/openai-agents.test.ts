// OpenAI Agents: runs of a scripted model as steps of a ledger, and sessions whose items are messages.
import {
  addTraceProcessor,
  Agent,
  type AgentInputItem,
  MemorySession,
  type Model,
  type ModelResponse,
  run,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  Usage,
  withTrace
} from "@openai/agents"
import * as fc from "fast-check"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { openLedger, type PromiseLedger } from "../promise/index.ts"
import { ledgerSession, ledgerTracing } from "./openai-agents.ts"

const open: Array<PromiseLedger> = []
beforeEach(() => setTracingDisabled(false))
afterEach(async () => {
  setTraceProcessors([])
  await Promise.all(open.splice(0).map((ledger) => ledger.close()))
})

const ledgerAt = async (filename = ":memory:"): Promise<PromiseLedger> => {
  const ledger = await openLedger({ filename })
  open.push(ledger)
  return ledger
}

const said = (text: string): ModelResponse["output"][number] => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }]
})
const called = (city: string): ModelResponse["output"][number] => ({
  type: "function_call",
  callId: `call-${city}`,
  name: "weather",
  status: "completed",
  arguments: JSON.stringify({ city })
})

/** A model that answers what the script says, one answer a turn. */
const scripted = (...script: ReadonlyArray<ModelResponse["output"]>): Model => {
  const answers = [...script]
  return {
    getResponse: async () => ({ usage: new Usage(), output: answers.shift() ?? [said("Nothing.")] }),
    getStreamedResponse: () => {
      throw new Error("this model does not stream")
    }
  }
}

const weather = tool({
  name: "weather",
  description: "The weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  },
  execute: async (input) => `Rain in ${(input as { readonly city: string }).city}.`
})

const user = (text: string): AgentInputItem => ({ role: "user", content: text })

describe("tracing", () => {
  it("records agents and tool calls of a group as steps of one run", async () => {
    const ledger = await ledgerAt()
    const processor = ledgerTracing({ ledger })
    addTraceProcessor(processor)
    const agent = new Agent({
      name: "Forecaster",
      model: scripted([called("Oslo")], [said("It rains.")]),
      tools: [weather]
    })
    const result = await withTrace("forecast", () => run(agent, "Oslo?"), { groupId: "s1" })
    await processor.forceFlush()
    expect(result.finalOutput).toBe("It rains.")
    const run_id = "agent/openai-agents/s1"
    const payloads = (await ledger.messages(run_id)).map(
      ({ payload_json }) => JSON.parse(payload_json) as { readonly intent: string; readonly op: string }
    )
    expect(payloads.map(({ intent, op }) => `${intent} ${op}`)).toEqual([
      "invoke_agent Forecaster",
      "execute_tool weather"
    ])
    const receipts = await ledger.receipts({ run_id })
    expect(receipts.map(({ outcome }) => outcome)).toEqual(["SUCCESS", "SUCCESS"])
    const input = { sha256: expect.any(String) as unknown, bytes: JSON.stringify(`{"city":"Oslo"}`).length }
    expect(receipts.map(({ receipt_json }) => JSON.parse(receipt_json) as object)).toContainEqual(
      expect.objectContaining({ input })
    )
    expect(JSON.stringify([receipts, await ledger.messages(run_id)])).not.toContain("Oslo")
    expect(await ledger.leases()).toEqual([])
    expect((await ledger.verifyCassette()).verdict).toBe("PASS")
  })

  it("makes each trace a run where it has no group, and records what fails", async () => {
    const ledger = await ledgerAt()
    const processor = ledgerTracing({ ledger, bodies: "keep" })
    addTraceProcessor(processor)
    const failing: Model = {
      ...scripted(),
      getResponse: () => Promise.reject(new Error("the model is gone"))
    }
    for (const model of [scripted([said("Hello.")]), failing]) {
      await run(new Agent({ name: "A", model }), "Hello").catch(() => {})
    }
    await processor.shutdown()
    const runs = await ledger.runs()
    expect(runs).toHaveLength(2)
    const outcomes = await Promise.all(runs.map(({ run_id }) => ledger.receipts({ run_id })))
    expect(
      outcomes
        .flat()
        .map(({ outcome }) => outcome)
        .sort()
    ).toEqual(["FAILURE", "SUCCESS"])
  })

  it("tells what could not be recorded, and the agent goes on", async () => {
    const ledger = await ledgerAt()
    await ledger.close()
    const errors: Array<unknown> = []
    const processor = ledgerTracing({ ledger, onError: (error) => void errors.push(error) })
    addTraceProcessor(processor)
    const result = await run(new Agent({ name: "A", model: scripted([said("Hello.")]) }), "Hello")
    await processor.forceFlush()
    expect(result.finalOutput).toBe("Hello.")
    expect(errors.map((error) => (error as { readonly _tag: string })._tag)).toEqual(["LedgerClosed"])
  })
})

describe("a session", () => {
  it("carries a conversation from one program to the next", async () => {
    const filename = join(temporaryFolder(), "work.db")
    const first = await ledgerAt(filename)
    const session = ledgerSession({ ledger: first, sessionId: "s1" })
    await run(new Agent({ name: "A", model: scripted([said("Hello, Ada.")]) }), "I am Ada.", { session })
    const next = ledgerSession({ ledger: await ledgerAt(filename), sessionId: "s1" })
    expect(await next.getSessionId()).toBe("s1")
    const items = await next.getItems()
    expect(items).toEqual(await session.getItems())
    expect(items).toHaveLength(2)
    expect(JSON.stringify(items)).toContain("Hello, Ada.")
    expect((await first.verifyCassette()).verdict).toBe("PASS")
    expect(await first.leases()).toEqual([])
  })

  it("pops nothing of an empty session, and forgets nothing", async () => {
    const ledger = await ledgerAt()
    const session = ledgerSession({ ledger, sessionId: "s1" })
    expect(await session.popItem()).toBeUndefined()
    await session.clearSession()
    await session.addItems([])
    expect((await ledger.head()).position).toBe(1)
    await session.addItems([user("a"), user("b")])
    expect(await session.popItem()).toEqual(user("b"))
    await session.clearSession()
    expect(await session.getItems()).toEqual([])
    const messages = await ledger.messages("session/openai-agents/s1")
    expect(
      messages.map(({ payload_json }) => (JSON.parse(payload_json) as { readonly intent: string }).intent)
    ).toEqual(["append", "pop", "clear"])
    expect(messages[0]?.payload_json).toContain("content")
  })

  it("gives each item to one of those who pop at once", async () => {
    const filename = join(temporaryFolder(), "work.db")
    const sessions = [await ledgerAt(filename), await ledgerAt(filename)].map((ledger) =>
      ledgerSession({ ledger, sessionId: "s1" })
    )
    const texts = Array.from({ length: 10 }, (_, n) => `item ${n}`)
    await sessions[0]?.addItems(texts.map(user))
    const popped = await Promise.all(Array.from({ length: 12 }, (_, n) => sessions[n % 2]?.popItem()))
    const got = popped.flatMap((item) => (item !== undefined && "content" in item ? [item.content] : []))
    expect(got.sort()).toEqual(texts)
  })

  it("gives copies: what a program does to them changes no session", async () => {
    const session = ledgerSession({ ledger: await ledgerAt(), sessionId: "s1" })
    await session.addItems([user("a")])
    const [item] = await session.getItems()
    Object.assign(item!, { content: "b" })
    expect(await session.getItems()).toEqual([user("a")])
  })

  it("refuses what is no JSON, and an id that cannot be stored", async () => {
    const ledger = await ledgerAt()
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    const session = ledgerSession({ ledger, sessionId: "s1" })
    await expect(session.addItems([circle as unknown as AgentInputItem])).rejects.toThrow("/entries: no JSON")
    await expect(ledgerSession({ ledger, sessionId: "\u0000" }).addItems([user("a")])).rejects.toThrow(
      "U+0000"
    )
    expect((await ledger.head()).position).toBe(1)
  })

  it("does what the SDK's own session does", async () => {
    const text = fc.string({ unit: "binary" })
    const action = fc.oneof(
      fc.record({ op: fc.constant("add" as const), texts: fc.array(text, { maxLength: 3 }) }),
      fc.record({ op: fc.constantFrom("pop" as const, "clear" as const) }),
      fc.record({
        op: fc.constant("get" as const),
        limit: fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined })
      })
    )
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 10 }), async (actions) => {
        const ledger = await openLedger({ filename: ":memory:" })
        const ours = ledgerSession({ ledger, sessionId: "s" })
        const theirs = new MemorySession({ sessionId: "s" })
        for (const each of actions) {
          const [mine, wanted] = await Promise.all(
            [ours, theirs].map((session) => {
              if (each.op === "add") return session.addItems(each.texts.map(user))
              if (each.op === "clear") return session.clearSession()
              if (each.op === "get") return session.getItems(each.limit)
              return session.popItem()
            })
          )
          expect(mine).toEqual(wanted)
        }
        await ledger.close()
      }),
      { numRuns: 40 }
    )
  })
})
