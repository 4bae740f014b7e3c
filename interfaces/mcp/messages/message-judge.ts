// Judges a message before the protocol sees it: what is no request by JSON-RPC 2.0 and MCP is answered with the code
// and the reason that the standards ask for, under its own id. What passes holds the members of the standard alone, since
// the server's transport gives a meaning to others.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../domain/canonical/json.ts"
import type { Passed } from "./message-order.ts"
import { paramsFault } from "./message-params.ts"

/** Codes of JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
const INVALID_PARAMS = -32_602
type Code = typeof PARSE_ERROR | typeof INVALID_REQUEST | typeof INVALID_PARAMS

/** How far the handshake is, and whether the version that was agreed on has batches. */
export interface Agreement {
  readonly isAgreed: boolean
  readonly takesBatches: boolean
}

/** Ids, as JSON text, that no request may take. */
interface IdSet {
  readonly has: (id: string) => boolean
}

const ID_IN_USE =
  "another request with this id has no answer yet, or was cancelled: give every request an id of its own"

/** A message that is answered at once. */
export interface Refusal {
  /** As JSON text. */
  readonly id: string
  readonly code: Code
  readonly reason: string
}

/** What becomes of a line: messages for the protocol, and refusals; neither for what nothing is answered to. */
export interface Judgement {
  readonly pass: Passed | undefined
  readonly refusals: ReadonlyArray<Refusal>
}

const IGNORED: Judgement = { pass: undefined, refusals: [] }

const refused = (id: string, code: Code, reason: string): Judgement => ({
  pass: undefined,
  refusals: [{ id, code, reason }]
})

/** The key under which a request of the version without handshake names its version. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

const namesVersion = (params: JsonValue | undefined): boolean => {
  const meta = isJsonObject(params) ? params["_meta"] : undefined
  return isJsonObject(meta) && Object.hasOwn(meta, VERSION_KEY)
}

const isAnswer = (message: JsonObject): boolean =>
  !Object.hasOwn(message, "method") && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))

/** The id as JSON text, `null` when the message has none that an answer can carry. */
export const idOf = ({ id }: JsonObject): string =>
  typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : "null"

const idFault = (id: JsonValue | undefined): string | undefined => {
  if (typeof id === "string") return undefined
  if (typeof id !== "number") return "id must be a string or a whole number"
  return Number.isInteger(id) ? undefined : "id must be a whole number, not a fraction"
}

/** A request or a notification with its standard members alone. */
const standard = ({ id, jsonrpc = "2.0", method = "", params }: JsonObject): JsonObject => ({
  jsonrpc,
  ...(id === undefined ? {} : { id }),
  method,
  ...(params === undefined ? {} : { params })
})

const judgeRequest = (
  message: JsonObject,
  method: string,
  { isAgreed }: Agreement,
  inUse: IdSet
): Judgement => {
  const id = idOf(message)
  const { params } = message
  const fault = idFault(message["id"]) ?? (inUse.has(id) ? ID_IN_USE : undefined)
  if (fault !== undefined) return refused(id, INVALID_REQUEST, fault)
  if (params !== undefined && !isJsonObject(params)) {
    return refused(id, INVALID_PARAMS, "params must be an object")
  }
  if (!isAgreed && method !== "initialize" && method !== "ping" && !namesVersion(params)) {
    return refused(id, INVALID_REQUEST, "this session has not begun: send initialize before anything else")
  }
  const reason = paramsFault(method, params ?? {})
  return reason === undefined
    ? { pass: standard(message), refusals: [] }
    : refused(id, INVALID_PARAMS, `params: ${reason}`)
}

const judgeOne = (message: JsonValue, agreement: Agreement, inUse: IdSet): Judgement => {
  if (!isJsonObject(message)) {
    return refused("null", INVALID_REQUEST, "a message is an object with jsonrpc and method")
  }
  if (isAnswer(message)) return IGNORED
  const { jsonrpc, method } = message
  if (jsonrpc !== "2.0") return refused(idOf(message), INVALID_REQUEST, 'jsonrpc must be "2.0"')
  if (typeof method !== "string") return refused(idOf(message), INVALID_REQUEST, "method must be a string")
  if (Object.hasOwn(message, "id")) return judgeRequest(message, method, agreement, inUse)
  return method.startsWith("notifications/") ? { pass: standard(message), refusals: [] } : IGNORED
}

const NO_BATCHES =
  "this version of the protocol has no batches (they were removed in 2025-06-18): send each message on a line of its own"

const refusedBatch = (messages: ReadonlyArray<JsonValue>, reason: string): Judgement => {
  const ids = messages.filter(isJsonObject).filter((each) => Object.hasOwn(each, "id") && !isAnswer(each))
  return {
    pass: undefined,
    refusals: (ids.length === 0 ? ["null"] : ids.map(idOf)).map((id) => ({
      id,
      code: INVALID_REQUEST,
      reason
    }))
  }
}

const judgeBatch = (messages: ReadonlyArray<JsonValue>, agreement: Agreement, inUse: IdSet): Judgement => {
  if (!agreement.takesBatches) return refusedBatch(messages, NO_BATCHES)
  if (messages.length === 0) return refusedBatch(messages, "a batch holds at least one message")
  if (messages.some((each) => isJsonObject(each) && each["method"] === "initialize")) {
    return refusedBatch(messages, "initialize cannot be part of a batch")
  }
  const before = new Set<string>()
  const judged = messages.map((message) => {
    const judgement = judgeOne(message, agreement, { has: (id) => before.has(id) || inUse.has(id) })
    for (const passed of [judgement.pass ?? []].flat())
      if (Object.hasOwn(passed, "id")) before.add(idOf(passed))
    return judgement
  })
  const passed = judged.flatMap(({ pass }) => (pass === undefined ? [] : [pass].flat()))
  return {
    pass: passed.length === 0 ? undefined : passed,
    refusals: judged.flatMap(({ refusals }) => refusals)
  }
}

/** Judges one message, or a batch of the version that has them. */
export const judgeMessage = (message: JsonValue, agreement: Agreement, inUse: IdSet): Judgement =>
  Array.isArray(message)
    ? judgeBatch(message as ReadonlyArray<JsonValue>, agreement, inUse)
    : judgeOne(message, agreement, inUse)

const TITLES = {
  [PARSE_ERROR]: "Parse error",
  [INVALID_REQUEST]: "Invalid Request",
  [INVALID_PARAMS]: "Invalid params"
} as const

/** A refusal as a line of output. */
export const refusalLine = ({ code, id, reason }: Refusal): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message: `${TITLES[code]}: ${reason}` })}}\n`
