// OpenAI Agents into a ledger: a processor of traces that records each span of an agent, a model, a tool, a handoff or a guardrail as
// a step, and a session whose items are messages. Nothing of the SDK is loaded: its types alone are needed.
import { randomUUID } from "node:crypto"
import type { AgentInputItem, Session, Span, SpanData, Trace, TracingProcessor } from "@openai/agents"
import type { Call, CallEnding } from "../../domain/agents/call.ts"
import { CallRecorder, type RecorderOptions } from "./recorder.ts"
import { appendToSession, operationsOf, runOfSession, type SessionLedger } from "./session-log.ts"

export type { RecorderOptions } from "./recorder.ts"

const HOST = "openai-agents"

type Described = Pick<Call, "kind" | "name">

/** What a span is as a call; undefined for one that only groups others. */
const describeSpan = (data: SpanData): Described | undefined => {
  switch (data.type) {
    case "agent":
      return { kind: "invoke_agent", name: data.name }
    case "function":
      return { kind: "execute_tool", name: data.name }
    case "generation":
      return { kind: "chat", name: data.model ?? "model" }
    case "response":
      return { kind: "chat", name: "response" }
    case "handoff":
      return { kind: "handoff", name: data.from_agent ?? "agent" }
    case "guardrail":
      return { kind: "guardrail", name: data.name }
    default:
      return undefined
  }
}

/** What a span tells at its end; it knows its input no earlier. */
const bodiesOf = (data: SpanData): { readonly input?: unknown; readonly output?: unknown } => {
  switch (data.type) {
    case "function":
    case "generation":
      return { input: data.input, output: data.output }
    case "response":
      return { input: data._input, output: data._response }
    case "handoff":
      return { output: data.to_agent }
    case "guardrail":
      return { output: data.triggered }
    default:
      return {}
  }
}

const endingOf = ({ error, spanData }: Span<SpanData>): CallEnding =>
  error === null
    ? { outcome: "SUCCESS", ...bodiesOf(spanData) }
    : { outcome: "FAILURE", ...bodiesOf(spanData), error: error.message }

/**
 * A processor for `addTraceProcessor`. A run is the `session` that is given, else the trace's group, else the trace.
 *
 * @example
 * import { addTraceProcessor } from "@openai/agents"
 * import { ledgerTracing } from "cortex-cassette/agents/openai-agents"
 * import { openLedger } from "cortex-cassette/promise"
 *
 * const ledger = await openLedger({ filename: "work.db" })
 * addTraceProcessor(ledgerTracing({ ledger }))
 */
export const ledgerTracing = (options: RecorderOptions): TracingProcessor => {
  const recorder = new CallRecorder(options)
  const groups = new Map<string, string>()
  const callOf = ({ spanId, traceId }: Span<SpanData>) => ({
    host: HOST,
    session: options.session ?? groups.get(traceId) ?? traceId,
    call: spanId
  })
  const flush = () => recorder.flush()
  return {
    onTraceStart: async ({ groupId, traceId }: Trace) => {
      if (groupId !== null) groups.set(traceId, groupId)
    },
    onTraceEnd: async ({ traceId }: Trace) => void groups.delete(traceId),
    onSpanStart: async (span: Span<SpanData>) => {
      const described = describeSpan(span.spanData)
      if (described !== undefined) await recorder.begin({ ...callOf(span), ...described })
    },
    onSpanEnd: async (span: Span<SpanData>) => {
      if (describeSpan(span.spanData) !== undefined) await recorder.end(callOf(span), endingOf(span))
    },
    forceFlush: flush,
    shutdown: flush
  }
}

/** The ledger that a session is kept in, and the session's id. */
export interface LedgerSessionOptions {
  readonly ledger: SessionLedger
  readonly sessionId: string
}

/**
 * A session whose items are messages of the run `session/openai-agents/ID`. `popItem` and `clearSession` are messages, too: what was
 * said before them stays in the ledger.
 *
 * @example
 * import { Agent, run } from "@openai/agents"
 * import { ledgerSession } from "cortex-cassette/agents/openai-agents"
 * import { openLedger } from "cortex-cassette/promise"
 *
 * export const greet = async () => {
 *   const ledger = await openLedger({ filename: "work.db" })
 *   const session = ledgerSession({ ledger, sessionId: "support-42" })
 *   return run(new Agent({ name: "support" }), "Hello", { session })
 * }
 */
export const ledgerSession = ({ ledger, sessionId }: LedgerSessionOptions): Session => {
  const place = { run_id: runOfSession(HOST, sessionId), fields: { host: HOST, session: sessionId } }
  let items: Array<AgentInputItem> = []
  let last: string | undefined
  let reading: Promise<void> = Promise.resolve()
  /** The pops that were asked for here, and what each took away. */
  const pops = new Map<string, AgentInputItem | undefined>()

  const readOn = async (): Promise<void> => {
    for await (const { batch, entries, message_id, op } of operationsOf(ledger, place.run_id, last)) {
      if (op === "append") items.push(...(entries as ReadonlyArray<AgentInputItem>))
      else if (op === "clear") items = []
      else {
        const item = items.pop()
        if (pops.has(batch)) pops.set(batch, item)
      }
      last = message_id
    }
  }
  /** One reader at a time: each goes on where the one before it stopped. */
  const upToDate = (): Promise<void> => {
    reading = reading.then(readOn, readOn)
    return reading
  }

  return {
    getSessionId: async () => sessionId,
    getItems: async (limit) => {
      await upToDate()
      const asked = limit === undefined ? items : limit > 0 ? items.slice(-limit) : []
      return structuredClone(asked)
    },
    addItems: async (added) => {
      if (added.length > 0) await appendToSession(ledger, place, "append", added)
    },
    popItem: async () => {
      await upToDate()
      if (items.length === 0) return undefined
      const batch = randomUUID()
      pops.set(batch, undefined)
      try {
        await appendToSession(ledger, place, "pop", [], batch)
        await upToDate()
        return pops.get(batch)
      } finally {
        pops.delete(batch)
      }
    },
    clearSession: async () => {
      await upToDate()
      if (items.length > 0) await appendToSession(ledger, place, "clear")
    }
  }
}
