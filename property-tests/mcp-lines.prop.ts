// The server of agents on random lines: every line whose id another reader of JSON finds gets one answer, under that id,
// and every other line at most one; a request that follows is served. Lines are requests of every method with random
// members, some spelled with what no strict reader takes, some with bytes changed, cut off or put in. Conversations hold
// many lines, with ids that are used again, cancellations and batches, and come in pieces of any length.
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../interfaces/cli/testing/in-process.ts"
import { Session } from "../interfaces/mcp/testing/session.ts"
import { propParameters } from "./support/configuration.ts"

/** JSON text that our reader refuses, or takes for something else than it looks. */
const hostileText = fc.constantFrom(
  '"\\ud800"',
  '{"\\udfff":1}',
  "9007199254740993",
  "1e400",
  '{"a":1,"a":2}',
  `${"[".repeat(65)}${"]".repeat(65)}`,
  '{"__proto__":{"id":9}}',
  '{"id":9}',
  "NaN",
  "01",
  "[1,]",
  "'a'"
)

const jsonText = fc.oneof(
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: hostileText }
)

const method = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("ping", "tools/list", "tools/call", "resources/read", "completion/complete")
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("prompts/list", "logging/setLevel", "@effect/rpc/Eof", "__proto__", "")
  }
)

const toolCall = fc
  .tuple(fc.constantFrom("cassette_stats", "job_status", "thought_record_list", "no_such_tool"), jsonText)
  .map(([name, args]) => `{"name":${JSON.stringify(name)},"arguments":${args}}`)

/** A number or a text that no other line has. */
let last = 0
const freshId = fc.boolean().map((isText) => (isText ? `"id ${++last}"` : `${++last}`))

const otherMember = fc.tuple(
  fc.constantFrom("discard", "headers", "traceId", "params", "jsonrpc", "result", "chunk", "x"),
  jsonText
)

/** The members of a message in random order, some of them missing or wrong. */
const messageText = fc
  .record({
    id: fc.oneof(
      { weight: 8, arbitrary: freshId },
      { weight: 1, arbitrary: jsonText },
      { weight: 1, arbitrary: fc.constant(undefined) }
    ),
    jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant('"2.0"') }, { weight: 1, arbitrary: jsonText }),
    method: fc.oneof(
      { weight: 8, arbitrary: method.map((name) => JSON.stringify(name)) },
      { weight: 1, arbitrary: jsonText }
    ),
    params: fc.oneof(fc.constant(undefined), fc.constant("{}"), toolCall, jsonText),
    others: fc.array(otherMember, { maxLength: 2 }),
    order: fc.array(fc.nat({ max: 6 }), { minLength: 6, maxLength: 6 })
  })
  .map(({ order, others, ...members }) => {
    const all = [...Object.entries(members), ...others].filter(([, text]) => text !== undefined)
    const moved = all.map((member, index) => [order[index] ?? 0, member] as const).sort(([a], [b]) => a - b)
    return `{${moved.map(([, [key, text]]) => `${JSON.stringify(key)}:${text}`).join(",")}}`
  })

/** What may stand in a line that is no text, or does not belong there. */
const strayBytes = fc.oneof(
  fc
    .constantFrom("", '"', "\\", "}", "{", "[", ",", ":", "\u0000", "\r", "\uFEFF", "é")
    .map((text) => Buffer.from(text)),
  fc
    .constantFrom([0xff], [0xc1, 0x81], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80])
    .map((bytes) => Buffer.from(bytes))
)

const damage = fc.tuple(fc.nat(), fc.nat({ max: 3 }), strayBytes)

const line = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: messageText },
      { weight: 1, arbitrary: messageText.map((text) => `[${text}]`) }
    ),
    fc.option(damage),
    fc.constantFrom("", "", "\r", " ", "\uFEFF"),
    fc.constantFrom("", "", "\r", " \t")
  )
  .map(([text, change, before, after]) => {
    const whole = Buffer.from(before + text + after)
    if (change === null) return whole
    const [at, length, put] = change
    const from = at % (whole.length + 1)
    return Buffer.concat([whole.subarray(0, from), put, whole.subarray(from + length)])
  })

/** The message as another reader takes it; undefined for what is no JSON. */
const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** The id that another reader of JSON finds in a request, undefined when there is none that could be answered. */
const requestId = (bytes: Uint8Array): number | string | undefined => {
  const message = parsed(bytes) as Record<string, unknown> | null | undefined
  // A batch is refused as a whole, as JSON-RPC asks for.
  if (typeof message !== "object" || message === null || Array.isArray(message)) return undefined
  const isAnswer =
    !Object.hasOwn(message, "method") && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
  const { id } = message
  const isId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id))
  // Which of two ids is meant cannot be told.
  const ids = Buffer.from(bytes).toString().match(/"id":/g)?.length
  return isId && !isAnswer && ids === 1 ? id : undefined
}

