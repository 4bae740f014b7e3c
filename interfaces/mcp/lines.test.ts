/** Everything that may arrive as lines: garbage, half lines, several messages in one write, huge ones, every version. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { MAX_LINE_BYTES } from "./messages/line-stdio.ts"
import { Session } from "./testing/session.ts"

let place: ReturnType<typeof temporaryFolder>
let session: Session

beforeEach(() => {
  place = temporaryFolder()
  session = new Session(place.folder)
})

afterEach(async () => {
  expect(await session.close()).toBe(0)
  place.remove()
})

const isParseError = ({ error, id }: Session["answers"][number]) => id === null && error?.code === -32_700

const listRequest = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })}\n`

describe("lines", () => {
  const malformed: Readonly<Record<string, string | Uint8Array>> = {
    words: "hello there",
    "half an object": '{"jsonrpc":"2.0","id":7',
    "two objects in a line": '{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}',
    "a key twice": '{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/list"}',
    "bytes that are no UTF-8": Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    "a byte order mark": "\uFEFF{}",
    "nesting without end": "[".repeat(5_000)
  }
  for (const [name, line] of Object.entries(malformed)) {
    it(`answers ${name} with a parse error and loses nothing of the same write`, async () => {
      await session.initialize()
      session.raw(
        Buffer.concat([
          Buffer.from(listRequest(100)),
          Buffer.from(line),
          Buffer.from("\n"),
          Buffer.from(listRequest(101))
        ])
      )
      await session.answer(isParseError)
      expect((await session.answer(({ id }) => id === 100)).result).toBeDefined()
      expect((await session.answer(({ id }) => id === 101)).result).toBeDefined()
      expect(session.answers.filter(isParseError)).toHaveLength(1)
    })
  }

  it("joins a message that comes in pieces, even within a character", async () => {
    await session.initialize()
    const call = Buffer.from(
      `${JSON.stringify({
        jsonrpc: "2.0",
        id: 50,
        method: "tools/call",
        params: {
          name: "thought_record",
          arguments: { type: "plan", task_id: "t", agent_id: "a", content: "ä🙂" }
        }
      })}\n`
    )
    for (const byte of call) session.raw(Buffer.of(byte))
    const { result } = await session.answer(({ id }) => id === 50)
    expect(result).toMatchObject({ structuredContent: { ok: true, data: { content: "ä🙂" } } })
  })

  it("passes over blank lines and takes CRLF", async () => {
    await session.initialize()
    session.raw(`\n  \r\n${listRequest(5).trimEnd()}\r\n`)
    expect((await session.answer(({ id }) => id === 5)).result).toBeDefined()
    expect(session.answers.filter(isParseError)).toHaveLength(0)
  })

  it("takes a message of 10 MB and says by the tool's own limit what is wrong", async () => {
    await session.initialize()
    const content = "x".repeat(10 * 1_048_576)
    expect(await session.code("thought_record", { type: "plan", task_id: "t", agent_id: "a", content })).toBe(
      "INVALID_PARAMS"
    )
  })

  it("refuses a message over the limit and goes on", async () => {
    await session.initialize()
    session.raw(Buffer.alloc(MAX_LINE_BYTES + 1, 0x20))
    session.raw(`\n${listRequest(9)}`)
    expect((await session.answer(isParseError)).error?.message).toContain(`${MAX_LINE_BYTES} bytes`)
    expect((await session.answer(({ id }) => id === 9)).result).toBeDefined()
  })

  it("reads escaped keys as what they are", async () => {
    await session.initialize()
    session.raw(
      '{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"message_post","arguments":{"run_id":"r","source":"USER","payload":{"a\\u0062":1,"\\u0061":2}}}}\n'
    )
    await session.answer(({ id }) => id === 30)
    expect(await session.data("step_claim", { run_id: "r", worker_id: "w" })).toMatchObject({
      payload: { ab: 1, a: 2 }
    })
  })

  it("answers an unknown method with its own error", async () => {
    await session.initialize()
    expect((await session.request("tools/invent")).error?.code).toBe(-32_601)
  })

  it("answers an unknown tool with an error of the protocol", async () => {
    await session.initialize()
    expect((await session.request("tools/call", { name: "no_such_tool", arguments: {} })).error?.code).toBe(
      -32_602
    )
  })
})

describe("versions", () => {
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
    it(`speaks ${version}`, async () => {
      const { result } = await session.initialize(version)
      expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: "cortex" } })
      const { result: listed } = await session.request("tools/list")
      expect((listed as { tools: ReadonlyArray<unknown> }).tools.length).toBeGreaterThan(8)
      const { result: called } = await session.request("tools/call", {
        name: "thought_record",
        arguments: { type: "plan", task_id: "t", agent_id: "a", content: "" }
      })
      expect(called).toMatchObject({ isError: false })
    })
  }

  it("speaks 2026-07-28, which has no handshake", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const { result } = await session.request("tools/call", {
      name: "thought_record",
      arguments: { type: "plan", task_id: "t", agent_id: "a", content: "" },
      _meta
    })
    expect(result).toMatchObject({ isError: false, structuredContent: { ok: true } })
  })

  it("offers a version of its own to a client of an unknown one", async () => {
    const { result } = await session.initialize("1999-01-01")
    expect(result).toMatchObject({ protocolVersion: "2025-11-25" })
  })
})

describe("ending", () => {
  it("answers what was asked before the input ended", async () => {
    await session.initialize()
    for (let number = 0; number < 20; number++) {
      session.send({
        id: 1_000 + number,
        method: "tools/call",
        params: {
          name: "thought_record",
          arguments: { type: "plan", task_id: "t", agent_id: "a", content: `${number}` }
        }
      })
    }
    expect(await session.close()).toBe(0)
    expect(session.answers.filter(({ id }) => Number(id) >= 1_000)).toHaveLength(20)
  })

  it("tells by its exit code that it was stopped", async () => {
    const stopped = new Session(place.folder)
    await stopped.initialize()
    stopped.stop.abort("SIGTERM")
    expect(await stopped.ended).toBe(128 + 15)
  })
})
