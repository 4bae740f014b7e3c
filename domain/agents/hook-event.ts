// What a host tells a hook, in one form for every host: which call or stop of which session it is. A JSON that is not what the hook
// was set up for is refused with a sentence, and nothing of it is guessed.
import * as Result from "effect/Result"
import { jcsText } from "../canonical/jcs.ts"
import type { JsonObject, JsonValue } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { bodyRecord } from "./body.ts"
import type { Call, CallEnding, Session } from "./call.ts"
import { type HookName, type HostName, hostForm, hostNames, hostOf } from "./hosts.ts"

/** A call as a hook tells it. A host that gives its calls no id tells the same call in the same words. */
export type HookedCall = Omit<Call, "call"> & { readonly call: string | undefined }

/** The end of a turn, of a subagent or of a session. */
export interface Stop extends Session {
  readonly event: string
  readonly agent?: string | undefined
  /** The host's id of the turn, where it has one. */
  readonly turn?: string | undefined
  /** What the host says of it, texts of people left out. */
  readonly details: JsonObject
}

export type HookEvent =
  | { readonly hook: "pre"; readonly call: HookedCall }
  | { readonly hook: "post"; readonly call: HookedCall; readonly ending: CallEnding }
  | { readonly hook: "stop"; readonly stop: Stop }

/** How a host's JSON is read. */
export interface HookReading {
  readonly hook: HookName
  /** The host that the settings name; undefined to learn it from the JSON. */
  readonly host: HostName | undefined
}

/** Longest name of a tool (UTF-16 units): a longer one would fill the step's payload. */
const MAX_NAME = 1_024

/** What of a stop is kept as it is: short words of the host's own. */
const STOP_WORDS = ["reason", "status", "stop_hook_active", "loop_count", "agent_type", "subagent_type"]

/** What of a stop is kept as a hash: what the agent said last. */
const STOP_TEXTS = ["last_assistant_message", "prompt_response", "summary"]

/** Longest word of a stop that is kept (UTF-16 units). */
const MAX_WORD = 256

const textAt = (json: JsonObject, ...names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => (Object.hasOwn(json, name) ? json[name] : undefined))
    .find((value): value is string => typeof value === "string" && value !== "")

const isWord = (value: JsonValue | undefined): boolean =>
  typeof value === "boolean" ||
  typeof value === "number" ||
  (typeof value === "string" && value.length <= MAX_WORD && value.isWellFormed() && !value.includes("\0"))

const detailsOf = (sha256: Sha256, json: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    STOP_WORDS.filter((name) => Object.hasOwn(json, name) && isWord(json[name])).map((name) => [
      name,
      json[name] as JsonValue
    ])
  ),
  ...Object.fromEntries(
    STOP_TEXTS.filter((name) => typeof json[name] === "string").map((name) => [
      name,
      bodyRecord(sha256, json[name], "hash")
    ])
  )
})

/** The names in a host's JSON that a ledger can hold. */
const faultyName = (names: { readonly [name: string]: string | undefined }): string | undefined =>
  Object.entries(names).find(
    ([, text]) => text !== undefined && (text.includes("\0") || !text.isWellFormed())
  )?.[0]

const hostFor = (
  { host, hook }: HookReading,
  event: string,
  json: JsonObject
): Result.Result<HostName, string> => {
  const named = host ?? hostOf(event, json)
  if (named === undefined) {
    return Result.fail(
      `no host is known whose event is ${JSON.stringify(event.slice(0, MAX_WORD))}: known are ${hostNames.join(", ")}`
    )
  }
  const { events } = hostForm(named)
  const meant = Object.hasOwn(events, event) ? events[event] : undefined
  if (meant === undefined) {
    return Result.fail(
      `${named} has no event ${JSON.stringify(event.slice(0, MAX_WORD))} that is recorded: set the hook up for ${Object.keys(events).join(", ")}`
    )
  }
  return meant === hook
    ? Result.succeed(named)
    : Result.fail(`this is the JSON of ${event}, which \`cortex hook ${meant}\` takes, not ${hook}`)
}

/** What a host's JSON tells the hook, or why it is not taken. */
export const hookEventOf = (
  sha256: Sha256,
  json: JsonObject,
  reading: HookReading
): Result.Result<HookEvent, string> => {
  const event = textAt(json, "hook_event_name")
  if (event === undefined) return Result.fail("this is no hook's JSON: it has no hook_event_name")
  const host = hostFor(reading, event, json)
  if (Result.isFailure(host)) return Result.fail(host.failure)
  const form = hostForm(host.success)
  const session = textAt(json, ...form.session)
  if (session === undefined) return Result.fail(`the JSON names no session (${form.session.join(" or ")})`)
  const agent = textAt(json, "agent_id", "subagent_id")
  const call = textAt(json, "tool_use_id")
  const turn = textAt(json, "turn_id")
  const name = textAt(json, "tool_name")
  const faulty = faultyName({ session, agent, tool_use_id: call, turn_id: turn, tool_name: name })
  if (faulty !== undefined)
    return Result.fail(`${faulty} holds U+0000 or half a character: no ledger takes it`)
  const of = { host: host.success, session, ...(agent === undefined ? {} : { agent }) }
  if (reading.hook === "stop") {
    const stop = { ...of, event, details: detailsOf(sha256, json), ...(turn === undefined ? {} : { turn }) }
    return Result.succeed({ hook: "stop", stop })
  }
  if (name === undefined || name.length > MAX_NAME) {
    return Result.fail(`the JSON names no tool (tool_name, at most ${MAX_NAME} characters)`)
  }
  const input = Object.hasOwn(json, "tool_input") ? { input: json["tool_input"] } : {}
  const told: HookedCall = { ...of, kind: "execute_tool", call, name, ...input }
  return Result.succeed(
    reading.hook === "pre"
      ? { hook: "pre", call: told }
      : { hook: "post", call: told, ending: form.ending(event, json) }
  )
}

/** The id of the `nth` call in the same words, for hosts that give calls no id. */
export const unnamedCallId = (sha256: Sha256, call: HookedCall, nth: number): string =>
  `${sha256(jcsText([call.name, call.agent ?? "", bodyRecord(sha256, call.input ?? null, "hash")])).slice(0, 16)}/${nth}`
