// The kinds of workflow runs in a timeline: an execution's turns, its activities and its clocks, in the words of workflows in place of
// those of messages and steps.
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import { nearestTimestamp } from "../canonical/timestamp.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { runOfStream } from "../ledger/event-envelope.ts"
import { jobIdOf, stepIdOf } from "../ledger/ids.ts"
import { ownerOfRun, type RunKind } from "../workflow/names.ts"
import { readAttemptReceipt, readTurnReceipt, type TurnReceipt } from "../workflow/receipts.ts"
import { readAttempt, readClock, readWake } from "../workflow/wakes.ts"
import { gistOfReceipt, lineOf } from "./gist.ts"

/** Success or failure of an encoded exit, or of a result that holds one. */
const exitWord = (value: JsonValue): string => {
  const exit = isJsonObject(value) && isJsonObject(value["exit"]) ? value["exit"] : value
  const tag = isJsonObject(exit) ? exit["_tag"] : undefined
  if (tag === "Success") return "SUCCESS"
  return tag === "Failure" ? "FAILURE" : "an end"
}

const wakeSentence = (payload: JsonObject): string | undefined => {
  const wake = readWake(payload)
  switch (wake?.kind) {
    case "execute": {
      const parent = wake.parent === undefined ? "" : ` by ${wake.parent.workflow} ${wake.parent.execution}`
      return `executed${parent}: ${wake.workflow} ${wake.execution}`
    }
    case "deferred":
      return `${wake.name} done: ${exitWord(wake.exit)}`
    case "child":
      return `child ${wake.workflow} ${wake.execution} is complete`
    case "interrupt":
      return "interrupt asked for"
    case "interrupt-unsafe":
      return "unsafe interrupt asked for"
    case "resume":
      return "resume asked for"
    default:
      return undefined
  }
}

const turnEnd = (receipt: TurnReceipt): string => {
  switch (receipt.turn) {
    case "complete":
      return `complete: ${exitWord(receipt.result)}`
    case "suspended":
      if (receipt.failed) return "stopped at a failure, until it is resumed"
      return receipt.waits.length === 0 ? "suspended" : `suspended (waits: ${receipt.waits.join(", ")})`
    case "died":
      return `died: ${gistOfReceipt({ cause: receipt.cause }, false)}`
    case "merged":
      return "no turn: an earlier one had seen it"
    case "late":
      return "no turn: it was complete"
    case "early":
      return "no turn: nothing was executed yet"
    case "ignored":
      return "no turn: it waits to be resumed"
  }
}

const turnSentence = (receipt: JsonObject, after: string): string | undefined => {
  const read = readTurnReceipt(receipt)
  if (read === undefined) return undefined
  const unused = read.unused ?? []
  const changed =
    unused.length === 0 ? "" : `; its code has changed, it no longer asks for ${unused.join(", ")}`
  return `${turnEnd(read)}${after}${changed}`
}

/** What an attempt or a clock is called. */
const nameOf = (kind: RunKind, payload: JsonObject): string | undefined => {
  if (kind === "timer") return readClock(payload)?.name
  const attempt = readAttempt(payload)
  return attempt === undefined ? undefined : `${attempt.name}/${attempt.attempt}`
}

const postedSentence = (kind: RunKind, payload: JsonObject, name: string): string => {
  const clock = kind === "timer" ? readClock(payload) : undefined
  return clock === undefined ? `asks for ${name}` : `sleeps until ${nearestTimestamp(clock.due)} (${name})`
}

const endSentence = (kind: RunKind, name: string, receipt: JsonObject, outcome: string): string => {
  if (kind === "timer" && receipt["rang"] === true) return `${name} rang`
  const end = readAttemptReceipt(receipt)
  return end !== undefined && "abandoned" in end
    ? `${name} was given up: the execution is complete`
    : `${name} ${outcome}`
}

/** Sentences of workflow runs. It remembers the names of attempts and clocks that are open, and nothing else. */
export class WorkflowSentences {
  private readonly names = new Map<string, string>()

  /** The sentence of an event of a workflow's run; undefined for any other, and for what no engine wrote. */
  of(event: LedgerEvent, after: string): string | undefined {
    const kind = ownerOfRun(runOfStream(event.stream_id) ?? "")?.kind
    if (kind === undefined || event.type === "LedgerCreated" || event.type === "ThoughtRecorded")
      return undefined
    const sentence = kind === "workflow" ? this.ofTurn(event, after) : this.ofPart(event, kind, after)
    return sentence === undefined ? undefined : lineOf(sentence)
  }

  private ofTurn(event: LedgerEvent, after: string): string | undefined {
    switch (event.type) {
      case "MessagePosted":
        return wakeSentence(event.data.payload)
      case "StepClaimed":
        return `turn by ${event.data.worker_id}`
      case "StepCompleted":
        return turnSentence(event.data.receipt, after)
      default:
        return undefined
    }
  }

  private ofPart(event: LedgerEvent, kind: RunKind, after: string): string | undefined {
    if (event.type === "MessagePosted") {
      const { message_id, payload } = event.data
      const name = nameOf(kind, payload)
      if (name === undefined) return undefined
      this.names.set(stepIdOf(jobIdOf(message_id, 1), 1), name)
      return postedSentence(kind, payload, name)
    }
    const name = "step_id" in event.data ? this.names.get(event.data.step_id) : undefined
    if (name === undefined) return undefined
    if (event.type === "StepClaimed")
      return `${name} by ${event.data.worker_id}, token ${event.data.fencing_token}`
    if (event.type !== "StepCompleted") return undefined
    const { outcome, receipt, step_id } = event.data
    this.names.delete(step_id)
    return `${endSentence(kind, name, receipt, outcome)}${after}`
  }
}
