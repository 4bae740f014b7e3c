/** Lines that no client should send, and some that clients do send: each has one answer, under the id that it carries. */
import { describe, expect, it } from "vitest"
import { MAX_LINE_BYTES } from "./messages/line-stdio.ts"
import { ProcessSession } from "./testing/process-session.ts"
import { type LineClient, Session as Lines } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602
/** Of MCP, up to 2025-11-25. */
const RESOURCE_NOT_FOUND = -32_002

/** The answer's id as JSON text, and the code of its error; `done` for a result, undefined for no answer at all. */
type Expected = readonly [id: string, outcome: number | "done"] | undefined

/** Text with bytes in the place of its `~` that may be no text. */
const withBytes = (text: string, ...bytes: ReadonlyArray<number>): Uint8Array => {
  const [begin = "", end = ""] = text.split("~")
  return Buffer.concat([Buffer.from(begin), Buffer.from(bytes), Buffer.from(end)])
}

const call = (args: string, id = "7"): string =>
  `{"method":"tools/call","params":{"name":"cassette_stats","arguments":${args}},"jsonrpc":"2.0","id":${id}}`
const request = (method: string, params = "{}", id = "7"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

/** A ping of so many bytes. */
const longPing = (length: number): string => {
  const [begin = "", end = ""] = request("ping", '{"a":"~"}').split("~")
  return begin + "x".repeat(length - begin.length - end.length) + end
}

const cases: ReadonlyArray<
  readonly [name: string, line: string | Uint8Array, ...expected: ReadonlyArray<Expected>]
> = [
  ["half a surrogate pair in an argument", call('{"a":"\\ud800"}'), ["7", PARSE_ERROR]],
  ["half a surrogate pair in a key", call('{"\\udc00":1}'), ["7", PARSE_ERROR]],
  ["an integer above 2^53", call('{"a":9007199254740993}'), ["7", PARSE_ERROR]],
  ["a number that no double holds", call('{"a":1e400}'), ["7", PARSE_ERROR]],
  ["a key twice in an argument", call('{"a":1,"a":2}'), ["7", PARSE_ERROR]],
  ["65 levels", call(`{"a":${nested(65)}}`), ["7", PARSE_ERROR]],
  ["5,000 levels", call(`{"a":${nested(5_000)}}`), ["7", PARSE_ERROR]],
  [
    "levels without end",
    `{"id":7,"jsonrpc":"2.0","method":"ping","params":${"[".repeat(5_000)}`,
    ["7", PARSE_ERROR]
  ],
  ["a text as id", call('{"a":"\\ud800"}', '"seven"'), ['"seven"', PARSE_ERROR]],
  ["an escaped id", call('{"a":"\\ud800"}', '"\\u00e9\\""'), ['"\\u00e9\\""', PARSE_ERROR]],
  [
    "an id whose key is escaped",
    '{"jsonrpc":"2.0","\\u0069d":7,"method":"ping","params":{"a":1,"a":1}}',
    ["7", PARSE_ERROR]
  ],
  ["an id inside the arguments alone", call('{"id":9,"a":1e400}', "null"), ["null", PARSE_ERROR]],
  ["an id above 2^53", request("ping", "{}", "9007199254740993"), ["9007199254740993", PARSE_ERROR]],
  ["an id with half a surrogate pair", request("ping", "{}", '"\\ud800"'), ['"\\ud800"', PARSE_ERROR]],
  ["the same id twice", '{"jsonrpc":"2.0","id":7,"id":7,"method":"ping"}', ["7", PARSE_ERROR]],
  ["two ids", '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}', ["null", PARSE_ERROR]],
  [
    "bytes that are no UTF-8",
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('"}')
    ]),
    ["7", PARSE_ERROR]
  ],
  ["a control character", '{"jsonrpc":"2.0","id":7,"method":"pi\u0001ng"}', ["7", PARSE_ERROR]],
  ["a byte order mark", `\uFEFF${request("ping")}`, ["7", PARSE_ERROR]],
  ["NaN", call('{"a":NaN}'), ["7", PARSE_ERROR]],
  ["a comment", '{"jsonrpc":"2.0", /* hello */ "id":7,"method":"ping"}', ["null", PARSE_ERROR]],
  ["a comma too many", '{"jsonrpc":"2.0","id":7,"method":"ping",}', ["7", PARSE_ERROR]],
  ["single quotes", "{'jsonrpc':'2.0','id':7,'method':'ping'}", ["null", PARSE_ERROR]],
  ["half an object", '{"jsonrpc":"2.0","id":7', ["null", PARSE_ERROR]],
  ["something after the object", `${request("ping")} x`, ["7", PARSE_ERROR]],
  ["words", "hello there", ["null", PARSE_ERROR]],
  ["a header of HTTP", "Content-Length: 52", ["null", PARSE_ERROR]],
  [
    "half a surrogate pair in a key of the outermost object",
    `{"\\ud800":1,${request("ping").slice(1)}`,
    ["7", PARSE_ERROR]
  ],
  ["a method twice", `{"method":"ping",${request("ping").slice(1)}`, ["7", PARSE_ERROR]],
  ["an integer below -2^53", call('{"a":-9007199254740993}'), ["7", PARSE_ERROR]],
  ["an integer of 400 digits", call(`{"a":${"9".repeat(400)}}`), ["7", PARSE_ERROR]],
  ["65 objects in one another", call(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`), ["7", PARSE_ERROR]],
  ["half a surrogate pair as UTF-8", withBytes(call('{"a":"~"}'), 0xed, 0xa0, 0x80), ["7", PARSE_ERROR]],
  ["a letter in more bytes than it needs", withBytes(call('{"a":"~"}'), 0xc1, 0x81), ["7", PARSE_ERROR]],
  ["a character that ends early", withBytes(call('{"a":"~"}'), 0xe2, 0x82), ["7", PARSE_ERROR]],
  ["UTF-16", Buffer.from(request("ping"), "utf16le"), ["null", PARSE_ERROR]],
  ["NUL behind the object", `${request("ping")}\u0000`, ["7", PARSE_ERROR]],
  ["NUL before the object", `\u0000${request("ping")}`, ["7", PARSE_ERROR]],
  ["NUL in a text", call('{"a":"\u0000"}'), ["7", PARSE_ERROR]],
  ["NUL alone", "\u0000", ["null", PARSE_ERROR]],
  ["a byte order mark alone", "\uFEFF", ["null", PARSE_ERROR]],
  ["the line end of Windows", `${request("ping")}\r`, ["7", "done"]],
  ["the line end of old Macs inside", `${request("ping")}\r${request("ping")}`, ["7", PARSE_ERROR]],
  ["spaces and tabs around", ` \t${request("ping")}\t `, ["7", "done"]],
  ["nothing", "", undefined],
  ["blanks", " \t \r", undefined],
  ["a line separator in a text", request("ping", '{"a":"\u2028\u2029"}'), ["7", "done"]],
  ["16 MiB", longPing(MAX_LINE_BYTES), ["7", "done"]],
  ["16 MiB and a byte", longPing(MAX_LINE_BYTES + 1), ["7", PARSE_ERROR]],
  [
    "numbers that are longer when they are spelled out",
    call(`{"a":[${"1e20,".repeat(900_000)}1]}`),
    ["7", INVALID_REQUEST]
  ],
  ["16 MiB of levels", call("[".repeat(16 * 1_048_576)), ["null", PARSE_ERROR]],
  [
    "a batch of requests and nonsense",
    `[1,${request("ping")},{"id":8},[]]`,
    ["7", INVALID_REQUEST],
    ["8", INVALID_REQUEST]
  ],
  ["a batch in a batch", `[[${request("ping")}]]`, ["null", INVALID_REQUEST]],
  ["a batch with half a surrogate pair", `[${call('{"a":"\\ud800"}')}]`, ["null", PARSE_ERROR]],
  ["a number", "42", ["null", INVALID_REQUEST]],
  ["a text", '"ping"', ["null", INVALID_REQUEST]],
  ["null", "null", ["null", INVALID_REQUEST]],
  ["an empty object", "{}", ["null", INVALID_REQUEST]],
  ["an empty batch", "[]", ["null", INVALID_REQUEST]],
  ["a batch of a number", "[1]", ["null", INVALID_REQUEST]],
  ["a batch in a version that has none", `[${request("ping")}]`, ["7", INVALID_REQUEST]],
  ["no jsonrpc", '{"id":7,"method":"ping"}', ["7", INVALID_REQUEST]],
  ["jsonrpc 1.0", '{"jsonrpc":"1.0","id":7,"method":"ping"}', ["7", INVALID_REQUEST]],
  ["jsonrpc as a number", '{"jsonrpc":2.0,"id":7,"method":"ping"}', ["7", INVALID_REQUEST]],
  ["no method", '{"jsonrpc":"2.0","id":7}', ["7", INVALID_REQUEST]],
  ["a method that is a number", '{"jsonrpc":"2.0","id":7,"method":5}', ["7", INVALID_REQUEST]],
  ["a method that is null", '{"jsonrpc":"2.0","id":7,"method":null}', ["7", INVALID_REQUEST]],
  ["an id that is an object", request("ping", "{}", '{"a":1}'), ["null", INVALID_REQUEST]],
  ["an id that is a list", request("ping", "{}", "[7]"), ["null", INVALID_REQUEST]],
  ["an id that is true", request("ping", "{}", "true"), ["null", INVALID_REQUEST]],
  ["an id that is null", request("ping", "{}", "null"), ["null", INVALID_REQUEST]],
  ["an id that is a fraction", request("ping", "{}", "1.5"), ["1.5", INVALID_REQUEST]],
  ["an id of 0", request("ping", "{}", "0"), ["0", "done"]],
  ["an id below 0", request("ping", "{}", "-3"), ["-3", "done"]],
  ["an empty id", request("ping", "{}", '""'), ['""', "done"]],
  ["an id of digits as text", request("ping", "{}", '"7"'), ['"7"', "done"]],
  ["an id of 2^53", request("ping", "{}", "9007199254740992"), ["9007199254740992", "done"]],
  [
    "a long id",
    request("ping", "{}", JSON.stringify("x".repeat(10_000))),
    [JSON.stringify("x".repeat(10_000)), "done"]
  ],
  ["an unknown method", request("tools/invent"), ["7", METHOD_NOT_FOUND]],
  ["an empty method", request(""), ["7", METHOD_NOT_FOUND]],
  ["a method of a prototype", request("__proto__"), ["7", METHOD_NOT_FOUND]],
  ["a method of the transport", request("@effect/rpc/Eof"), ["7", METHOD_NOT_FOUND]],
  ["a notification's method with an id", request("notifications/initialized"), ["7", METHOD_NOT_FOUND]],
  ["params that are a list", request("ping", "[1]"), ["7", INVALID_PARAMS]],
  ["params that are a number", request("tools/list", "5"), ["7", INVALID_PARAMS]],
  ["params that are null", request("tools/list", "null"), ["7", INVALID_PARAMS]],
  ["arguments that are a list", call("[1]"), ["7", INVALID_PARAMS]],
  ["arguments that are a text", call('"a"'), ["7", INVALID_PARAMS]],
  ["a call without a name", request("tools/call", '{"arguments":{}}'), ["7", INVALID_PARAMS]],
  ["an unknown tool", request("tools/call", '{"name":"no_such_tool"}'), ["7", INVALID_PARAMS]],
  ["a bogus cursor", request("tools/list", '{"cursor":"bogus"}'), ["7", INVALID_PARAMS]],
  ["a bogus cursor of resources", request("resources/list", '{"cursor":"bogus"}'), ["7", INVALID_PARAMS]],
  ["a cursor that is a number", request("tools/list", '{"cursor":5}'), ["7", INVALID_PARAMS]],
  [
    "a progress token that is an object",
    request("tools/list", '{"_meta":{"progressToken":{}}}'),
    ["7", INVALID_PARAMS]
  ],
  [
    "an address that leads nowhere",
    request("resources/read", '{"uri":"cortex://nothing/x"}'),
    ["7", RESOURCE_NOT_FOUND]
  ],
  ["reading without an address", request("resources/read"), ["7", INVALID_PARAMS]],
  ["completing nothing", request("completion/complete"), ["7", INVALID_PARAMS]],
  [
    "members of the transport beside the standard ones",
    '{"jsonrpc":"2.0","id":7,"method":"ping","discard":true,"headers":5}',
    ["7", "done"]
  ],
  [
    "a tool called by a notification",
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"cassette_stats"}}',
    undefined
  ],
  ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/invented"}', undefined],
  [
    "a notification with half a surrogate pair",
    '{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\\ud800"}}',
    undefined
  ],
  [
    "cancelling what never was",
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
    undefined
  ],
  [
    "cancelling nonsense",
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    undefined
  ],
  ["an answer to nothing", '{"jsonrpc":"2.0","id":7,"result":{}}', undefined],
  ["an error of the transport", '{"jsonrpc":"2.0","id":7,"error":{"_tag":"Defect","data":1}}', undefined],
  ["a part of an answer", '{"jsonrpc":"2.0","id":7,"chunk":true,"result":5}', undefined]
]

let fence = 0

/** What the server writes to a line before it has answered a request that follows it. */
const answersTo = async (session: LineClient, line: string | Uint8Array): Promise<ReadonlyArray<string>> => {
  const before = session.lines.length
  session.raw(Buffer.concat([Buffer.from(line), Buffer.from("\n")]))
  const id = `fence ${fence++}`
  session.send({ id, method: "ping" })
  await session.answer((answer) => answer.id === id)
  return session.lines.slice(before).filter((written) => !written.includes(`"${id}"`))
}

const outcomeOf = (line: string): Expected => {
  const { error } = JSON.parse(line) as { error?: { code: number; message: string } }
  if (error !== undefined) expect(error.message).not.toMatch(/^(Invalid method parameters|Internal error)?$/)
  // An id that no double holds stands in the text alone.
  const [, id = ""] = /^\{"jsonrpc":"2\.0","id":(.*?),"(?:error|result)":/.exec(line) ?? []
  return [id, error?.code ?? "done"]
}

describe("a hostile line", () => {
  const overStreams = async () => {
    const session = new ProcessSession(place.folder)
    await session.initialize()
    return session
  }

  it.each([
    ["in this process", start],
    ["over the streams of another one", overStreams]
  ])("%s is answered under its own id, and the server lives on", async (_, open) => {
    const session = await open()
    for (const [name, line, ...expected] of cases) {
      const answers = await answersTo(session, line)
      expect({ name, answers: answers.map(outcomeOf) }).toEqual({
        name,
        answers: expected.filter((each) => each !== undefined)
      })
    }
    expect(await session.close()).toBe(0)
  })

  it("is answered although the input ends with it", async () => {
    const lines = [request("ping"), call('{"a":"\\ud800"}'), '{"jsonrpc":"2.0","id":7', "\uFEFF", "\u0000"]
    const ended = lines.map(async (line) => {
      const session = await start()
      const before = session.lines.length
      session.raw(line)
      expect(await session.close()).toBe(0)
      return session.lines.slice(before).map(outcomeOf)
    })
    expect(await Promise.all(ended)).toEqual([
      [["7", "done"]],
      [["7", PARSE_ERROR]],
      [["null", PARSE_ERROR]],
      [["null", PARSE_ERROR]],
      [["null", PARSE_ERROR]]
    ])
  })

  it("may take the id of a request that has no answer yet, or was cancelled", async () => {
    const session = await overStreams()
    const asked = (id: string) =>
      request("tools/call", '{"name":"job_status","arguments":{"run_id":"r"}}', id)
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}'
    session.raw([asked("7"), asked("7"), asked('"7"'), asked('"c"'), cancelled, asked('"c"'), ""].join("\n"))
    session.send({ id: "after", method: "ping" })
    await session.answer(({ id }) => id === "after")
    await session.answer(({ id, result }) => id === 7 && result !== undefined)
    await session.answer(({ id, result }) => id === "7" && result !== undefined)
    const outcomes = session.lines.slice(1).map(outcomeOf)
    expect(outcomes).toContainEqual(["7", INVALID_REQUEST])
    expect(outcomes).toContainEqual(['"c"', INVALID_REQUEST])
    expect(outcomes).toHaveLength(5)
    // An id whose request is answered is free.
    expect((await answersTo(session, request("ping"))).map(outcomeOf)).toEqual([["7", "done"]])
    expect(await session.close()).toBe(0)
  })

  it("says why", async () => {
    const session = await start()
    const reason = async (line: string) =>
      (JSON.parse((await answersTo(session, line))[0] ?? "{}") as { error: { message: string } }).error
        .message
    expect(await reason(call("[1]"))).toContain("/arguments: must be an object")
    expect(await reason(request("tools/list", '{"cursor":"bogus"}'))).toContain("/cursor: must be left out")
    expect(await reason(call('{"a":"\\ud800"}'))).toContain("half of a surrogate pair")
    expect(await reason(call(`{"a":${nested(65)}}`))).toContain("64 levels")
    expect(await reason(`[${request("ping")}]`)).toContain("2025-06-18")
  })

  it("may be too long to be kept", async () => {
    const session = await start()
    const filler = "x".repeat(MAX_LINE_BYTES)
    const line = `{"jsonrpc":"2.0","method":"ping","params":{"id":8,"a":"${filler}"},"id":7}`
    const [answer = "", ...others] = await answersTo(session, line)
    expect(others).toEqual([])
    expect(outcomeOf(answer)).toEqual(["7", PARSE_ERROR])
    expect(answer).toContain(`${MAX_LINE_BYTES} bytes`)
  })
})

describe("before the handshake", () => {
  it("only a ping is answered with a result", async () => {
    const session = new Lines(place.folder)
    for (const method of [
      "tools/list",
      "tools/call",
      "resources/list",
      "completion/complete",
      "logging/setLevel"
    ]) {
      const [answer = ""] = await answersTo(session, request(method))
      expect({ method, outcome: outcomeOf(answer) }).toEqual({ method, outcome: ["7", INVALID_REQUEST] })
      expect(answer).toContain("send initialize")
    }
    expect((await answersTo(session, request("ping"))).map(outcomeOf)).toEqual([["7", "done"]])
    expect((await answersTo(session, request("initialize"))).map(outcomeOf)).toEqual([["7", INVALID_PARAMS]])
    expect((await answersTo(session, request("tools/list"))).map(outcomeOf)).toEqual([["7", INVALID_REQUEST]])
    expect(await session.close()).toBe(0)
  })

  it("what follows initialize in the same write is served after it", async () => {
    const session = new Lines(place.folder)
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    session.raw(`${request("initialize", JSON.stringify(hello), "1")}\n${request("tools/list", "{}", "2")}\n`)
    expect((await session.answer(({ id }) => id === 2)).result).toBeDefined()
    expect(session.answers.map(({ id }) => id)).toEqual([1, 2])
    expect(await session.close()).toBe(0)
  })
})

describe("a batch in the version that has them", () => {
  it("is answered for each of its requests, the hostile ones too", async () => {
    const session = new Lines(place.folder)
    await session.initialize("2025-03-26")
    session.raw(
      `[${request("ping", "{}", "21")},${request("tools/list", "{}", "22")},1,{"id":23},${request("initialize", "[]", "24").replace("initialize", "ping")}]\n`
    )
    for (const id of [21, 22, 23, 24]) await session.answer((answer) => answer.id === id)
    expect(session.answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
      INVALID_REQUEST
    ])
    expect(session.answers.find(({ id }) => id === 22)?.result).toBeDefined()
    expect(session.answers.find(({ id }) => id === 24)?.error?.code).toBe(INVALID_PARAMS)
    expect(await session.close()).toBe(0)
  })
})
