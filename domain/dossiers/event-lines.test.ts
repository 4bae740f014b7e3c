// The lines of a dossier have one spelling each: that of a proof is the proof's document, and no other text is taken for either.
import { describe, expect, it } from "vitest"
import { formatProof, type InclusionProof } from "../evidence/proof.ts"
import { jcsText } from "../canonical/jcs.ts"
import type { EventEnvelope } from "../ledger/event-envelope.ts"
import {
  dataLeft,
  eventLine,
  parseEventLine,
  parseProofLine,
  proofLine,
  withheldEvent
} from "./event-lines.ts"

const hash = "ab".repeat(32)
const proof: InclusionProof = { kind: "inclusion", size: 12, index: 3, hash, path: [hash, "0".repeat(64)] }

const event: EventEnvelope = {
  position: 2,
  type: "MessagePosted",
  stream_id: "run:a \u{1f642}",
  schema_version: 1,
  data: '{"payload":{"a":"\\"\\u0007"},"steps":[{"job":1,"payload":{"b":0.5}}]}',
  recorded_at: "2026-11-29T10:00:00.000Z",
  prev_hash: hash,
  hash
}

describe("the line of a proof", () => {
  it("is the text of the proof as a document", () => {
    for (const path of [proof.path, [], [hash]]) {
      const line = proofLine({ ...proof, path })
      expect(line).toBe(formatProof({ ...proof, path }))
      expect(parseProofLine(line)).toEqual({ ...proof, path })
    }
  })

  it("is no other text", () => {
    const line = proofLine(proof)
    for (const other of [
      line.replace("12", "012"),
      line.replace("12", "12.0"),
      line.replace("12", "9007199254740993"),
      line.replace("ab", "AB"),
      line.replace('",', '", '),
      line.replace("]", ",]"),
      line.replace('","', '""'),
      line.replace("inclusion", "consistency"),
      `${line} `,
      ` ${line}`,
      "",
      "{}"
    ]) {
      expect(parseProofLine(other), other).toBeUndefined()
    }
  })
})

describe("the line of an event", () => {
  it("is canonical, and is read as the event that it was", () => {
    expect(eventLine(event)).toBe(jcsText(event))
    expect(parseEventLine(eventLine(event))).toEqual(event)
  })

  it("is no other text", () => {
    const line = eventLine(event)
    const members = { ...event, note: "" }
    for (const other of [
      line.replace("{", "{ "),
      line.replace('"position":2', '"position":"2"'),
      line.replace('"position":2', '"position":2.5'),
      line.replace("run:a", "run:\\u0061"),
      jcsText(members),
      jcsText({ ...event, withheld: "" }),
      "[]",
      ""
    ]) {
      expect(parseEventLine(other), other).toBeUndefined()
    }
  })
})

describe("an event without its bodies", () => {
  const sha256 = (text: string): string => `${text.length}`.padStart(64, "0")
  const left = withheldEvent(sha256, event)

  it("says the hash of each in its place, those of steps among them", () => {
    expect(left).not.toHaveProperty("data")
    expect(left?.withheld).toBe(
      `{"payload_sha256":"${sha256('{"a":"\\"\\u0007"}')}","steps":[{"job":1,"payload_sha256":"${sha256('{"b":0.5}')}"}]}`
    )
    expect(parseEventLine(eventLine(left!))).toEqual(left)
  })

  it("is read with empty bodies, and has no place for one that is there", () => {
    expect(dataLeft(left!)).toEqual({ payload: {}, steps: [{ job: 1, payload: {} }] })
    expect(dataLeft({ ...left!, withheld: event.data })).toEqual({ steps: [{ job: 1 }] })
    expect(dataLeft({ ...left!, withheld: "{ }" })).toBeUndefined()
  })
})
