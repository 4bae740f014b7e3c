// The check of one record: its link, its hash, its event, each fault by itself.
import { describe, expect, it } from "vitest"
import { jcsText } from "../../canonical/jcs.ts"
import { type EventEnvelope, EMPTY_HEAD, taskStream } from "../event-envelope.ts"
import { ZERO_HASH } from "../limits.ts"
import type { ThoughtRow } from "../rows.ts"
import { at, envelopeAfter, sha256 } from "../testing/samples.ts"
import { eventFault, recordFaults } from "./chain-check.ts"
import { computeHash } from "./thought-record.ts"

const six = {
  id: "r1",
  type: "plan",
  task_id: "t1",
  content: "hello",
  timestamp: "2026-04-17T00:00:00Z",
  prev_hash: ZERO_HASH
} as const

const row: ThoughtRow = {
  ...six,
  agent_id: "a1",
  hash: computeHash(sha256, six),
  created_at: at(0),
  event_position: 1
}

const eventOf = ({ agent_id, content, hash, id, prev_hash, task_id, timestamp, type }: ThoughtRow) =>
  envelopeAfter(
    EMPTY_HEAD,
    "ThoughtRecorded",
    { agent_id, content, hash, id, prev_hash, timestamp, type },
    { stream_id: taskStream(task_id) }
  )

const kinds = (before: string | undefined, changed: Partial<ThoughtRow> = {}) =>
  recordFaults(sha256, before, { ...row, ...changed }).map(({ kind }) => kind)

describe("a record", () => {
  it("is sound behind the one that it names, or as the first", () => {
    expect(kinds(undefined)).toEqual([])
    const prev_hash = "f".repeat(64)
    expect(kinds(prev_hash, { prev_hash, hash: computeHash(sha256, { ...six, prev_hash }) })).toEqual([])
  })

  it("is broken behind another, and where it was changed", () => {
    expect(kinds("f".repeat(64))).toEqual(["link"])
    const prev_hash = "f".repeat(64)
    expect(kinds(undefined, { prev_hash, hash: computeHash(sha256, { ...six, prev_hash }) })).toEqual([
      "link"
    ])
    expect(kinds(undefined, { content: "changed" })).toEqual(["hash"])
    expect(kinds(undefined, { prev_hash })).toEqual(["link", "hash"])
    // Whose thought it was is the event's business.
    expect(kinds(undefined, { agent_id: "a2" })).toEqual([])
  })
})

describe("a record and its event", () => {
  const event = eventOf(row)
  const kindOf = (stored: ThoughtRow | undefined, by: EventEnvelope | undefined) =>
    eventFault(sha256, stored, by)?.kind

  it("agree", () => expect(kindOf(row, event)).toBeUndefined())

  it("are both needed", () => {
    expect(kindOf(row, undefined)).toBe("extra")
    expect(kindOf(undefined, event)).toBe("missing")
  })

  it("differ in any field of the record", () => {
    const others = { task_id: "t2", agent_id: "a2", content: "", created_at: at(1), id: "r2" }
    for (const [key, value] of Object.entries(others)) {
      expect(kindOf({ ...row, [key]: value }, event), key).toBe("differs")
    }
  })

  it("differ when the event was changed together with the record", () => {
    const changed = { ...row, agent_id: "a2" }
    expect(kindOf(changed, { ...event, data: eventOf(changed).data })).toBe("differs")
    expect(eventOf(row).data).toBe(jcsText(JSON.parse(event.data)))
  })
})
