// A second, much simpler ledger in plain JavaScript, to compare the real one with: a list of steps, a map of keys
// and a few numbers. It is written from the specification and shares no code with the product, ids and hashes
// included; it must never import from domain, application or infrastructure.

import { hash } from "node:crypto"

export const RUNS = ["run-a", "run-b"] as const
export const WORKERS = ["w1", "w2", "w3"] as const

export type Json = { readonly [key: string]: unknown }
export type Jobs = ReadonlyArray<{ readonly intent: string; readonly steps: ReadonlyArray<Json> }>

/** A lease that is asked for. */
interface Wanted {
  readonly worker_id: string
  readonly ttl_seconds: number
}

/** The lease of a step, as its holder names it. */
interface Held {
  readonly run_id: string
  readonly step_id: string
  readonly worker_id: string
  readonly fencing_token: number
}

/** A command on its own. Objects have their keys in order, so that JSON.stringify is canonical. */
export type OneCommand =
  | {
      readonly kind: "post"
      readonly run_id: string
      readonly source: string
      readonly payload: Json
      readonly idempotency_key: string | null
      readonly jobs: Jobs | undefined
      readonly claim?: Wanted | undefined
      readonly traceparent?: string | undefined
    }
  | ({
      readonly kind: "claim"
      readonly run_id: string
      readonly job_id: string | undefined
      readonly traceparent?: string | undefined
    } & Wanted)
  | ({
      readonly kind: "claimAny"
      readonly after_run: string | undefined
      readonly prefix: string | undefined
    } & Wanted)
  | ({
      readonly kind: "complete"
      readonly outcome: string
      readonly receipt_payload: Json
      readonly traceparent?: string | undefined
    } & Held)
  | ({ readonly kind: "renew"; readonly ttl_seconds: number } & Held)
  | {
      readonly kind: "requeue"
      readonly run_id: string
      readonly step_id: string
      readonly reason: string
      readonly lease: { readonly worker_id: string; readonly fencing_token: number } | undefined
      readonly force: boolean
    }

/** A command as the real ledger takes it; a batch is several in one transaction. */
export type Command = OneCommand | { readonly kind: "batch"; readonly commands: ReadonlyArray<OneCommand> }

/** "done" with the reply, or an error's tag with the facts that it must carry. */
export interface Answer {
  readonly tag: string
  readonly [fact: string]: unknown
}

export interface ModelStep {
  readonly run: string
  readonly message: string
  readonly job: string
  readonly id: string
  readonly ordinal: number
  readonly payload: Json
  status: "PENDING" | "LEASED" | "COMMITTED"
  owner: string | null
  expires: number
  token: number
  receipt: Json | null
}

interface KeyedMessage {
  readonly id: string
  readonly source: string
  readonly payload: string
  readonly jobs: string
  readonly jobIds: ReadonlyArray<string>
}

const YEAR_AND_A_DAY = 366 * 86_400_000

const sha = (text: string) => hash("sha256", text, "hex")
const pad = (value: number, digits: number) => String(value).padStart(digits, "0")
const isoTime = (millis: number) => new Date(millis).toISOString()
const isInvalid = (command: OneCommand) =>
  command.kind === "complete" && !["SUCCESS", "FAILURE", "ABORTED"].includes(command.outcome)
const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))
const intentOf = (payload: Json) => (typeof payload["intent"] === "string" ? payload["intent"] : "")

export type PostCommand = Extract<OneCommand, { kind: "post" }>

/** The jobs that a post names, by itself or by the list of steps in its payload. */
export const jobsOfPost = ({ jobs, payload }: PostCommand): Jobs | undefined => {
  const listed = payload["steps"] as ReadonlyArray<Json> | undefined
  return jobs ?? (listed && [{ intent: intentOf(payload), steps: listed }])
}

export class LedgerModel {
  now: number
  headTime: number
  position = 1
  readonly steps: Array<ModelStep> = []
  readonly jobs: Array<{ readonly id: string; readonly run: string }> = []
  readonly #keys = new Map<string, KeyedMessage>()

  constructor(now: number) {
    this.now = now
    this.headTime = now
  }

