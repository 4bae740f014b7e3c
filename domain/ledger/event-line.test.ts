// Events as lines and back: the same event from any JSON text of it, and nothing from a text that has two meanings or none.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { EventEnvelope } from "./event-envelope.ts"
import { eventLine, readEventLine } from "./event-line.ts"

const event = (data: string): EventEnvelope => ({
  position: 7,
  type: "T",
  stream_id: "run:r1",
  schema_version: 1,
  data,
  recorded_at: "2026-11-27T10:00:00.000Z",
  prev_hash: "aa",
  hash: "bb"
})

const line = (data: string) =>
  `{"position":7,"type":"T","stream_id":"run:r1","schema_version":1,"data":${data},"recorded_at":"2026-11-27T10:00:00.000Z","prev_hash":"aa","hash":"bb"}`

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}{}${"}".repeat(levels)}`

describe("eventLine", () => {
  it.each(['{"10":1,"9":2}', '{"a":1e+21,"b":"\\u007f\u2028"}', "{}"])("keeps canonical data %s", (data) => {
    expect(eventLine(event(data))).toBe(line(data))
  })
  it.each(["{", '{"a":\n1}', ""])("shows damaged data %j as a string, on one line", (data) => {
    expect(eventLine(event(data))).toBe(line(JSON.stringify(data)))
  })
})

describe("readEventLine", () => {
  it.each([
    ["as it is written", line('{"a":1,"b":"é\u007f"}')],
    ["with escapes", line('{"a":1,"b":"\\u00e9\\u007f"}')],
    ["with blanks", line(' { "b" : "é\u007f" , "a" : 1.0 } ')],
    ["in another order", line('{"b":"é\u007f","a":1}').replace(/^\{("position":7),(.*)\}$/, "{$2,$1}")]
  ])("gives the event of a line %s", (_, text) => {
    expect(readEventLine(text, 1)).toEqual(Result.succeed(event('{"a":1,"b":"é\u007f"}')))
  })
  it.each(["{", '{"a":\n1}', ""])("gives damaged data %j back", (data) => {
    expect(readEventLine(eventLine(event(data)), 1)).toEqual(Result.succeed(event(data)))
  })
  it("reads data as deep as it is stored", () => {
    expect(readEventLine(line(deep(66)), 1)).toEqual(Result.succeed(event(deep(66))))
  })
  it.each([
    ["a key twice", line('{"a":1}').replace('"T"', '"T","type":"T"'), "already has that key"],
    ["a key of data twice", line('{"a":1,"a":1}'), "already has that key"],
    ["a cut line", line("{}").slice(0, -3), "ends too early"],
    ["a byte order mark", `\ufeff${line("{}")}`, "byte order mark"],
    ["two values", `${line("{}")}{}`, "follows the JSON value"],
    ["too deep data", line(deep(67)), "nesting goes over"],
    ["a list", "[]", "line 9 is no event: it is no JSON object"],
    ["an error of the log", '{"ok":false}', 'line 9 is no event: it has no field "position"'],
    ["a missing hash", line("{}").replace(',"hash":"bb"', ""), 'line 9 is no event: it has no field "hash"'],
    [
      "one field more",
      line("{}").replace("{", '{"more":1,'),
      'line 9 is no event: an event has no field "more"'
    ]
  ])("refuses %s with its line", (_, text, reason) => {
    const read = readEventLine(text, 9)
    const refusal = Result.isFailure(read) ? read.failure : ""
    expect(refusal).toContain(reason)
    expect(refusal).toContain("line 9")
  })
})