let place: ReturnType<typeof temporaryFolder>
let session: Session

beforeAll(async () => {
  place = temporaryFolder()
  session = new Session(place.folder)
  await session.initialize()
})

afterAll(async () => {
  expect(await session.close()).toBe(0)
  place.remove()
})

let fence = 0

describe("random lines", () => {
  it("are each answered once under their own id, and the server lives on", async () => {
    await fc.assert(
      fc.asyncProperty(line, async (bytes) => {
        session.answers.length = 0
        session.raw(Buffer.concat([bytes, Buffer.from("\n")]))
        const id = requestId(bytes)
        if (id !== undefined) await session.answer((answer) => answer.id === id)
        const after = `fence ${fence++}`
        // A list comes behind the lists that were asked for before it, which a ping may pass.
        session.send({ id: after, method: "tools/list" })
        await session.answer((answer) => answer.id === after)
        // A notification, as that the list of tools has changed, has no id and answers nothing.
        const others = session.answers.filter((answer) => Object.hasOwn(answer, "id") && answer.id !== after)
        expect(others.length).toBeLessThanOrEqual(1)
        if (id !== undefined) expect(others.map((answer) => answer.id)).toEqual([id])
      }),
      propParameters(5)
    )
  })
})

/** Ids of one conversation, few enough to be used again. */
const anyId = fc.nat({ max: 5 })

const asked = fc.record({
  id: anyId,
  isText: fc.boolean(),
  what: fc.constantFrom(
    { method: "ping" },
    { method: "tools/list" },
    { method: "tools/list", params: { cursor: "bogus" } },
    { method: "tools/call", params: { name: "cassette_stats" } },
    { method: "tools/call", params: { name: "job_status", arguments: { run_id: "none" } } },
    { method: "no/such" }
  )
})

const turn = fc.oneof(
  { weight: 6, arbitrary: asked.map((request) => ({ requests: [request], isBatch: false })) },
  {
    weight: 2,
    arbitrary: fc
      .array(asked, { minLength: 1, maxLength: 4 })
      .map((requests) => ({ requests, isBatch: true }))
  },
  { weight: 2, arbitrary: anyId.map((cancelled) => ({ cancelled })) },
  { weight: 1, arbitrary: fc.constantFrom({ blank: "" }, { blank: " \r" }) }
)

let conversations = 0

describe.each(["2025-03-26", "2025-06-18"])("conversations in version %s", (version) => {
  let talk: Session

  beforeAll(async () => {
    talk = new Session(place.folder)
    await talk.initialize(version)
  })

  afterAll(async () => {
    expect(await talk.close()).toBe(0)
  })

  it("answer every request once, but for cancelled ones, which may have no answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 300 })),
        async (turns, cuts) => {
          const base = 1_000_000 + 10 * conversations++
          const idOf = (id: number, isText: boolean) => (isText ? String(base + id) : base + id)
          const asks = new Map<number | string, number>()
          const cancelled = new Set<number | string>()
          const lines = turns.map((each) => {
            if ("blank" in each) return each.blank
            if ("cancelled" in each) {
              cancelled.add(base + each.cancelled)
              const params = { requestId: base + each.cancelled }
              return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })
            }
            const messages = each.requests.map(({ id, isText, what }) => {
              const own = idOf(id, isText)
              asks.set(own, (asks.get(own) ?? 0) + 1)
              return { jsonrpc: "2.0", id: own, ...what }
            })
            return JSON.stringify(each.isBatch ? messages : messages[0])
          })
          let rest = Buffer.from([...lines, ""].join("\n"))
          for (const cut of cuts) {
            talk.raw(rest.subarray(0, cut))
            rest = rest.subarray(cut)
          }
          talk.raw(rest)
          const fenceId = idOf(9, true)
          talk.send({ id: fenceId, method: "ping" })
          await talk.answer(({ id }) => id === fenceId)
          const answersTo = (own: number | string) => talk.answers.filter(({ id }) => id === own).length
          for (const [own, times] of asks) {
            if (!cancelled.has(own)) await talk.answer(() => answersTo(own) >= times)
            expect(answersTo(own)).toBeLessThanOrEqual(times)
          }
          expect(talk.answers.filter(({ id }) => id === null)).toEqual([])
          talk.answers.length = 0
        }
      ),
      propParameters(5)
    )
  })
})
