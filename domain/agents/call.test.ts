// A call becomes commands that the ledger takes, however strange its bodies and names are.
import { hash } from "node:crypto"
import * as fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { jcsText } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { isName } from "../foundation/bounded-names.ts"
import { prepareCompletion, preparePost } from "../ledger/commands.ts"
import { MAX_PAYLOAD_BYTES } from "../ledger/limits.ts"
import { stepId } from "../ledger/testing/samples.ts"
import { bodyRecord, MAX_KEPT_BYTES } from "./body.ts"
import { type Call, callKey, callWorker, completionOfCall, postOfCall, sessionRun } from "./call.ts"

const sha256: Sha256 = (text) => hash("sha256", text, "hex")
const call: Call = {
  host: "claude-code",
  session: "s1",
  kind: "execute_tool",
  call: "toolu_1",
  name: "Bash",
  input: { command: "ls", b: 1 }
}
const options = { bodies: "hash", ttl_seconds: 600 } as const
const lease = {
  run_id: "agent/claude-code/s1",
  worker_id: "claude-code/s1",
  step_id: stepId,
  fencing_token: 1
}

describe("a call", () => {
  it("is posted and claimed with the hash of its input", () => {
    expect(postOfCall(sha256, call, options)).toEqual({
      run_id: "agent/claude-code/s1",
      source: "SYSTEM",
      idempotency_key: "call/toolu_1",
      payload: {
        intent: "execute_tool",
        op: "Bash",
        refs: { call: "toolu_1" },
        host: "claude-code",
        session: "s1",
        input: { sha256: sha256(`{"b":1,"command":"ls"}`), bytes: 22 }
      },
      claim: { worker_id: "claude-code/s1", ttl_seconds: 600 }
    })
  })

  it("of an agent that the host names is that agent's", () => {
    const post = postOfCall(sha256, { ...call, agent: "reviewer" }, options)
    expect(post.claim.worker_id).toBe("claude-code/reviewer")
    expect(post.payload["agent"]).toBe("reviewer")
  })

  it("is the same message whatever the order of its input's members", () => {
    const turned = { ...call, input: { b: 1, command: "ls" } }
    expect(postOfCall(sha256, turned, options)).toEqual(postOfCall(sha256, call, options))
  })

  it("without input has none in its message", () => {
    const { input: _, ...bare } = call
    expect(postOfCall(sha256, bare, options).payload).not.toHaveProperty("input")
    expect(postOfCall(sha256, { ...call, input: undefined }, options).payload).not.toHaveProperty("input")
    expect(postOfCall(sha256, { ...call, input: null }, options).payload).toHaveProperty("input")
  })

  it("ends with what it gave, and with what was in force when recording fails", () => {
    const ended = { outcome: "FAILURE", output: "", error: "no such file" } as const
    const rule = { bodies: "keep", on_error: "block" } as const
    expect(completionOfCall(sha256, lease, ended, rule)).toEqual({
      ...lease,
      outcome: "FAILURE",
      receipt_payload: {
        output: { sha256: sha256(`""`), bytes: 2, body: "" },
        error: { sha256: sha256(`"no such file"`), bytes: 14, body: "no such file" },
        on_error: "block"
      }
    })
  })

  it("is taken by the ledger, whatever it is given and whatever it answers", () => {
    const body = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }),
      fc.jsonValue()
    )
    const name = fc.string({ unit: "grapheme", maxLength: 400 }).filter(isName)
    fc.assert(
      fc.property(
        name,
        name,
        name,
        body,
        fc.constantFrom("hash", "keep"),
        (session, id, agent, value, bodies) => {
          const given = { ...call, session, call: id, agent, input: value }
          const post = preparePost(postOfCall(sha256, given, { ...options, bodies }))
          const completion = completionOfCall(
            sha256,
            lease,
            { outcome: "SUCCESS", output: value },
            {
              bodies,
              on_error: "warn"
            }
          )
          return Result.isSuccess(post) && Result.isSuccess(prepareCompletion(completion))
        }
      )
    )
  })
})

describe("names", () => {
  it.each(["", "/", "a/b", "~", "%", "\n", "x".repeat(10_000), "é".repeat(10_000)])(
    "make ids that differ: %j",
    (name) => {
      const others = ["", "/", "a/b", "~", "%", "\n", "x".repeat(10_000), "é".repeat(10_000)].filter(
        (other) => other !== name
      )
      const ids = (text: string) => [
        sessionRun(sha256, { host: "h", session: text }),
        callWorker(sha256, { host: "h", session: text }),
        callKey(sha256, text)
      ]
      for (const other of others) {
        for (const [index, id] of ids(other).entries()) expect(id).not.toBe(ids(name)[index])
      }
    }
  )
})

describe("a body", () => {
  const kept = (value: unknown) => bodyRecord(sha256, value, "keep")

  it("is hashed as RFC 8785 text", () => {
    const value = { é: [1e21, "x"], a: null }
    const text = jcsText(value)
    expect(bodyRecord(sha256, value, "hash")).toEqual({
      sha256: sha256(text),
      bytes: Buffer.byteLength(text)
    })
  })

  it("is read as JSON.stringify reads it", () => {
    const date = new Date(0)
    expect(kept({ at: date, none: undefined }).body).toEqual({ at: "1970-01-01T00:00:00.000Z" })
  })

  const circle: Array<unknown> = []
  circle.push(circle)
  it.each([
    [1n, "unsupported_type"],
    [() => 1, "unsupported_type"],
    [circle, "cycle"],
    ["\ud800", "lone_surrogate"],
    [{ "\ud800": 1 }, "lone_surrogate"]
  ])("without canonical text says why: %#", (value, reason) => {
    expect(kept(value)).toEqual({ not_json: reason })
  })

  it("that throws when it is read says that it has a getter", () => {
    const value = {
      get secret(): string {
        throw new Error("no")
      }
    }
    expect(kept(value)).toEqual({ not_json: "accessor" })
  })

  it("that fits no payload is not kept, and the record says why", () => {
    const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown
    const longest = "x".repeat(MAX_KEPT_BYTES - 2)
    expect(kept(longest).body).toBe(longest)
    expect(kept(`${longest}x`)).toMatchObject({
      bytes: MAX_KEPT_BYTES + 1,
      left_out: `over ${MAX_KEPT_BYTES} bytes`
    })
    expect(kept("\u0000").left_out).toBe("U+0000")
    expect(kept(String.raw`\u0000`).body).toBe(String.raw`\u0000`)
    expect(kept(nested(60)).body).toEqual(nested(60))
    expect(kept(nested(61)).left_out).toBe("over 60 levels")
    expect(kept(nested(1_001))).toEqual({ not_json: "too_deep" })
    expect(MAX_KEPT_BYTES).toBeLessThan(MAX_PAYLOAD_BYTES)
  })
})