  /** What the ledger must answer; the model changes as the ledger must. */
  apply(command: Command): Answer {
    const commands = command.kind === "batch" ? command.commands : [command]
    if (commands.some(isInvalid)) return { tag: "InvalidInput" }
    if (this.headTime - this.now > YEAR_AND_A_DAY) return { tag: "ClockFarBehindHead" }
    // One that is refused in a batch takes no other along.
    return command.kind === "batch"
      ? { tag: "done", reply: command.commands.map((one) => this.#one(one)) }
      : this.#one(command)
  }

  #one(command: OneCommand): Answer {
    switch (command.kind) {
      case "post":
        return this.#post(command)
      case "claim":
        return this.#claim(command)
      case "claimAny":
        return this.#claimAny(command)
      case "complete":
        return this.#complete(command)
      case "renew":
        return this.#renew(command)
      case "requeue":
        return this.#requeue(command)
    }
  }

  /** How the leases stand in a place where a claim found nothing, by the clock of the one who asks. */
  leaseCounts(isThere: (step: ModelStep) => boolean) {
    const ends = this.steps
      .filter((step) => step.status === "LEASED" && isThere(step))
      .map(({ expires }) => expires)
    return {
      leased: ends.length,
      expired: ends.filter((end) => end <= this.now).length,
      earliest_expiry: ends.length === 0 ? null : isoTime(Math.min(...ends))
    }
  }

  /** The time of an event that would be appended now. */
  get #time(): number {
    return Math.max(this.now, this.headTime)
  }

