// The envelope's hash is a wire format and the chain is what makes tampering visible: a golden hash made apart
// from our code, and every kind of fault between two neighbours.
import { hash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { jcsText } from "../canonical/jcs.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  eventHash,
  headOf,
  LEDGER_STREAM,
  runOfStream,
  runStream
} from "./event-envelope.ts"
import { at, chainOf, sha256 } from "./testing/samples.ts"

const created: EventEnvelope = {
  position: 1,
  type: "LedgerCreated",
  stream_id: "ledger",
  schema_version: 1,
  data: `{"ledger_id":"l \u2028"}`,
  recorded_at: "2026-11-27T10:00:00.000Z",
  prev_hash: "0".repeat(64),
  hash: "91863dd088a76a09e8dd4c76fd4707b428238fc3f20afc30a0e2c803d537e48e"
}

describe("the hash of an event", () => {
  // The text stands here as an auditor would write it: `data` is a string inside the array.
  const text =
    `["cassette/event/1",1,"LedgerCreated","ledger",1,"{\\"ledger_id\\":\\"l \u2028\\"}",` +
    `"2026-11-27T10:00:00.000Z","${"0".repeat(64)}"]`

  it("is the SHA-256 of the envelope's array", () => {
    expect(created.hash).toBe(hash("sha256", text, "hex"))
    expect(eventHash(sha256, created)).toBe(created.hash)
  })

  it("covers data as it is stored, not as it would be written", () => {
    const spaced = { ...created, data: `{ "ledger_id": "l \u2028" }` }
    expect(eventHash(sha256, spaced)).not.toBe(created.hash)
  })

  const changes: ReadonlyArray<Partial<EventEnvelope>> = [
    { position: 2 },
    { type: "LedgerCreate" },
    { stream_id: "ledger2" },
    { schema_version: 2 },
    { data: "{}" },
    { recorded_at: at(1) },
    { prev_hash: "1".repeat(64) }
  ]

  it.each(changes)("covers %j", (change) => {
    expect(eventHash(sha256, { ...created, ...change })).not.toBe(created.hash)
  })

  it("is over canonical text with anything in the fields", () => {
    const awkward = '"\\\b\t\n\f\r\u0000\u001f\u007f\u0080\u2028\u2029\ufeff\uffff/é😀'
    for (const position of [0, 1, Number.MAX_SAFE_INTEGER]) {
      const event = {
        position,
        type: awkward,
        stream_id: awkward,
        schema_version: position,
        data: awkward,
        recorded_at: awkward,
        prev_hash: awkward
      }
      const { data, prev_hash, recorded_at, schema_version, stream_id, type } = event
      const array = [position, type, stream_id, schema_version, data, recorded_at, prev_hash]
      expect(eventHash((hashed) => hashed, event)).toBe(jcsText(["cassette/event/1", ...array]))
    }
  })

  it("does not cover itself", () => {
    const other: EventEnvelope = { ...created, hash: "f".repeat(64) }
    expect(eventHash(sha256, other)).toBe(created.hash)
  })
})

describe("the chain", () => {
  const [first, second, third] = chainOf(3) as unknown as readonly [
    EventEnvelope,
    EventEnvelope,
    EventEnvelope
  ]
  const rehashed = (event: EventEnvelope): EventEnvelope => ({ ...event, hash: eventHash(sha256, event) })

  it("fits when every event follows its predecessor", () => {
    expect(chainFault(sha256, EMPTY_HEAD, first)).toBeUndefined()
    expect(chainFault(sha256, headOf(first), second)).toBeUndefined()
    expect(chainFault(sha256, headOf(second), third)).toBeUndefined()
  })

  it("takes two events of the same time", () => {
    const sameTime = rehashed({ ...second, recorded_at: first.recorded_at })
    expect(chainFault(sha256, headOf(first), sameTime)).toBeUndefined()
  })

  it.each([
    ["a gap", headOf(first), third, "position 3 follows position 1"],
    ["a repetition", headOf(second), second, "position 2 follows position 2"],
    ["a first event that is not at 1", EMPTY_HEAD, second, "position 2 follows position 0"],
    [
      "a foreign predecessor",
      { ...headOf(first), hash: "a".repeat(64) },
      second,
      "prev_hash is not the hash of position 1"
    ],
    [
      "a time before its predecessor's",
      { ...headOf(first), recorded_at: at(2) },
      second,
      `recorded_at ${at(1)} is before the time of position 1`
    ],
    [
      "a time that is none",
      headOf(first),
      { ...second, recorded_at: "2999-99-99T00:00:00.000Z" },
      "recorded_at is not a time of the one form"
    ],
    ["changed data", headOf(first), { ...second, data: `{"index":2}` }, "hash is not the hash of this event"],
    [
      "a changed hash",
      headOf(first),
      { ...second, hash: "b".repeat(64) },
      "hash is not the hash of this event"
    ]
  ])("names %s", (_name, before, event, fault) => {
    expect(chainFault(sha256, before, event)).toBe(fault)
  })

  it("shows a changed event at the next one too when the forger took a new hash", () => {
    const forged = rehashed({ ...second, data: `{"index":7}` })
    expect(chainFault(sha256, headOf(first), forged)).toBeUndefined()
    expect(chainFault(sha256, headOf(forged), third)).toBe("prev_hash is not the hash of position 2")
  })
})

describe("streams", () => {
  it("gives a run's name back, with any characters", () => {
    for (const run of ["r", "run:r", "ledger", "", "é😀"]) expect(runOfStream(runStream(run))).toBe(run)
  })

  it("knows streams of no run", () => {
    expect(runOfStream(LEDGER_STREAM)).toBeUndefined()
    expect(runOfStream("task:t")).toBeUndefined()
  })
})
