// Telemetry of the AI SDK into a ledger: a generation, each of its steps and each tool call are steps of the ledger, posted and
// claimed when they begin and completed when they end. Nothing of the SDK is loaded: its types alone are needed.
import type { Telemetry } from "ai"
import type { CallEnding } from "../../domain/agents/call.ts"
import { CallRecorder, type RecorderOptions } from "./recorder.ts"

export type { RecorderOptions } from "./recorder.ts"

const HOST = "ai-sdk"

/** The operations that are recorded; embeddings, speech and the like are no agent's calls. */
const RECORDED = /^ai\.(?:generate|stream)(?:Text|Object)$/

type Events = { readonly [Name in keyof Telemetry]-?: Parameters<Extract<Telemetry[Name], Function>>[0] }

/** What the host told to record: nothing else of an event is looked at. */
interface Wishes {
  readonly recordInputs?: boolean | undefined
  readonly recordOutputs?: boolean | undefined
}

const inputIf = ({ recordInputs }: Wishes, input: unknown) => (recordInputs === false ? {} : { input })
const outputIf = ({ recordOutputs }: Wishes, output: unknown) => (recordOutputs === false ? {} : { output })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const toolEnding = (event: Events["onToolExecutionEnd"]): CallEnding =>
  event.toolOutput.type === "tool-error"
    ? { outcome: "FAILURE", error: messageOf(event.toolOutput.error) }
    : { outcome: "SUCCESS", ...outputIf(event, event.toolOutput.output) }

/** The failure of a generation: the SDK leaves its type open. */
const failureOf = (told: unknown): { readonly callId: string; readonly error: unknown } | undefined =>
  typeof told === "object" && told !== null && "callId" in told && typeof told.callId === "string"
    ? { callId: told.callId, error: "error" in told ? told.error : undefined }
    : undefined

/**
 * Telemetry for `registerTelemetry`, or for one call. Without `session` each generation is a run of its own.
 *
 * @example
 * import { registerTelemetry } from "ai"
 * import { ledgerTelemetry } from "cortex-cassette/agents/ai-sdk"
 * import { openLedger } from "cortex-cassette/promise"
 *
 * const ledger = await openLedger({ filename: "work.db" })
 * registerTelemetry(ledgerTelemetry({ ledger, session: "support-42" }))
 */
export const ledgerTelemetry = (options: RecorderOptions): Telemetry => {
  const recorder = new CallRecorder(options)
  /** What a generation has begun, its own call first. */
  const begun = new Map<string, Set<string>>()
  const nameOf = (callId: string, call: string) => ({ host: HOST, session: options.session ?? callId, call })
  const callOf = (callId: string, call: string) => {
    begun.get(callId)?.add(call)
    return nameOf(callId, call)
  }
  const stepOf = (event: { readonly callId: string; readonly stepNumber: number }) =>
    nameOf(event.callId, `${event.callId}/step/${event.stepNumber}`)
  const toolOf = (event: Events["onToolExecutionStart"] | Events["onToolExecutionEnd"]) =>
    nameOf(event.callId, `${event.callId}/tool/${event.toolCall.toolCallId}`)

  /** Ends what is open of a generation, the innermost first. */
  const endAll = async (callId: string, ending: CallEnding): Promise<void> => {
    const calls = [...(begun.get(callId) ?? [])].toReversed().map((call) => nameOf(callId, call))
    begun.delete(callId)
    await Promise.all(calls.filter((call) => recorder.isOpen(call)).map((call) => recorder.end(call, ending)))
  }

  return {
    onStart: async (event) => {
      if (!RECORDED.test(event.operationId)) return
      begun.set(event.callId, new Set())
      const { instructions, messages } = event as Partial<Events["onStepStart"]>
      await recorder.begin({
        ...callOf(event.callId, event.callId),
        kind: "invoke_agent",
        name: event.functionId ?? event.operationId,
        ...inputIf(event, { instructions, messages })
      })
    },
    onStepStart: (event) => {
      const { instructions, messages, modelId } = event
      begun.get(event.callId)?.add(stepOf(event).call)
      return recorder.begin({
        ...stepOf(event),
        kind: "chat",
        name: modelId,
        ...inputIf(event, { instructions, messages })
      })
    },
    onStepEnd: (event) =>
      recorder.end(stepOf(event), { outcome: "SUCCESS", ...outputIf(event, event.content) }),
    onStepError: (event) =>
      recorder.end(stepOf(event), { outcome: "FAILURE", error: messageOf(event.error) }),
    onToolExecutionStart: (event) => {
      const { input, toolName } = event.toolCall
      begun.get(event.callId)?.add(toolOf(event).call)
      return recorder.begin({
        ...toolOf(event),
        kind: "execute_tool",
        name: toolName,
        ...inputIf(event, input)
      })
    },
    onToolExecutionEnd: (event) => recorder.end(toolOf(event), toolEnding(event)),
    onEnd: async (event) => {
      if (!begun.delete(event.callId)) return
      const output = "content" in event ? event.content : "object" in event ? event.object : undefined
      await recorder.end(nameOf(event.callId, event.callId), {
        outcome: "SUCCESS",
        ...outputIf(event, output)
      })
    },
    onAbort: (event) =>
      endAll(event.callId, { outcome: "ABORTED", error: messageOf(event.reason ?? "aborted") }),
    onError: async (told) => {
      const failure = failureOf(told)
      if (failure !== undefined)
        await endAll(failure.callId, { outcome: "FAILURE", error: messageOf(failure.error) })
    }
  }
}
