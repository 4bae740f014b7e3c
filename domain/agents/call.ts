// A call of an agent as a step: one form for every host. The session is a run, the call's id its key, so that a call that is told
// twice is recorded once. A call that began and never ended stays a leased step, which is the evidence.
import type { JsonObject } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { boundedKey, namePart } from "../foundation/bounded-names.ts"
import type { CompleteStep, Lease, PostMessage } from "../ledger/commands.ts"
import type { Outcome } from "../ledger/rows.ts"
import { type Bodies, bodyRecord } from "./body.ts"

/** Where calls come from: the program that runs the agent, and its name for one conversation. */
export interface Session {
  readonly host: string
  readonly session: string
}

/** What was called; the first three names are those of OpenTelemetry's conventions for generative AI. */
type CallKind = "execute_tool" | "chat" | "invoke_agent" | "handoff" | "guardrail"

export interface Call extends Session {
  readonly kind: CallKind
  /** The host's id of the call, unique in its session. */
  readonly call: string
  /** The name of the tool, the model or the agent. */
  readonly name: string
  /** The id of the agent that calls, where the host tells it. */
  readonly agent?: string | undefined
  /** What the call was given; left out when the host does not tell it. */
  readonly input?: unknown
}

/** How long the lease of a call runs by default (seconds): a call may wait for a person's permission. */
export const DEFAULT_CALL_TTL_SECONDS = 3_600

export interface CallOptions {
  readonly bodies: Bodies
  /** How long the lease of a call runs; a call that takes longer can no longer be completed. */
  readonly ttl_seconds: number
}

/** How a call ended. Bodies are left out when the host does not tell them; `input` is for a host that tells it at the end alone. */
export interface CallEnding {
  readonly outcome: Outcome
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

/** What happens to the agent when its calls cannot be recorded: it goes on, or the call is refused. */
export type OnError = "warn" | "block"

/** The run of a session. */
export const sessionRun = (sha256: Sha256, { host, session }: Session): string =>
  `agent/${namePart(sha256, host)}/${namePart(sha256, session)}`

/** The worker that makes a call: the agent that the host names, else its session. */
export const callWorker = (
  sha256: Sha256,
  { agent, host, session }: Pick<Call, "agent" | "host" | "session">
): string => `${namePart(sha256, host)}/${namePart(sha256, agent ?? session)}`

/** The key of a call in the run of its session. */
export const callKey = (sha256: Sha256, call: string): string => boundedKey(sha256, `call/${call}`)

const recordOf = (sha256: Sha256, name: string, given: object, bodies: Bodies): JsonObject => {
  const value = (given as Readonly<Record<string, unknown>>)[name]
  return Object.hasOwn(given, name) && value !== undefined
    ? { [name]: bodyRecord(sha256, value, bodies) }
    : {}
}

/** The message that posts a call and claims its step at once. The same call gives the same message. */
export const postOfCall = (
  sha256: Sha256,
  call: Call,
  { bodies, ttl_seconds }: CallOptions
): PostMessage & { readonly claim: { readonly worker_id: string; readonly ttl_seconds: number } } => ({
  run_id: sessionRun(sha256, call),
  source: "SYSTEM",
  idempotency_key: callKey(sha256, call.call),
  payload: {
    intent: call.kind,
    op: call.name,
    refs: { call: call.call },
    host: call.host,
    session: call.session,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    ...recordOf(sha256, "input", call, bodies)
  },
  claim: { worker_id: callWorker(sha256, call), ttl_seconds }
})

interface EndingOptions {
  readonly bodies: Bodies
  readonly on_error: OnError
}

/** The receipt of a call: what it gave, and what was in force when recording had failed. */
export const receiptOfCall = (
  sha256: Sha256,
  ending: CallEnding,
  { bodies, on_error }: EndingOptions
): JsonObject => ({
  ...recordOf(sha256, "input", ending, bodies),
  ...recordOf(sha256, "output", ending, bodies),
  ...recordOf(sha256, "error", ending, bodies),
  on_error
})

/** The completion of a call's step. */
export const completionOfCall = (
  sha256: Sha256,
  lease: Lease,
  ending: CallEnding,
  options: EndingOptions
): CompleteStep => ({
  ...lease,
  outcome: ending.outcome,
  receipt_payload: receiptOfCall(sha256, ending, options)
})
