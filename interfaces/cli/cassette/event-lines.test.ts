// Lines of the log, byte by byte; also for events that honest programs never write.
import { describe, expect, it } from "vitest"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { eventJsonLine, eventTextLine } from "./event-lines.ts"

const event = (type: string, data: string): EventEnvelope => ({
  position: 7,
  type,
  stream_id: "run:r1",
  schema_version: 1,
  data,
  recorded_at: "2026-11-27T10:00:00.000Z",
  prev_hash: "aa",
  hash: "bb"
})

const line = (data: string) =>
  `{"position":7,"type":"T","stream_id":"run:r1","schema_version":1,"data":${data},"recorded_at":"2026-11-27T10:00:00.000Z","prev_hash":"aa","hash":"bb"}`

describe("eventJsonLine", () => {
  it.each(['{"10":1,"9":2}', '{"a":1e+21,"b":"\\u007f"}', "{}"])(
    "keeps canonical data %s as it is stored",
    (data) => {
      expect(eventJsonLine(event("T", data))).toBe(line(data))
    }
  )
  it("escapes what a terminal would obey, with the same value", () => {
    const shown = eventJsonLine(event("T", '{"a":"\u009b2J\u202e"}'))
    expect(shown).toBe(line('{"a":"\\u009b2J\\u202e"}'))
  })
  it.each(["{", '{"a":\n1}', ""])("shows damaged data %j as a string, on one line", (data) => {
    expect(eventJsonLine(event("T", data))).toBe(line(JSON.stringify(data)))
  })
})

describe("eventTextLine", () => {
  it.each([
    ["LedgerCreated", { ledger_id: "id" }, "ledger id"],
    ["MessagePosted", { message_id: "msg_1", source: "USER" }, "msg_1 from USER"],
    [
      "StepClaimed",
      { step_id: "s", worker_id: "w", fencing_token: 2, lease_expires_at: "T" },
      "s by w, token 2, until T"
    ],
    [
      "LeaseRenewed",
      { step_id: "s", worker_id: "w", previous_token: 2, fencing_token: 3, lease_expires_at: "T" },
      "s by w, token 2 -> 3, until T"
    ],
    [
      "StepRequeued",
      { step_id: "s", cause: "forced", requested_by: "me", reason: "a\nb" },
      "s forced, asked by me: a\\u000ab"
    ],
    [
      "StepCompleted",
      { step_id: "s", outcome: "SUCCESS", worker_id: "w", fencing_token: 2 },
      "s SUCCESS by w, token 2"
    ],
    ["ThoughtRecorded", { id: "r1", type: "plan", agent_id: "a1" }, "r1 plan by a1"],
    ["Unheard", { a: 1 }, '{"a":1}']
  ])("%s", (type, data, summary) => {
    expect(eventTextLine(event(type, JSON.stringify(data)))).toBe(
      `      7  2026-11-27T10:00:00.000Z  ${type.padEnd(15)}  run:r1  ${summary}`
    )
  })
  it("points to verify when data is no object", () => {
    expect(eventTextLine(event("StepClaimed", "[]"))).toContain("run cortex cassette verify")
  })
})
