// The commands of workflows on a ledger that the real engine wrote: how executions stand, the timeline's words for them, and the wakes
// that a person posts and an engine takes.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CassetteWorkflowEngine } from "../workflow/index.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const filename = join(folder, "work.db")
const db = ["--db", filename]
const cortex = (...args: ReadonlyArray<string>) => runCli([...args, ...db], { cwd: folder })
const json = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson([...args, ...db], { cwd: folder })
  return { code, data: document.data ?? {}, error: document.error }
}

const Gate = DurableDeferred.make("gate", { success: Schema.Boolean })

const Order = Workflow.make("Order/eu", {
  payload: { order: Schema.String },
  success: Schema.String,
  idempotencyKey: ({ order }) => order
})

/** What makes a workflow fail until it is mended. */
let isBroken = true

const charge = Activity.make({ name: "charge", success: Schema.String, execute: Effect.succeed("paid") })

const OrderLive = Order.toLayer(({ order }) =>
  Effect.gen(function* () {
    const paid = yield* charge
    if (order === "o-waits") yield* DurableDeferred.await(Gate)
    return paid
  })
)

const Broken = Workflow.make("Broken", {
  payload: { order: Schema.String },
  success: Schema.String,
  idempotencyKey: ({ order }) => order
}).annotate(Workflow.SuspendOnFailure, true)

const BrokenLive = Broken.toLayer(() =>
  Effect.suspend(() => (isBroken ? Effect.die("no paper") : Effect.succeed("printed")))
)

const engine = CassetteWorkflowEngine.layer({ filename, name: "shop", ttl_seconds: 60 })
const live = Layer.mergeAll(OrderLive, BrokenLive).pipe(Layer.provideMerge(engine))

const executionIdOf = new Map<string, string>()

/** Runs a program with the engine, which ends with it. */
const withEngine = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof live>>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, live) as Effect.Effect<A, E>)

const statusOf = async (execution: string) => (await json("workflow", "show", execution)).data["status"]

/** Waits until an execution stands so. */
const until = (execution: string, status: string) =>
  Effect.promise(async () => {
    while ((await statusOf(execution)) !== status) await new Promise((resolve) => setTimeout(resolve, 10))
  })

const nameOf = (order: string) => `Order%2Feu/${executionIdOf.get(order)}`

beforeAll(async () => {
  for (const order of ["o-done", "o-waits"]) {
    executionIdOf.set(order, await Effect.runPromise(Order.executionId({ order })))
  }
  executionIdOf.set("broken", await Effect.runPromise(Broken.executionId({ order: "b" })))
  await withEngine(
    Effect.gen(function* () {
      yield* Order.execute({ order: "o-done" })
      yield* Order.execute({ order: "o-waits" }, { discard: true })
      yield* Broken.execute({ order: "b" }, { discard: true })
      yield* until(nameOf("o-waits"), "suspended")
      yield* until(`Broken/${executionIdOf.get("broken")}`, "failed")
    })
  )
})

describe("workflow list", () => {
  it("says how each execution stands, and what it waits for", async () => {
    const { code, data } = await json("workflow", "list")
    expect(code).toBe(0)
    expect(data["executions"]).toHaveLength(3)
    const byName = new Map(
      (data["executions"] as ReadonlyArray<{ readonly execution: string }>).map((each) => [
        each.execution,
        each
      ])
    )
    expect(byName.get(nameOf("o-done"))).toMatchObject({
      workflow: "Order/eu",
      status: "complete",
      waits: []
    })
    expect(byName.get(nameOf("o-waits"))).toMatchObject({ status: "suspended", waits: ["gate"] })
    expect(byName.get(`Broken/${executionIdOf.get("broken")}`)).toMatchObject({ status: "failed" })
  })

  it("narrows to a workflow and to a status", async () => {
    const count = async (...args: ReadonlyArray<string>) =>
      ((await json("workflow", "list", ...args)).data["executions"] as ReadonlyArray<unknown>).length
    expect(await count("--workflow", "Order/eu")).toBe(2)
    expect(await count("--status", "suspended")).toBe(1)
    expect(await count("--workflow", "Broken", "--status", "complete")).toBe(0)
    expect(await count("--limit", "1")).toBe(1)
    expect((await json("workflow", "list", "--status", "asleep")).code).toBe(2)
  })
})

