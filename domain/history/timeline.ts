// The log as sentences: one entry for each event, with what it is about, who did it and how long that took. The log itself is the
// truth; this only shows it, and an event that cannot be read is an entry that says so.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isTimestamp, millisFromTimestamp } from "../canonical/timestamp.ts"
import type { EventEnvelope } from "../ledger/event-envelope.ts"
import { decodeEvent, type EventType, type LedgerEvent } from "../ledger/events.ts"
import { intentOf } from "../ledger/evolve.ts"
import { durationText } from "./durations.ts"
import { gistOfPayload, gistOfReceipt, lineOf } from "./gist.ts"
import { shortStep } from "./short-ids.ts"
import { WorkflowSentences } from "./workflow-sentences.ts"

/** One event of a timeline. */
export const TimelineEntry = Schema.Struct({
  position: Schema.Int,
  recorded_at: Schema.String,
  hash: Schema.String,
  stream_id: Schema.String,
  type: Schema.String,
  /** What it is about: the id of a message, a step or a thought, as `show` takes it; null for the ledger itself. */
  about: Schema.NullOr(Schema.String),
  /** The worker, poster or agent whose act it is; for a requeue, who asked for it. */
  who: Schema.NullOr(Schema.String),
  fencing_token: Schema.NullOr(Schema.Int),
  /** How long the lease had been held, for a renewal, a completion and a requeue; null where its claim was not seen. */
  took_millis: Schema.NullOr(Schema.Int),
  /** The span that recorded it, as the header of W3C Trace Context names it. */
  traceparent: Schema.NullOr(Schema.String),
  sentence: Schema.String
})
export type TimelineEntry = typeof TimelineEntry.Type

type EventOf<T extends EventType> = Extract<LedgerEvent, { readonly type: T }>

/** A lease that is held: since when, and until when. */
interface Held {
  readonly since: string
  readonly until: string
}

/** Milliseconds from one time to a later one; a clock that was set back makes no time negative. */
const between = (from: string, to: string): number | null =>
  isTimestamp(from) && isTimestamp(to)
    ? Math.max(0, millisFromTimestamp(to) - millisFromTimestamp(from))
    : null

const after = (took: number | null): string => (took === null ? "" : ` after ${durationText(took)}`)

const quoted = (reason: string): string => (reason === "" ? "" : `: ${lineOf(reason)}`)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const posted = ({ data }: EventOf<"MessagePosted">): string => {
  const { jobs, payload, source, steps } = data
  const intent = jobs === undefined ? intentOf(payload) : jobs.filter((text) => text !== "").join(", ")
  const work =
    jobs === undefined || jobs.length === 1
      ? counted(steps?.length ?? 1, "step")
      : `${counted(jobs.length, "job")} and ${counted(steps?.length ?? 1, "step")}`
  // What was called says more than that something was.
  const isCall = jobs === undefined && typeof payload["op"] === "string"
  return `${source} posted ${work}: ${lineOf(intent === "" || isCall ? gistOfPayload(payload) : intent)}`
}

const claimed = ({ data, recorded_at }: EventOf<"StepClaimed">): string => {
  const lease = between(recorded_at, data.lease_expires_at)
  const lasts = lease === null ? "" : `, for ${durationText(lease)}`
  return `${data.worker_id} claimed step ${shortStep(data.step_id)} with token ${data.fencing_token}${lasts}`
}

const completed = ({ data }: EventOf<"StepCompleted">, took: number | null): string =>
  `${data.worker_id} finished step ${shortStep(data.step_id)}${after(took)} with token ${data.fencing_token}: ${data.outcome}, ${gistOfReceipt(data.receipt, data.outcome === "SUCCESS")}`

const renewed = ({ data }: EventOf<"LeaseRenewed">, took: number | null): string =>
  `${data.worker_id} renewed its lease of step ${shortStep(data.step_id)}${after(took)}: token ${data.previous_token} became ${data.fencing_token}`

