// Each host's JSON becomes the same form; what is not what the hook was set up for is refused with a sentence.
import { hash } from "node:crypto"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { hookEventOf, type HookReading, unnamedCallId } from "./hook-event.ts"
import type { HookName, HostName } from "./hosts.ts"

const sha256: Sha256 = (text) => hash("sha256", text, "hex")
const reading = (hook: HookName, host?: HostName): HookReading => ({ hook, host })
const read = (json: JsonObject, as: HookReading) => Result.getOrThrow(hookEventOf(sha256, json, as))
const refusal = (json: JsonObject, as: HookReading) => {
  const event = hookEventOf(sha256, json, as)
  return Result.isFailure(event) ? event.failure : undefined
}

const call = { session_id: "s", tool_name: "T", tool_input: { a: 1 }, tool_use_id: "u" }

describe("the host of a JSON", () => {
  it.each([
    ["claude-code", { ...call, hook_event_name: "PreToolUse" }],
    ["codex", { ...call, hook_event_name: "PreToolUse", turn_id: "1" }],
    ["gemini-cli", { ...call, hook_event_name: "BeforeTool", timestamp: "2026-01-01T00:00:00Z" }],
    ["cursor", { ...call, hook_event_name: "preToolUse", conversation_id: "c" }]
  ])("is learnt from it: %s", (host, json) => {
    expect(read(json, reading("pre"))).toMatchObject({ hook: "pre", call: { host } })
  })

  it("is the one that the settings name", () => {
    const json = { ...call, hook_event_name: "PreToolUse", turn_id: "1" }
    expect(read(json, reading("pre", "claude-code"))).toMatchObject({ call: { host: "claude-code" } })
  })
})

describe("the end of a call", () => {
  const ending = (json: JsonObject) => {
    const event = read({ ...call, ...json }, reading("post"))
    return event.hook === "post" ? event.ending : undefined
  }

  it.each([
    [
      { hook_event_name: "PostToolUse", tool_response: { stdout: "" } },
      { outcome: "SUCCESS", output: { stdout: "" } }
    ],
    [{ hook_event_name: "PostToolUse" }, { outcome: "SUCCESS" }],
    [
      { hook_event_name: "PostToolUseFailure", error: "no", is_interrupt: false },
      { outcome: "FAILURE", error: "no" }
    ],
    [
      { hook_event_name: "PostToolUseFailure", error: "no", is_interrupt: true },
      { outcome: "ABORTED", error: "no" }
    ],
    [
      { hook_event_name: "AfterTool", timestamp: "t", tool_response: { error: { type: "x" } } },
      { outcome: "FAILURE", output: { error: { type: "x" } }, error: { type: "x" } }
    ],
    [
      { hook_event_name: "AfterTool", timestamp: "t", tool_response: { error: null } },
      { outcome: "SUCCESS", output: { error: null } }
    ],
    [
      { hook_event_name: "postToolUse", tool_output: "{}" },
      { outcome: "SUCCESS", output: "{}" }
    ],
    [
      { hook_event_name: "postToolUseFailure", error_message: "timed out" },
      { outcome: "FAILURE", error: "timed out" }
    ]
  ])("is as the host says: %j", (json, expected) => {
    expect(ending(json)).toEqual(expected)
  })
})

describe("a stop", () => {
  it("keeps the host's words, and of what people and agents said the hash", () => {
    const json = {
      session_id: "s",
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "Done.",
      transcript_path: "/secret/place"
    }
    expect(read(json, reading("stop"))).toEqual({
      hook: "stop",
      stop: {
        host: "claude-code",
        session: "s",
        event: "Stop",
        details: {
          stop_hook_active: false,
          last_assistant_message: { sha256: sha256('"Done."'), bytes: 7 }
        }
      }
    })
  })

  it("of a subagent is that agent's, and of a turn names it", () => {
    const json = { session_id: "s", hook_event_name: "SubagentStop", agent_id: "a", turn_id: "t" }
    expect(read(json, reading("stop"))).toMatchObject({ stop: { host: "codex", agent: "a", turn: "t" } })
  })
})

describe("what is refused", () => {
  it.each<readonly [string, JsonObject, HookReading]>([
    ["no hook_event_name", {}, reading("pre")],
    ["no hook_event_name", { hook_event_name: 7 }, reading("pre")],
    ["no host is known", { ...call, hook_event_name: "SomethingElse" }, reading("pre")],
    ["no host is known", { ...call, hook_event_name: "constructor" }, reading("pre")],
    ["codex has no event", { ...call, hook_event_name: "BeforeTool" }, reading("pre", "codex")],
    ["`cortex hook post` takes, not pre", { ...call, hook_event_name: "PostToolUse" }, reading("pre")],
    ["names no session", { hook_event_name: "PreToolUse", tool_name: "T" }, reading("pre")],
    ["names no session", { ...call, session_id: "", hook_event_name: "PreToolUse" }, reading("pre")],
    ["names no tool", { session_id: "s", hook_event_name: "PreToolUse" }, reading("pre")],
    [
      "names no tool",
      { ...call, tool_name: "x".repeat(1_025), hook_event_name: "PreToolUse" },
      reading("pre")
    ],
    [
      "tool_use_id holds U+0000",
      { ...call, tool_use_id: "\0", hook_event_name: "PreToolUse" },
      reading("pre")
    ],
    ["session holds", { ...call, session_id: "\ud800", hook_event_name: "PreToolUse" }, reading("pre")]
  ])("says why: %s", (reason, json, as) => {
    expect(refusal(json, as)).toContain(reason)
  })
})

it("calls in the same words are told apart by their number, and others by their words", () => {
  const told = { host: "gemini-cli", session: "s", kind: "execute_tool", call: undefined, name: "T" } as const
  const ids = [
    unnamedCallId(sha256, { ...told, input: 1 }, 1),
    unnamedCallId(sha256, { ...told, input: 1 }, 2),
    unnamedCallId(sha256, { ...told, input: 2 }, 1),
    unnamedCallId(sha256, { ...told, input: 1, agent: "a" }, 1),
    unnamedCallId(sha256, { ...told, input: 1, name: "U" }, 1)
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
