// The coding agents whose hooks are understood, as their documentation describes the JSON of each event: how events are called,
// where the ids stand, and what says that a call failed. A host's version may add members; what is not named here is not read.
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import type { Outcome } from "../ledger/rows.ts"
import type { CallEnding } from "./call.ts"

/** What a hook tells: a call begins, a call has ended, a turn or a session is over. */
export type HookName = "pre" | "post" | "stop"

export interface HostForm {
  /** The events that are recorded, by the host's names. */
  readonly events: { readonly [event: string]: HookName }
  /** True for JSON that this host alone writes, where others use the same names of events. */
  readonly isOwn: (json: JsonObject) => boolean
  /** The members that name the conversation, the first that is there. */
  readonly session: ReadonlyArray<string>
  /** What a call gave, and how it ended. */
  readonly ending: (event: string, json: JsonObject) => CallEnding
}

const member = (json: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(json, name) ? json[name] : undefined

/** An ending without the members that the host left out. */
const endingOf = (
  outcome: Outcome,
  output: JsonValue | undefined,
  error: JsonValue | undefined
): CallEnding => ({
  outcome,
  ...(output === undefined ? {} : { output }),
  ...(error === undefined ? {} : { error })
})

/** A call that the user broke off has no result of its own. */
const failed = (json: JsonObject, error: string): CallEnding =>
  endingOf(member(json, "is_interrupt") === true ? "ABORTED" : "FAILURE", undefined, member(json, error))

const geminiError = (json: JsonObject): JsonValue | undefined => {
  const response = member(json, "tool_response")
  const error = isJsonObject(response) ? member(response, "error") : undefined
  return error === null || error === "" ? undefined : error
}

/** Hosts by name. The first whose event and marks fit is taken where none is named. */
const hosts = {
  cursor: {
    events: {
      preToolUse: "pre",
      postToolUse: "post",
      postToolUseFailure: "post",
      stop: "stop",
      subagentStop: "stop",
      sessionEnd: "stop"
    },
    isOwn: () => true,
    session: ["conversation_id", "session_id"],
    ending: (event, json) =>
      event === "postToolUseFailure"
        ? failed(json, "error_message")
        : endingOf("SUCCESS", member(json, "tool_output"), undefined)
  },
  "gemini-cli": {
    events: { BeforeTool: "pre", AfterTool: "post", AfterAgent: "stop", SessionEnd: "stop" },
    isOwn: (json) => Object.hasOwn(json, "timestamp"),
    session: ["session_id"],
    ending: (_, json) => {
      const error = geminiError(json)
      return endingOf(error === undefined ? "SUCCESS" : "FAILURE", member(json, "tool_response"), error)
    }
  },
  codex: {
    events: { PreToolUse: "pre", PostToolUse: "post", Stop: "stop", SubagentStop: "stop" },
    isOwn: (json) => Object.hasOwn(json, "turn_id"),
    session: ["session_id"],
    ending: (_, json) => endingOf("SUCCESS", member(json, "tool_response"), undefined)
  },
  "claude-code": {
    events: {
      PreToolUse: "pre",
      PostToolUse: "post",
      PostToolUseFailure: "post",
      Stop: "stop",
      SubagentStop: "stop",
      SessionEnd: "stop"
    },
    isOwn: () => true,
    session: ["session_id"],
    ending: (event, json) =>
      event === "PostToolUseFailure"
        ? failed(json, "error")
        : endingOf("SUCCESS", member(json, "tool_response"), undefined)
  }
} as const satisfies Readonly<Record<string, HostForm>>

export type HostName = keyof typeof hosts

export const hostNames = Object.keys(hosts) as ReadonlyArray<HostName>

/** How a host tells a hook, by its name. */
export const hostForm = (name: HostName): HostForm => hosts[name]

/** The host that wrote this JSON. */
export const hostOf = (event: string, json: JsonObject): HostName | undefined =>
  hostNames.find((name) => Object.hasOwn(hosts[name].events, event) && hostForm(name).isOwn(json))
