// The saver of LangGraph: LangGraph's own tests of savers, whole, and what they do not ask: forks, values that the host keeps back,
// bytes, deletions, other processes, and a graph that is interrupted and goes on.
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph"
import { type Checkpoint, emptyCheckpoint, INTERRUPT, uuid6 } from "@langchain/langgraph-checkpoint"
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { openLedger, type PromiseLedger } from "../promise/index.ts"
import { LedgerSaver } from "./langgraph.ts"

const open: Array<PromiseLedger> = []

const saverAt = async (filename = ":memory:") => {
  const ledger = await openLedger({ filename })
  open.push(ledger)
  return { ledger, saver: new LedgerSaver({ ledger }) }
}

describe("LangGraph's own tests of savers", () => {
  // They take the functions of a runner from the global object.
  for (const [name, value] of Object.entries({
    describe,
    it,
    expect,
    beforeAll,
    beforeEach,
    afterAll,
    afterEach
  }))
    vi.stubGlobal(name, value)
  afterAll(async () => {
    vi.unstubAllGlobals()
    for (const ledger of open) {
      expect((await ledger.verifyCassette()).verdict).toBe("PASS")
      expect(await ledger.leases()).toEqual([])
    }
    await Promise.all(open.splice(0).map((ledger) => ledger.close()))
  })
  const initializer = {
    checkpointerName: "LedgerSaver",
    createCheckpointer: async () => (await saverAt()).saver
  }
  validate(initializer)
  deltaChannelHistoryTests(initializer)
})

const at = (thread_id: string, checkpoint_id?: string) => ({
  configurable: { thread_id, ...(checkpoint_id === undefined ? {} : { checkpoint_id }) }
})
const metadata = { source: "loop", step: 0, parents: {} } as const

const checkpointOf = (step: number, values: Record<string, unknown>, version = 1): Checkpoint => ({
  ...emptyCheckpoint(),
  id: uuid6(step),
  channel_values: values,
  channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, version]))
})

