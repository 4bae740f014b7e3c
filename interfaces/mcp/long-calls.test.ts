/** Calls that take long: what is told of them, how they are cancelled, and what goes on beside them. */
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { runCli, temporaryFolder } from "../cli/testing/in-process.ts"
import { ProcessSession } from "./testing/process-session.ts"
import { type LineClient, Session } from "./testing/session.ts"

let place: ReturnType<typeof temporaryFolder>
let session: LineClient
/** Another program that has the cassettes to itself: anyone who asks them waits until it lets go. */
let holders: Array<Database.Database>

/** Lets no other program into a cassette; none may have it open. */
const hold = (cassette: string): void => {
  const holder = new Database(join(place.folder, "CORTEX", "cassettes", `${cassette}.db`))
  holders.push(holder)
  holder.pragma("locking_mode = EXCLUSIVE")
  holder.exec("BEGIN EXCLUSIVE; COMMIT")
}

const letGo = (): void => {
  holders.shift()?.close()
}

/** A network with a document and a memory, of which each test gets a copy. */
const original = temporaryFolder()
afterAll(original.remove)
beforeAll(async () => {
  writeFileSync(join(original.folder, "guide.md"), "# Guide\n\nClaim a step before you work on it.\n")
  for (const args of [
    ["network", "init"],
    ["network", "index"],
    ["memory", "save", "--cassette", "memory", "the first one"]
  ])
    expect((await runCli(args, { cwd: original.folder })).code).toBe(0)
})

beforeEach(async () => {
  place = temporaryFolder()
  cpSync(original.folder, place.folder, { recursive: true })
  session = new Session(place.folder)
  await session.initialize()
  holders = []
  hold("memory")
})

afterEach(async () => {
  for (const holder of holders) holder.close()
  expect(await session.close()).toBe(0)
  place.remove()
})

const call = (id: number | string, name: string, input: object, progressToken?: number | string) =>
  session.send({
    id,
    method: "tools/call",
    params: {
      name,
      arguments: input,
      ...(progressToken === undefined ? {} : { _meta: { progressToken } })
    }
  })

const cancel = (requestId: number | string) =>
  session.send({ method: "notifications/cancelled", params: { requestId, reason: "no longer needed" } })

/** What was told under a token so far. */
const toldOf = (token: number | string) =>
  session.answers.flatMap(({ method, params }) =>
    method === "notifications/progress" && params?.["progressToken"] === token ? [params["progress"]] : []
  )

const answersTo = (requestId: number | string) => session.answers.filter(({ id }) => id === requestId)

/** Waits until the progress of a call was told so often. */
const told = (token: number | string, times: number) =>
  session.answer(({ method }) => method === "notifications/progress" && toldOf(token).length >= times)

describe("a long call with a progress token", () => {
  it("tells numbers that rise, and nothing behind its answer", async () => {
    hold("documents")
    call("slow", "memory_query", { query: "first", cassettes: ["memory"] }, "token")
    call("slower", "memory_save", { text: "another", cassette: "documents" }, 7)
    await told("token", 2)
    letGo()
    expect((await session.answer(({ id }) => id === "slow")).result).toMatchObject({ isError: false })
    const numbers = toldOf("token")
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    // More than an interval goes by.
    await told(7, toldOf(7).length + 2)
    letGo()
    expect((await session.answer(({ id }) => id === "slower")).result).toMatchObject({ isError: false })
    expect(toldOf("token")).toEqual(numbers)
    expect(session.answers.findLastIndex(({ params }) => params?.["progressToken"] === "token")).toBeLessThan(
      session.answers.findIndex(({ id }) => id === "slow")
    )
  })
})

describe("reading a resource with a progress token", () => {
  it("tells that it is at work, too", async () => {
    const params = { uri: "cortex://cassette/memory", _meta: { progressToken: "read" } }
    session.send({ id: "read", method: "resources/read", params })
    await told("read", 1)
    letGo()
    expect((await session.answer(({ id }) => id === "read")).result).toBeDefined()
  })
})

describe("a cancelled call", () => {
  it("stops its work, tells nothing more and is not answered", async () => {
    call(21, "memory_save", { text: "the cancelled one", cassette: "memory" }, "save")
    await told("save", 1)
    cancel(21)
    // 21 and "21" are two ids, and what never was asked cannot be cancelled.
    call("21", "memory_save", { text: "the other one", cassette: "memory" }, "other")
    cancel("none")
    await told("other", 2)
    letGo()
    await session.answer(({ id }) => id === "21")
    expect(answersTo(21)).toEqual([])
    expect(toldOf("save").length).toBeLessThanOrEqual(2)
    const memories = await session.data("memory_query", { query: "one" })
    const texts = (memories["hits"] as ReadonlyArray<{ readonly content: string }>).map(
      ({ content }) => content
    )
    expect(texts.toSorted()).toEqual(["the first one", "the other one"])
  })

  it("is not begun when it is cancelled in the same write, and the next call is served", async () => {
    const work = { run_id: "r", source: "USER", payload: { intent: "tidy" } }
    const asked = { jsonrpc: "2.0", id: 31, method: "tools/call" }
    const stopped = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 31 } }
    session.raw(
      `${JSON.stringify({ ...asked, params: { name: "message_post", arguments: work } })}\n${JSON.stringify(stopped)}\n`
    )
    await session.data("message_post", { ...work, run_id: "s" })
    expect(answersTo(31)).toEqual([])
    expect(await session.code("job_status", { run_id: "r" })).toBe("RUN_NOT_FOUND")
  })

  it("is served when the cancellation came before the call", async () => {
    cancel(41)
    call(41, "job_status", { run_id: "r" })
    expect((await session.answer(({ id }) => id === 41)).result).toBeDefined()
  })
})

describe("a list of tools while a cassette does not answer", () => {
  const placesIn = (result: unknown) =>
    /Cassettes that keep memories: .*?\./.exec(JSON.stringify(result))?.[0]
  const listed = async () => placesIn((await session.request("tools/list")).result)

  it("keeps neither ping nor the ledger waiting, comes without it, and is told when there is more", async () => {
    session.send({ id: "list", method: "tools/list" })
    await session.request("ping")
    expect(answersTo("list")).toEqual([])
    const work = { run_id: "r", source: "USER", payload: { intent: "tidy" } }
    expect(await session.data("message_post", work)).toMatchObject({ created: true })
    const { result } = await session.answer(({ id }) => id === "list")
    expect(JSON.stringify(result)).toContain("memory_save")
    expect(placesIn(result)).toBeUndefined()
    letGo()
    await session.answer(({ method }) => method === "notifications/tools/list_changed")
    expect(await listed()).toMatch(/documents .*; memory /)
  })

  it("may be cancelled while it waits", async () => {
    session.send({ id: "list", method: "tools/list" })
    cancel("list")
    letGo()
    // The list may come before the network is open.
    await expect.poll(listed, { timeout: 100_000 }).toMatch(/documents .*; memory /)
    expect(answersTo("list")).toEqual([])
  })
})

describe("the version without handshake", () => {
  it("lets the server end while a client listens, as a real process", async () => {
    await session.close()
    session = new ProcessSession(place.folder)
    const versions = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const notifications = { toolsListChanged: true }
    session.send({ id: "l", method: "subscriptions/listen", params: { _meta: versions, notifications } })
    await session.answer(({ method }) => method === "notifications/subscriptions/acknowledged")
    expect(await session.close()).toBe(0)
    expect(answersTo("l")).toEqual([])
    expect(session.stderr.join("")).toBe("")
  })
})
