// The judgement over a dossier's events as they pass by: whether each was chosen, stands in its order, hashes to its hash, says what
// commands may write, and follows from those before it. The same judge sits where a dossier is made and where it is verified, so
// that none is made that would be refused. Memory grows with what is open, not with what has passed.
import * as Result from "effect/Result"
import type { Sha256, Sha256Stream } from "../canonical/sha256.ts"
import { isTimestamp } from "../canonical/timestamp.ts"
import { judgedEvent, messageIdFault } from "../ledger/event-check.ts"
import { claimFault } from "../ledger/event-content.ts"
import {
  chainFault,
  eventHash,
  type Head,
  runStream,
  taskOfStream,
  taskStream
} from "../ledger/event-envelope.ts"
import { decodeReadEvent, type LedgerEvent } from "../ledger/events.ts"
import { evolve } from "../ledger/evolve.ts"
import { jobIdOf, jobIdOfStep } from "../ledger/ids.ts"
import { ZERO_HASH } from "../ledger/limits.ts"
import { computeHash, isHashText } from "../ledger/thoughts/thought-record.ts"
import { dataLeft, type DossierEvent, hasBody, isWithheld, type WithheldEvent } from "./event-lines.ts"
import type { DossierFindingCode, DossierFindings } from "./finding.ts"
import { DossierFold, type JobRows } from "./fold.ts"
import { type DossierBodies, type DossierChoice, type DossierStream, streamsOfChoice } from "./manifest.ts"

/** What the judge is told before the first event. */
export interface JudgeOptions {
  readonly sha256: Sha256
  readonly sha256Stream: () => Sha256Stream
  readonly choice: DossierChoice
  readonly bodies: DossierBodies
  /** Events that the checkpoint covers. */
  readonly size: number
  /** The jobs whose rows are kept for the end. */
  readonly jobs: Iterable<string>
}

/** The events of one stream so far. */
interface StreamTally {
  count: number
  first: number
  last: number
  readonly positions: Sha256Stream
}

/** The jobs of a message. */
const jobsOf = ({ data }: Extract<LedgerEvent, { type: "MessagePosted" }>): ReadonlyArray<string> =>
  (data.jobs ?? [""]).map((_, index) => jobIdOf(data.message_id, index + 1))

/** True when an event is one of a job among these; events of other streams are no job's. */
const isOfJobs = (jobs: ReadonlySet<string>, event: LedgerEvent): boolean =>
  event.type === "MessagePosted"
    ? jobsOf(event).some((job) => jobs.has(job))
    : "step_id" in event.data && jobs.has(jobIdOfStep(event.data.step_id))

/** Whether decoded events of a choice's streams belong to it. */
export const isChosen = ({ jobs }: DossierChoice): ((event: LedgerEvent) => boolean) => {
  const chosen = jobs === null ? undefined : new Set(jobs)
  return (event) => chosen === undefined || event.type === "ThoughtRecorded" || isOfJobs(chosen, event)
}

const linkMessage = "prev_hash is not the hash of the task's record before it"

export class EventJudge {
  private readonly options: JudgeOptions
  private readonly list: DossierFindings
  private readonly fold: DossierFold
  private readonly tallies: ReadonlyMap<string, StreamTally>
  private readonly isChosen: (event: LedgerEvent) => boolean
  private readonly newestThought = new Map<string, string>()
  /** The jobs of a choice of jobs that were met. */
  private readonly posted = new Set<string>()
  private before: Head | undefined
  private withheldCount = 0

  constructor(list: DossierFindings, options: JudgeOptions) {
    this.options = options
    this.list = list
    this.fold = new DossierFold(options.jobs, options.choice.jobs === null)
    this.isChosen = isChosen(options.choice)
    this.tallies = new Map(
      streamsOfChoice(options.choice).map((stream) => [
        stream,
        { count: 0, first: 0, last: 0, positions: options.sha256Stream() }
      ])
    )
  }

  /** How many events were shown without their bodies. */
  get withheld(): number {
    return this.withheldCount
  }

  /** What the events have made of a job whose rows are kept. */
  rowsOf(jobId: string): JobRows | undefined {
    return this.fold.rowsOf(jobId)
  }

  /** What was chosen and has no event. */
  absent(): ReadonlyArray<{ readonly kind: "run" | "job" | "task"; readonly id: string }> {
    const { jobs, run_id, tasks } = this.options.choice
    const isEmpty = (stream: string) => this.tallies.get(stream)?.count === 0
    return [
      ...(run_id !== null && jobs === null && isEmpty(runStream(run_id))
        ? [{ kind: "run", id: run_id } as const]
        : []),
      ...(jobs ?? []).filter((id) => !this.posted.has(id)).map((id) => ({ kind: "job", id }) as const),
      ...tasks.filter((id) => isEmpty(taskStream(id))).map((id) => ({ kind: "task", id }) as const)
    ]
  }

