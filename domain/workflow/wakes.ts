// What asks for a turn of an execution: each is a message in the run of its turns, and the step that the message brings is the
// turn. The payload's `intent` names the kind, as it does for every message of the ledger.
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"

/** An execution by the names of its workflow and its own id. */
export interface ExecutionName {
  readonly workflow: string
  readonly execution: string
}

/** What a message in the run of turns says. */
export type Wake =
  | (ExecutionName & {
      readonly kind: "execute"
      /** The encoded payload. */
      readonly payload: JsonValue
      /** The execution that is told when this one is complete. */
      readonly parent: ExecutionName | undefined
    })
  | {
      readonly kind: "deferred"
      readonly name: string
      /** The encoded exit. */
      readonly exit: JsonValue
    }
  /** Takes effect where the body would suspend. */
  | { readonly kind: "interrupt" }
  /** Also cuts off the body that runs. */
  | { readonly kind: "interrupt-unsafe" }
  | { readonly kind: "resume" }
  /** A child is complete. */
  | (ExecutionName & { readonly kind: "child" })

export type WakeKind = Wake["kind"]

const nameFields = ({ execution, workflow }: ExecutionName): JsonObject => ({ execution, workflow })

/** The payload of a message. */
export const wakePayload = (wake: Wake): JsonObject => {
  switch (wake.kind) {
    case "execute":
      return {
        intent: wake.kind,
        ...nameFields(wake),
        payload: wake.payload,
        ...(wake.parent === undefined ? {} : { parent: nameFields(wake.parent) })
      }
    case "deferred":
      return { intent: wake.kind, name: wake.name, exit: wake.exit }
    case "child":
      return { intent: wake.kind, ...nameFields(wake) }
    default:
      return { intent: wake.kind }
  }
}

const readName = (value: JsonValue | undefined): ExecutionName | undefined => {
  if (!isJsonObject(value)) return undefined
  const { execution, workflow } = value
  return typeof execution === "string" && typeof workflow === "string" ? { execution, workflow } : undefined
}

/** What the payload of a message says; undefined for one that no engine writes. */
export const readWake = (payload: JsonObject): Wake | undefined => {
  const kind = payload["intent"]
  switch (kind) {
    case "execute": {
      const name = readName(payload)
      if (name === undefined || payload["payload"] === undefined) return undefined
      return { kind, ...name, payload: payload["payload"], parent: readName(payload["parent"]) }
    }
    case "deferred": {
      const { exit, name } = payload
      return typeof name === "string" && exit !== undefined ? { kind, name, exit } : undefined
    }
    case "child": {
      const name = readName(payload)
      return name && { kind, ...name }
    }
    case "interrupt":
    case "interrupt-unsafe":
    case "resume":
      return { kind }
    default:
      return undefined
  }
}

/** True for what a person asked for: it also wakes an execution that stopped at a failure. */
export const isExplicit = ({ kind }: Wake): boolean =>
  kind === "execute" || kind === "interrupt" || kind === "interrupt-unsafe" || kind === "resume"

/** The payload of a clock's step: it waits until the time, in milliseconds since 1970. */
export interface Clock {
  readonly name: string
  /** The name of the deferred that it completes. */
  readonly deferred: string
  readonly due: number
}

export const clockPayload = ({ deferred, due, name }: Clock): JsonObject => ({
  intent: "sleep",
  name,
  deferred,
  due
})

/** What a clock's step says; undefined for a payload that no engine writes. */
export const readClock = ({ deferred, due, intent, name }: JsonObject): Clock | undefined =>
  intent === "sleep" && typeof name === "string" && typeof deferred === "string" && typeof due === "number"
    ? { name, deferred, due }
    : undefined

/** One attempt of an activity. */
export interface Attempt {
  readonly name: string
  readonly attempt: number
  /** It was asked for inside an effect whose exit a deferred keeps: once that is kept, a replay does not ask for it again. */
  readonly isHeld: boolean
}

export const attemptPayload = ({ attempt, isHeld, name }: Attempt): JsonObject => ({
  intent: name,
  attempt,
  ...(isHeld ? { held: true } : {})
})

/** What an attempt's step says; undefined for a payload that no engine writes. */
export const readAttempt = ({ attempt, held, intent }: JsonObject): Attempt | undefined =>
  typeof intent === "string" && typeof attempt === "number"
    ? { name: intent, attempt, isHeld: held === true }
    : undefined