  #append(): void {
    this.headTime = this.#time
    this.position += 1
  }

  /** The step's next lease. */
  #lease(step: ModelStep, { ttl_seconds, worker_id }: Wanted) {
    this.#append()
    step.status = "LEASED"
    step.owner = worker_id
    step.expires = this.headTime + ttl_seconds * 1000
    step.token += 1
    const lease = { run_id: step.run, worker_id, step_id: step.id, fencing_token: step.token }
    return { lease, lease_expires_at: isoTime(step.expires) }
  }

  /** What a post answers about the lease that it asks for: none when it asks for none. */
  #leaseOfFirst(job: string | undefined, wanted: Wanted | undefined) {
    if (wanted === undefined) return {}
    const first = this.steps.find((step) => step.job === job && step.ordinal === 1)
    return first?.status === "PENDING" ? this.#lease(first, wanted) : { lease: null, lease_expires_at: null }
  }

  #post(command: Extract<Command, { kind: "post" }>): Answer {
    const { idempotency_key, payload, run_id, source } = command
    const jobs = jobsOfPost(command)
    const keyed = { source, payload: JSON.stringify(payload), jobs: JSON.stringify(jobs ?? null) }
    const name = JSON.stringify([run_id, idempotency_key])
    const known = idempotency_key === null ? undefined : this.#keys.get(name)
    if (known !== undefined) {
      const differs = [
        ...(known.source === source ? [] : ["source"]),
        ...(known.payload === keyed.payload ? [] : ["payload"])
      ]
      if (differs.length === 0 && known.jobs !== keyed.jobs) differs.push("jobs")
      if (differs.length > 0) return { tag: "IdempotencyConflict", differs, message_id: known.id }
      const ids = { message_id: known.id, job_id: known.jobIds[0], job_ids: known.jobIds, created: false }
      return { tag: "done", reply: { ...ids, ...this.#leaseOfFirst(known.jobIds[0], command.claim) } }
    }
    this.#append()
    const parts = idempotency_key === null ? ["position", this.position] : ["key", idempotency_key]
    const stem = `${pad(this.position, 13)}_${sha(JSON.stringify(["message", run_id, ...parts])).slice(0, 16)}`
    const made = (jobs ?? [{ intent: "", steps: [payload] }]).map(({ steps }, jobIndex) => {
      const job = `job_${stem}.${pad(jobIndex + 1, 4)}`
      for (const [index, step] of steps.entries()) {
        this.steps.push({
          run: run_id,
          message: `msg_${stem}`,
          job,
          id: `step_${stem}.${pad(jobIndex + 1, 4)}.${pad(index + 1, 5)}`,
          ordinal: index + 1,
          payload: step,
          status: "PENDING",
          owner: null,
          expires: 0,
          token: 0,
          receipt: null
        })
      }
      this.jobs.push({ id: job, run: run_id })
      return job
    })
    if (idempotency_key !== null) this.#keys.set(name, { ...keyed, id: `msg_${stem}`, jobIds: made })
    const ids = { message_id: `msg_${stem}`, job_id: made[0], job_ids: made, created: true }
    return { tag: "done", reply: { ...ids, ...this.#leaseOfFirst(made[0], command.claim) } }
  }

  #claim(command: Extract<Command, { kind: "claim" }>): Answer {
    // Steps stand in the order in which they were posted, which is the order of claims.
    const step = this.steps.find(
      ({ job, run, status }) =>
        status === "PENDING" && run === command.run_id && (command.job_id ?? job) === job
    )
    return step === undefined
      ? { tag: "NoPendingStep", run_id: command.run_id, job_id: command.job_id ?? null, prefix: null }
      : this.#claimed(step, command)
  }

  #claimAny(command: Extract<Command, { kind: "claimAny" }>): Answer {
    const { after_run = "", prefix = "" } = command
    const waiting = this.steps.filter(({ run, status }) => status === "PENDING" && run.startsWith(prefix))
    const runs = waiting.map(({ run }) => run).toSorted(byBytes)
    // Round and round: behind the run that is named, and from the first one on when there is none behind it.
    const next = runs.find((run) => byBytes(run, after_run) > 0) ?? runs[0]
    const step = waiting.find(({ run }) => run === next)
    return step === undefined
      ? { tag: "NoPendingStep", run_id: null, job_id: null, prefix }
      : this.#claimed(step, command)
  }

  #claimed(step: ModelStep, wanted: Wanted): Answer {
    const { lease, lease_expires_at } = this.#lease(step, wanted)
    return {
      tag: "done",
      reply: {
        step_id: step.id,
        job_id: step.job,
        message_id: step.message,
        ordinal: step.ordinal,
        payload: step.payload,
        fencing_token: step.token,
        lease_expires_at,
        lease
      }
    }
  }

  /** The leased step, or what forbids to touch it. */
  #leased(command: { readonly run_id: string; readonly step_id: string }): ModelStep | Answer {
    const step = this.steps.find(({ id }) => id === command.step_id)
    if (step === undefined) return { tag: "StepNotFound" }
    if (step.run !== command.run_id) return { tag: "WrongRun", actual_run_id: step.run }
    return step.status === "LEASED" ? step : { tag: "NotLeased", status: step.status, receipt: step.receipt }
  }

  #stranger(
    step: ModelStep,
    holder: { readonly worker_id: string; readonly fencing_token: number }
  ): Answer | undefined {
    if (step.owner !== holder.worker_id) return { tag: "WrongWorker", lease_owner: step.owner }
    return step.token === holder.fencing_token
      ? undefined
      : { tag: "StaleFencingToken", current_token: step.token }
  }

  /** The step whose lease is the caller's and still runs, or what forbids to use it. */
  #held(command: Held): ModelStep | Answer {
    const step = this.#leased(command)
    if ("tag" in step) return step
    const stranger = this.#stranger(step, command)
    if (stranger !== undefined) return stranger
    return this.#time < step.expires ? step : { tag: "LeaseExpired", lease_expires_at: isoTime(step.expires) }
  }

  #renew(command: Extract<Command, { kind: "renew" }>): Answer {
    const step = this.#held(command)
    if ("tag" in step) return step
    const { lease, lease_expires_at } = this.#lease(step, command)
    return {
      tag: "done",
      reply: { step_id: step.id, fencing_token: step.token, lease_expires_at, lease }
    }
  }

  #complete(command: Extract<Command, { kind: "complete" }>): Answer {
    const step = this.#held(command)
    if ("tag" in step) return step
    this.#append()
    step.status = "COMMITTED"
    const receipt_id = step.id.replace("step_", "rcpt_")
    step.receipt = {
      receipt_id,
      worker_id: command.worker_id,
      fencing_token: command.fencing_token,
      outcome: command.outcome,
      receipt_hash: sha(JSON.stringify(command.receipt_payload))
    }
    return { tag: "done", reply: { receipt_id } }
  }

  #requeue(command: Extract<Command, { kind: "requeue" }>): Answer {
    const step = this.#leased(command)
    if ("tag" in step) return step
    const stranger = command.lease && this.#stranger(step, command.lease)
    if (stranger !== undefined) return stranger
    if (!command.force && command.lease === undefined && this.#time < step.expires) {
      return { tag: "LeaseNotExpired", lease_owner: step.owner }
    }
    this.#append()
    step.status = "PENDING"
    step.owner = null
    step.expires = 0
    const cause = command.force ? "forced" : command.lease ? "released" : "expired"
    return {
      tag: "done",
      reply: { step_id: step.id, status: "PENDING", fencing_token: step.token, cause }
    }
  }
}