describe("a saver", () => {
  afterEach(() => Promise.all(open.splice(0).map((ledger) => ledger.close())))

  it("finds a value that was kept back at the parent, and at no fork that has the same version", async () => {
    const { ledger, saver } = await saverAt()
    const root = await saver.put(at("t"), checkpointOf(0, { a: "root" }), metadata, { a: 1 })
    const left = await saver.put(root, checkpointOf(1, { a: "left" }, 2), metadata, { a: 2 })
    const right = await saver.put(root, checkpointOf(2, { a: "right" }, 2), metadata, { a: 2 })
    const below = await saver.put(left, checkpointOf(3, { a: "left" }, 2), metadata, {})
    for (const [config, a] of [
      [root, "root"],
      [left, "left"],
      [right, "right"],
      [below, "left"]
    ] as const)
      expect((await saver.get(config))?.channel_values).toEqual({ a })
    const messages = await ledger.messages("session/langgraph/t")
    expect(messages.at(-1)?.payload_json).not.toContain("left")
  })

  it("keeps a value that the host keeps back where no parent has it", async () => {
    const { saver } = await saverAt()
    const gone = at("t", uuid6(0))
    const orphan = await saver.put(gone, checkpointOf(1, { a: 1 }), metadata, {})
    const stale = await saver.put(orphan, checkpointOf(2, { a: 2 }, 2), metadata, {})
    expect((await saver.get(orphan))?.channel_values).toEqual({ a: 1 })
    expect((await saver.get(stale))?.channel_values).toEqual({ a: 2 })
  })

  it("keeps bytes, and text that no payload could hold", async () => {
    const { saver } = await saverAt()
    const values = {
      bytes: Buffer.from([0xff, 0, 0xfe]),
      text: "\u0000 \ufeff \u{1f600}",
      long: "\u{1f600}".repeat(400_000),
      ["__proto__"]: "own"
    }
    const config = await saver.put(at("t"), checkpointOf(0, values), metadata, {
      bytes: 1,
      text: 1,
      long: 1
    })
    const kept = (await saver.get(config))?.channel_values
    expect(Buffer.from(kept?.["bytes"] as Uint8Array)).toEqual(values.bytes)
    expect(kept?.["text"]).toBe(values.text)
    expect(kept?.["long"]).toBe(values.long)
  })

  it("lists a thread from its newest checkpoint on, in the order of ids", async () => {
    const { saver } = await saverAt()
    const checkpoints = [0, 1, 2].map((step) => checkpointOf(step, {}))
    for (const checkpoint of [checkpoints[1]!, checkpoints[2]!, checkpoints[0]!])
      await saver.put(at("t"), checkpoint, metadata, {})
    const listed: Array<string> = []
    for await (const { checkpoint } of saver.list(at("t"))) listed.push(checkpoint.id)
    expect(listed).toEqual(checkpoints.map(({ id }) => id).toReversed())
    expect((await saver.get(at("t")))?.id).toBe(checkpoints[2]?.id)
  })

  it("takes the first of equal writes, and the last interrupt", async () => {
    const { saver } = await saverAt()
    const config = await saver.put(at("t"), checkpointOf(0, {}), metadata, {})
    await saver.putWrites(config, [["a", 1]], "task")
    await saver.putWrites(config, [["a", 2]], "task")
    await saver.putWrites(config, [[INTERRUPT, "first"]], "task")
    await saver.putWrites(config, [[INTERRUPT, "last"]], "task")
    await saver.putWrites(config, [], "other")
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([
      ["task", INTERRUPT, "last"],
      ["task", "a", 1]
    ])
  })

  it("hides a thread that is deleted, and keeps it in the ledger", async () => {
    const { ledger, saver } = await saverAt()
    await saver.deleteThread("t")
    expect((await ledger.head()).position).toBe(1)
    const config = await saver.put(at("t"), checkpointOf(0, { a: "kept" }), metadata, { a: 1 })
    await saver.putWrites(config, [["a", 1]], "task")
    await saver.deleteThread("t")
    expect(await saver.getTuple(config)).toBeUndefined()
    const [first] = await ledger.messages("session/langgraph/t")
    expect(first?.payload_json).toContain("kept")
    await saver.put(at("t"), checkpointOf(1, {}), metadata, {})
    expect((await saver.getTuple(at("t")))?.pendingWrites).toEqual([])
  })

  it("reads what another process wrote, and more threads than it keeps", async () => {
    const filename = join(temporaryFolder(), "work.db")
    const [one, other] = [await saverAt(filename), await saverAt(filename)]
    const threads = Array.from({ length: 20 }, (_, index) => `t${index}`)
    for (const thread of threads) {
      expect(await one.saver.get(at(thread))).toBeUndefined()
      await other.saver.put(at(thread), checkpointOf(0, { thread }), metadata, { thread: 1 })
    }
    for (const thread of threads)
      expect((await one.saver.get(at(thread)))?.channel_values).toEqual({ thread })
    const listed: Array<unknown> = []
    for await (const { config } of one.saver.list({})) listed.push(config.configurable?.["thread_id"])
    expect(listed.toSorted()).toEqual(threads.toSorted())
  })

  it.each([7, "", null])("refuses the thread %j", async (thread_id) => {
    const { saver } = await saverAt()
    const config = { configurable: { thread_id } }
    await expect(saver.getTuple(config)).rejects.toMatchObject({ _tag: "InvalidInput" })
    await expect(saver.put(config, checkpointOf(0, {}), metadata, {})).rejects.toMatchObject({
      _tag: "InvalidInput"
    })
  })
})

describe("a graph", () => {
  afterEach(() => Promise.all(open.splice(0).map((ledger) => ledger.close())))

  const State = Annotation.Root({
    log: Annotation<ReadonlyArray<string>>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    fixed: Annotation<string>()
  })

  it.each(["sync", "async", "exit"] as const)(
    "is interrupted, goes on in another process, and is forked (%s)",
    async (durability) => {
      const filename = join(temporaryFolder(), "work.db")
      const graphOn = (saver: LedgerSaver) =>
        new StateGraph(State)
          .addNode("plan", () => ({ log: ["planned"] }))
          .addNode("ask", () => ({ log: [`allowed: ${interrupt("May I?")}`] }))
          .addEdge(START, "plan")
          .addEdge("plan", "ask")
          .addEdge("ask", END)
          .compile({ checkpointer: saver })
      const config = { ...at("t"), durability }
      const first = await saverAt(filename)
      await graphOn(first.saver).invoke({ log: ["begun"], fixed: "kept" }, config)
      await first.ledger.close()
      open.splice(0)
      const { ledger, saver } = await saverAt(filename)
      const graph = graphOn(saver)
      expect((await graph.getState(at("t"))).next).toEqual(["ask"])
      const done = await graph.invoke(new Command({ resume: "yes" }), config)
      expect(done).toEqual({ log: ["begun", "planned", "allowed: yes"], fixed: "kept" })
      await graph.updateState(at("t"), { log: ["corrected"] })
      expect((await graph.getState(at("t"))).values).toEqual({
        log: ["begun", "planned", "allowed: yes", "corrected"],
        fixed: "kept"
      })
      for await (const past of graph.getStateHistory(at("t")))
        if (past.next.includes("ask")) expect(past.values).toMatchObject({ fixed: "kept" })
      expect((await ledger.verifyCassette()).verdict).toBe("PASS")
    }
  )
})