const requeued = ({ data, recorded_at }: EventOf<"StepRequeued">, held: Held | undefined): string => {
  const { cause, fencing_token, reason, requested_by, step_id, worker_id } = data
  const step = `step ${shortStep(step_id)}`
  const took = held === undefined ? null : between(held.since, recorded_at)
  const over = held === undefined ? null : between(held.until, recorded_at)
  const ended = over === null ? "" : `, whose lease had ended ${durationText(over)} before`
  switch (cause) {
    case "released":
      return `${worker_id} gave ${step} back${after(took)}, token ${fencing_token}${quoted(reason)}`
    case "forced":
      return `${requested_by} took ${step} away from ${worker_id}${after(took)}, token ${fencing_token}${quoted(reason)}`
    case "expired":
      return `${step} waits again: no answer came from ${worker_id}, token ${fencing_token}${ended}; ${requested_by} asked for it${quoted(reason)}`
  }
}

const sentenceOf = (event: LedgerEvent, held: Held | undefined, took: number | null): string => {
  switch (event.type) {
    case "LedgerCreated":
      return `ledger ${event.data.ledger_id} was created`
    case "MessagePosted":
      return posted(event)
    case "StepClaimed":
      return claimed(event)
    case "StepCompleted":
      return completed(event, took)
    case "StepRequeued":
      return requeued(event, held)
    case "LeaseRenewed":
      return renewed(event, took)
    case "ThoughtRecorded":
      return `${event.data.agent_id} thought (${event.data.type}): ${lineOf(event.data.content)}`
  }
}

const aboutOf = ({ data, type }: LedgerEvent): string | null => {
  if (type === "LedgerCreated") return null
  if (type === "MessagePosted") return data.message_id
  return type === "ThoughtRecorded" ? data.id : data.step_id
}

const whoOf = ({ data, type }: LedgerEvent): string | null => {
  if (type === "LedgerCreated") return null
  if (type === "MessagePosted") return data.source
  if (type === "ThoughtRecorded") return data.agent_id
  return type === "StepRequeued" ? data.requested_by : data.worker_id
}

/** Entries in the order of the log. It remembers the leases that are held, and what is open in workflows. */
export class Timeline {
  private readonly held = new Map<string, Held>()
  private readonly workflows = new WorkflowSentences()

  /** The entry of the next event. */
  entry(envelope: EventEnvelope): TimelineEntry {
    const { hash, position, recorded_at, stream_id, type } = envelope
    const decoded = decodeEvent(envelope)
    const place = { position, recorded_at, hash, stream_id, type }
    if (Result.isFailure(decoded)) {
      const sentence = `this event cannot be read: ${lineOf(decoded.failure.message)}`
      const unknown = { about: null, who: null, fencing_token: null, took_millis: null, traceparent: null }
      return { ...place, ...unknown, sentence }
    }
    const event = decoded.success
    const held = "step_id" in event.data ? this.held.get(event.data.step_id) : undefined
    const took = held === undefined ? null : between(held.since, recorded_at)
    this.take(event)
    return {
      ...place,
      about: aboutOf(event),
      who: whoOf(event),
      fencing_token: "fencing_token" in event.data ? event.data.fencing_token : null,
      took_millis: event.type === "StepClaimed" ? null : took,
      traceparent: "traceparent" in event.data ? event.data.traceparent : null,
      sentence: this.workflows.of(event, after(took)) ?? sentenceOf(event, held, took)
    }
  }

  private take(event: LedgerEvent): void {
    if (event.type === "StepClaimed") {
      const { lease_expires_at, step_id } = event.data
      this.held.set(step_id, { since: event.recorded_at, until: lease_expires_at })
    }
    if (event.type === "LeaseRenewed") {
      const { lease_expires_at, step_id } = event.data
      const { since } = this.held.get(step_id) ?? {}
      if (since !== undefined) this.held.set(step_id, { since, until: lease_expires_at })
    }
    if (event.type === "StepCompleted" || event.type === "StepRequeued") this.held.delete(event.data.step_id)
  }
}