  /** Judges the next event. */
  add(event: DossierEvent): void {
    const { position } = event
    const before = this.before
    if (
      position < 1 ||
      position > this.options.size ||
      (before !== undefined && position <= before.position)
    ) {
      this.tell(
        "EVENT_ORDER",
        event,
        `it stands behind event ${before?.position ?? 0} of ${this.options.size}`
      )
    }
    const tally = this.tallies.get(event.stream_id)
    if (tally === undefined)
      this.tell("EVENT_NOT_CHOSEN", event, `its stream ${event.stream_id} was not chosen`)
    else {
      tally.first = tally.count === 0 ? position : tally.first
      tally.last = position
      tally.count += 1
      tally.positions.update(`${position}\n`)
    }
    const fault = this.chainFault(event)
    if (fault !== undefined) this.tell("CHAIN_BROKEN", event, fault)
    this.before = { position, hash: event.hash, recorded_at: event.recorded_at }
    const decoded = this.decoded(event)
    if (decoded !== undefined) this.follow(event, decoded)
  }

  /** The streams as they were met, once; this ends the judgement. */
  streams(): ReadonlyArray<DossierStream> {
    return [...this.tallies].map(([stream_id, { count, first, last, positions }]) => ({
      stream_id,
      count,
      first,
      last,
      positions_sha256: positions.digest()
    }))
  }

  private tell(code: DossierFindingCode, event: DossierEvent, message: string): void {
    this.list.add(code, `event ${event.position}`, message)
  }

  /** What is wrong with the hash of an event, and with its link where the event before it is there. */
  private chainFault(event: DossierEvent): string | undefined {
    const { sha256 } = this.options
    const { before } = this
    const isNext = before !== undefined && event.position === before.position + 1
    if (!isWithheld(event) && isNext) return chainFault(sha256, before, event)
    if (!isTimestamp(event.recorded_at)) return "recorded_at is not a time of the one form"
    if (before?.recorded_at !== undefined && event.recorded_at < before.recorded_at) {
      return `recorded_at ${event.recorded_at} is before the time of position ${before.position}`
    }
    if (isWithheld(event)) {
      if (isNext && event.prev_hash !== before.hash)
        return `prev_hash is not the hash of position ${before.position}`
      return isHashText(event.hash) && isHashText(event.prev_hash) ? undefined : "a hash is none"
    }
    return event.hash === eventHash(sha256, event) ? undefined : "hash is not the hash of this event"
  }

  /** The event as it is understood, where it can be. */
  private decoded(event: DossierEvent): LedgerEvent | undefined {
    const { bodies, sha256 } = this.options
    const isLeftOut = isWithheld(event)
    if (isLeftOut !== (bodies === "hashed" && hasBody(event))) {
      this.tell("LINE_INVALID", event, isLeftOut ? "it is not shown whole" : "its bodies are not left out")
    }
    if (isLeftOut) return this.decodedLeft(event)
    const { event: decoded, findings } = judgedEvent(sha256, event)
    for (const { code, message } of findings) this.tell(code as DossierFindingCode, event, message)
    return decoded
  }

  private decodedLeft(event: WithheldEvent): LedgerEvent | undefined {
    this.withheldCount += 1
    const data = dataLeft(event)
    if (data === undefined) {
      this.tell("DATA_NOT_CANONICAL", event, "what is left of data is no canonical text (jcs/1) of an object")
      return undefined
    }
    const decoded = decodeReadEvent({ ...event, data: event.withheld }, data)
    if (Result.isFailure(decoded)) {
      this.tell("EVENT_INVALID", event, decoded.failure.message)
      return undefined
    }
    const fault = claimFault(decoded.success, event.withheld)
    if (fault !== undefined) this.tell("EVENT_INVALID", event, fault)
    const forged = messageIdFault(this.options.sha256, decoded.success)
    if (forged !== undefined) this.tell("MESSAGE_ID_FORGED", event, forged)
    return decoded.success
  }

  /** Folds an event, and checks the chain of a thought. */
  private follow(event: DossierEvent, decoded: LedgerEvent): void {
    if (!this.isChosen(decoded)) {
      this.tell("EVENT_NOT_CHOSEN", event, "it belongs to a job that was not chosen")
      return
    }
    if (decoded.type === "ThoughtRecorded")
      this.checkThought(event, decoded.data, taskOfStream(decoded.stream_id) ?? "")
    if (decoded.type === "MessagePosted" && this.options.choice.jobs !== null) this.meetJobs(decoded)
    this.fold.claiming(decoded.type === "StepClaimed" ? decoded.data.step_id : undefined)
    const changes = evolve(this.fold, decoded)
    if (Result.isSuccess(changes)) this.fold.apply(changes.success)
    else this.tell("FOLD_IMPOSSIBLE", event, changes.failure.message)
  }

  private meetJobs(posted: Extract<LedgerEvent, { type: "MessagePosted" }>): void {
    for (const job of jobsOf(posted)) this.posted.add(job)
  }

  private checkThought(
    event: DossierEvent,
    thought: Extract<LedgerEvent, { type: "ThoughtRecorded" }>["data"],
    task_id: string
  ): void {
    if (thought.prev_hash !== (this.newestThought.get(task_id) ?? ZERO_HASH)) {
      this.tell("THOUGHT_CHAIN_BROKEN", event, linkMessage)
    }
    if (!isWithheld(event) && computeHash(this.options.sha256, { ...thought, task_id }) !== thought.hash) {
      this.tell("THOUGHT_HASH_MISMATCH", event, "hash is not the hash of this record's six fields")
    }
    this.newestThought.set(task_id, thought.hash)
  }
}
