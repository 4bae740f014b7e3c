/** Claims that wait, over the server's lines: they are answered when a step comes, tell that they wait, and are cancelled. */
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/testing/in-process.ts"
import type { Session } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

const work = { run_id: "r", source: "USER", payload: { intent: "tidy" } }
const begin = async () => {
  const session = await start("--agent", "ada")
  await session.data("message_post", { ...work, run_id: "first" })
  return session
}

const claim = (session: Session, id: number, input: object, progressToken?: string) =>
  session.send({
    id,
    method: "tools/call",
    params: {
      name: "step_claim",
      arguments: { wait_seconds: 30, ...input },
      ...(progressToken === undefined ? {} : { _meta: { progressToken } })
    }
  })
const answerOf = async (session: Session, asked: number) => {
  const { result = {} } = await session.answer(({ id }) => id === asked)
  const [{ text }] = result["content"] as readonly [{ readonly text: string }]
  return (JSON.parse(text) as { data: unknown }).data
}

describe("a claim that waits", () => {
  it("is answered by a step of its run, while others are served", async () => {
    const session = await begin()
    claim(session, 71, { run_id: "r" })
    await session.request("ping")
    expect(session.answers.some(({ id }) => id === 71)).toBe(false)
    const { job_id } = await session.data("message_post", work)
    expect(await answerOf(session, 71)).toMatchObject({ job_id, lease: { worker_id: "ada", run_id: "r" } })
  })

  it("is answered by a step that another program posts", async () => {
    const session = await begin()
    claim(session, 72, { prefix: "mail-" })
    const args = "cassette post --json - --run-id mail-1 --source USER".split(" ")
    await runCli(args, { cwd: place.folder, stdin: '{"n":7}' })
    expect(await answerOf(session, 72)).toMatchObject({ payload: { n: 7 }, lease: { run_id: "mail-1" } })
  })

  it("tells that it is at work where the client gave a token", async () => {
    const session = await begin()
    claim(session, 73, { run_id: "r" }, "waits")
    const { params } = await session.answer(({ method }) => method === "notifications/progress")
    expect(params).toMatchObject({ progressToken: "waits", progress: 1 })
    await session.data("message_post", work)
    expect(await answerOf(session, 73)).toMatchObject({ fencing_token: 1 })
  })

  it("claims nothing once it is cancelled", async () => {
    const session = await begin()
    claim(session, 74, { run_id: "r" })
    await session.request("ping")
    session.send({ method: "notifications/cancelled", params: { requestId: 74 } })
    await session.data("message_post", work)
    expect(await session.data("job_status", { run_id: "r" })).toMatchObject({ pending: 1, leased: 0 })
    expect(await session.data("step_claim", { run_id: "r" })).toMatchObject({ fencing_token: 1 })
    expect(session.answers.some(({ id }) => id === 74)).toBe(false)
  })

  const postOutside = () =>
    runCli("cassette post --json - --run-id r --source USER".split(" "), { cwd: place.folder, stdin: "{}" })

  it("claims nothing once the server is stopped", async () => {
    const session = await begin()
    claim(session, 75, { run_id: "r" })
    await session.request("ping")
    session.stop.abort("SIGTERM")
    expect(await session.ended).toBe(143)
    await postOutside()
    const next = await start()
    expect(await next.data("job_status", { run_id: "r" })).toMatchObject({ pending: 1, leased: 0 })
  })

  it("is still answered at the end of the input", async () => {
    const session = await begin()
    claim(session, 76, { run_id: "r" })
    await session.request("ping")
    const ended = session.close()
    await postOutside()
    expect(await answerOf(session, 76)).toMatchObject({ fencing_token: 1 })
    expect(await ended).toBe(0)
  })

  it("says after its time how the leases stand", async () => {
    const session = await begin()
    await session.data("step_claim", { run_id: "first" })
    const { envelope } = await session.call("step_claim", { wait_seconds: 1 })
    expect(envelope.error).toMatchObject({
      code: "NO_PENDING_STEP",
      details: { run_id: null, leased: 1, expired: 0 }
    })
  })
})

describe("where a claim looks", () => {
  it.each([
    [{ run_id: "r", prefix: "r" }, "/prefix"],
    [{ run_id: "r", after_run: "r" }, "/after_run"],
    [{ job_id: "job_0000000000002_6bc3e907409fef01.0001" }, "/job_id"],
    [{ run_id: "r", wait_seconds: 31 }, "/wait_seconds"]
  ])("is refused for %j", async (input, path) => {
    const session = await begin()
    const { envelope } = await session.call("step_claim", input)
    expect(envelope.error).toMatchObject({ code: "INVALID_PARAMS", details: { issues: [{ path }] } })
  })

  it("goes round the runs", async () => {
    const session = await begin()
    await session.data("message_post", { ...work, run_id: "second" })
    const after = (after_run: string) => session.data("step_claim", { after_run })
    expect(await after("first")).toMatchObject({ lease: { run_id: "second" } })
    expect(await after("second")).toMatchObject({ lease: { run_id: "first" } })
  })
})

describe("lease_list", () => {
  it("lists as many as wanted, and says when there are more", async () => {
    const session = await begin()
    for (const run_id of ["a", "b"]) await session.data("message_post", { ...work, run_id })
    for (const ttl_seconds of [30, 10, 20]) await session.data("step_claim", { ttl_seconds })
    const runs = async (input: object) => {
      const { leases, more } = await session.data("lease_list", input)
      return [(leases as ReadonlyArray<{ run_id: string }>).map(({ run_id }) => run_id), more]
    }
    expect(await runs({})).toEqual([["b", "first", "a"], false])
    expect(await runs({ limit: 2 })).toEqual([["b", "first"], true])
    expect(await runs({ limit: 3 })).toEqual([["b", "first", "a"], false])
    expect(await runs({ prefix: "f" })).toEqual([["first"], false])
    expect(await runs({ run_id: "a", expired: false })).toEqual([["a"], false])
    expect(await runs({ expired: true })).toEqual([[], false])
    expect(await session.code("lease_list", { run_id: "a", prefix: "a" })).toBe("INVALID_PARAMS")
  })
})