describe("workflow show", () => {
  it("has what it was started with, its activities and what it waits for", async () => {
    const { data } = await json("workflow", "show", nameOf("o-waits"))
    expect(data).toMatchObject({
      payload: { whole: { order: "o-waits" } },
      activities: { items: [{ name: "charge", attempt: 1, standing: "SUCCESS" }] },
      runs: { turns: `workflow/${nameOf("o-waits")}`, activities: `activity/${nameOf("o-waits")}` }
    })
    const byRun = await json("workflow", "show", `workflow/${nameOf("o-waits")}`)
    expect(byRun.data).toEqual(data)
    const { stdout } = await cortex("workflow", "show", nameOf("o-waits"))
    expect(stdout).toMatch(/^waits for {2}gate$/m)
    expect(stdout).toMatch(/^charge {4}1 {8}SUCCESS {2}- /m)
  })
})

describe("the timeline of an execution", () => {
  it("merges its runs and speaks of turns and activities", async () => {
    const { stdout } = await cortex("timeline", "--run-id", `workflow/${nameOf("o-waits")}`)
    const sentences = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) =>
        line
          .slice(33)
          .replace(/shop-[0-9a-f]{12}/, "shop")
          .replace(/ after .*/, "")
      )
    expect(sentences).toEqual([
      `executed: Order/eu ${executionIdOf.get("o-waits")}`,
      "turn by shop",
      "asks for charge/1",
      "charge/1 by shop, token 1",
      "charge/1 SUCCESS",
      "suspended (waits: gate)"
    ])
    const done = await cortex("timeline", "--run-id", `workflow/${nameOf("o-done")}`)
    expect(done.stdout).toMatch(/ complete: SUCCESS after /)
    const failed = await cortex("timeline", "--run-id", `workflow/Broken/${executionIdOf.get("broken")}`)
    expect(failed.stdout).toMatch(/ stopped at a failure, until it is resumed after /)
  })
})

describe("status and doctor", () => {
  it("tell how many executions stand where, and which has stood still for the longest time", async () => {
    const { stdout } = await cortex("cassette", "status")
    expect(stdout).toMatch(
      /^workflows {2}1 suspended \(Order%2Feu\/\w+ since \S+, waits: gate\), 1 failed, 1 complete$/m
    )
    const { data } = await json("cassette", "status")
    expect(data["executions"]).toMatchObject({
      counts: { suspended: 1, failed: 1, complete: 1 },
      more: false
    })
    const { checks } = (await json("doctor")).data as {
      readonly checks: ReadonlyArray<{ readonly check: string }>
    }
    expect(checks.find(({ check }) => check === "workflows")).toMatchObject({
      state: "advice",
      run: expect.stringContaining("cortex workflow resume ")
    })
  })
})

describe("a person's wake", () => {
  it("of an execution that is not there, or is complete, is refused and posts nothing", async () => {
    const before = (await json("show", `run:workflow/${nameOf("o-done")}`)).data["events"]
    for (const command of ["resume", "interrupt"]) {
      const gone = await json("workflow", command, "Order%2Feu/nothing")
      expect([gone.code, gone.error?.code]).toEqual([1, "EXECUTION_NOT_FOUND"])
      const complete = await json("workflow", command, nameOf("o-done"))
      expect([complete.code, complete.error?.code]).toEqual([1, "EXECUTION_NOT_OPEN"])
      expect(complete.error?.message).toMatch(/is complete, and its result never changes/)
    }
    expect((await json("workflow", "show", "nothing")).error?.code).toBe("EXECUTION_NOT_FOUND")
    expect((await json("show", `run:workflow/${nameOf("o-done")}`)).data["events"]).toBe(before)
  })

  it("is taken by an engine: a resumed one goes on, an interrupted one ends", async () => {
    const broken = `Broken/${executionIdOf.get("broken")}`
    isBroken = false
    expect(await json("workflow", "resume", broken)).toMatchObject({ code: 0, data: { created: true } })
    expect(await statusOf(broken)).toBe("ready")
    expect(await json("workflow", "interrupt", nameOf("o-waits"))).toMatchObject({ data: { created: true } })
    expect(await json("workflow", "interrupt", nameOf("o-waits"))).toMatchObject({ data: { created: false } })
    await withEngine(Effect.andThen(until(broken, "complete"), until(nameOf("o-waits"), "complete")))
    const { stdout } = await cortex("timeline", "--run-id", `workflow/${nameOf("o-waits")}`)
    expect(stdout).toMatch(/ interrupt asked for$/m)
    expect(stdout).toMatch(/ complete: FAILURE after /)
    expect((await json("cassette", "verify", "--pure")).code).toBe(0)
  })
})
