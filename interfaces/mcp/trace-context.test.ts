/** The caller's span in `params._meta`: it stands in what the call records, and a header that names none ends nothing. */
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/testing/in-process.ts"
import type { Session } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

const trace = (digit: string, version = "00", flags = "01") =>
  `${version}-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`

const call = async (session: Session, name: string, input: object, _meta?: unknown) => {
  const { result } = await session.request("tools/call", {
    name,
    arguments: input,
    ...(_meta === undefined ? {} : { _meta })
  })
  return result as { readonly isError: boolean; readonly structuredContent: { readonly data: object } }
}

const post = (session: Session, _meta?: unknown) =>
  call(session, "message_post", { run_id: "r", source: "USER", payload: { n: 1 } }, _meta)

interface Listed {
  readonly type: string
  readonly data: { readonly traceparent?: string }
}

const traces = async () => {
  const { stdout } = await runCli(["cassette", "log", "--run-id", "r", "--format", "json"], {
    cwd: place.folder
  })
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Listed)
    .map(({ data, type }) => [type, data.traceparent])
}

describe("the span of the caller", () => {
  it("stands in message, claim and receipt, each with that of its call", async () => {
    const session = await start("--agent", "ada")
    await post(session, { traceparent: trace("a"), tracestate: "rojo=1", baggage: "user=ada" })
    const { structuredContent } = await call(
      session,
      "step_claim",
      { run_id: "r" },
      { traceparent: trace("b") }
    )
    const { lease } = structuredContent.data as { readonly lease: object }
    const done = { ...lease, receipt_payload: {}, outcome: "SUCCESS" }
    expect(await call(session, "step_complete", done, { traceparent: trace("c", "00", "00") })).toMatchObject(
      {
        isError: false
      }
    )
    expect(await traces()).toEqual([
      ["MessagePosted", trace("a")],
      ["StepClaimed", trace("b")],
      ["StepCompleted", trace("c", "00", "00")]
    ])
  })

  it("is that of its own call alone", async () => {
    const session = await start("--agent", "ada")
    await post(session, { traceparent: trace("a"), progressToken: 1 })
    await post(session)
    await post(session, {})
    expect(await traces()).toEqual([
      ["MessagePosted", trace("a")],
      ["MessagePosted", undefined],
      ["MessagePosted", undefined]
    ])
  })

  it("of a later version is kept as the version that is known", async () => {
    const session = await start()
    await post(session, { traceparent: trace("a", "01") })
    await post(session, { traceparent: `${trace("b", "cc")}-more` })
    expect(await traces()).toEqual([
      ["MessagePosted", trace("a")],
      ["MessagePosted", trace("b")]
    ])
  })

  it.each([
    ["malformed", "4bf92f35"],
    ["empty", ""],
    ["in capitals", trace("a").toUpperCase()],
    ["of zeros", trace("0")],
    ["of the version that is none", trace("a", "ff")],
    ["longer than its version", `${trace("a")}-01`],
    ["of 10 kB", "a".repeat(10_000)],
    ["of 10 kB that begin well", `${trace("a")}${"0".repeat(10_000)}`],
    ["a number", 7],
    ["an object", { trace: trace("a") }],
    ["null", null],
    ["a list", [trace("a")]]
  ])("is left out where it is %s", async (_, traceparent) => {
    const session = await start()
    expect(await post(session, { traceparent, tracestate: "x".repeat(10_000) })).toMatchObject({
      isError: false
    })
    expect(await traces()).toEqual([["MessagePosted", undefined]])
  })

  it.each([["text"], [7], [null], [[]]])(
    "has no place where _meta is %j, which is no request of MCP",
    async (_meta) => {
      const session = await start()
      const { error } = await session.request("tools/call", { name: "job_status", arguments: {}, _meta })
      expect(error).toMatchObject({ code: -32_602 })
      expect(String((error as { readonly message?: unknown }).message)).toContain("/_meta")
      expect(await post(session)).toMatchObject({ isError: false })
    }
  )
})
