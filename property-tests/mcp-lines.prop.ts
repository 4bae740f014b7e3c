// The server of agents on random lines: every line whose id another reader of JSON finds gets one answer, under that id,
// and every other line at most one; a request that follows is served. Lines are requests of every method with random
// members, some spelled with what no strict reader takes, some with bytes changed, cut off or put in.
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

const damage = fc.tuple(
  fc.nat(),
  fc.nat({ max: 3 }),
  fc.constantFrom("", '"', "\\", "}", "{", "[", ",", ":", "\u0000", "é")
)

const line = fc.tuple(messageText, fc.option(damage)).map(([text, change]) => {
  if (change === null) return text
  const [at, length, put] = change
  const from = at % (text.length + 1)
  return text.slice(0, from) + put + text.slice(from + length)
})

/** The id that another reader of JSON finds in a request, undefined when there is none that could be answered. */
const requestId = (text: string): number | string | undefined => {
  try {
    const message = JSON.parse(text) as Record<string, unknown>
    const isAnswer =
      !Object.hasOwn(message, "method") &&
      (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
    const { id } = message
    const isId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id))
    // Which of two ids is meant cannot be told.
    return isId && !isAnswer && text.match(/"id":/g)?.length === 1 ? id : undefined
  } catch {
    return undefined
  }
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
      fc.asyncProperty(line, async (text) => {
        session.answers.length = 0
        session.raw(`${text}\n`)
        const id = requestId(text)
        if (id !== undefined) await session.answer((answer) => answer.id === id)
        const after = `fence ${fence++}`
        session.send({ id: after, method: "ping" })
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
