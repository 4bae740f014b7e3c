// Replays a history by the rules of leases, written down once more from the specification: a token grows by one with
// each claim and renewal, only the newest holder finishes, renews or gives back, and only before the lease has ended. It shares no code
// with the product and keeps what the answers of the processes are held against.
import type { Finding } from "./finding.ts"
import type { History, HistoryEvent } from "./history.ts"

interface Lease {
  readonly worker: string
  readonly expires: string
}

interface StepState {
  token: number
  lease: Lease | undefined
  done: boolean
}

/** What a history says was done, by the names under which processes were told of it. */
export interface Replayed {
  readonly findings: Array<Finding>
  events: number
  /** Message ids by run and key. */
  readonly messages: Map<string, string>
  /** Workers by step and token. */
  readonly claims: Map<string, string>
  /** Holders and the tokens that they gave up, by step and new token. */
  readonly renewals: Map<string, { readonly worker: string; readonly previous: number }>
  /** Who asked, by step and token. */
  readonly requeues: Map<string, string>
  /** Holders by step and token. */
  readonly completions: Map<string, string>
  /** Hashes by id. */
  readonly thoughts: Map<string, string>
  /** Steps that are completed in the log. */
  readonly committed: Set<string>
  /** Ids of receipts by step and token. */
  readonly receipts: Map<string, string>
}

/** Names a pair that may hold any text. */
export const pairOf = (left: string, right: string | number): string => JSON.stringify([left, right])

class Replay {
  readonly result: Replayed = {
    findings: [],
    events: 0,
    messages: new Map(),
    claims: new Map(),
    renewals: new Map(),
    requeues: new Map(),
    completions: new Map(),
    thoughts: new Map(),
    committed: new Set(),
    receipts: new Map()
  }
  readonly #steps = new Map<string, StepState>()
  /** The message whose first step the next event must claim. */
  #claimIsDue: string | undefined
  /** Messages that were posted in one batch so far, and how many there must be, by its name. */
  readonly #batches = new Map<string, { posted: number; readonly of: number }>()

  #found(code: Finding["code"], event: HistoryEvent, message: string): void {
    this.result.findings.push({ code, where: `event ${event.position}`, message })
  }

  #stepOf(id: string): StepState {
    const known = this.#steps.get(id) ?? { token: 0, lease: undefined, done: false }
    this.#steps.set(id, known)
    return known
  }

  see(event: HistoryEvent): void {
    const { events } = this.result
    if (event.position !== events + 1) {
      this.#found("POSITION_GAP", event, `it follows event ${events}`)
    }
    this.result.events = event.position
    this.#dueClaim(event)
    if (event.type === "MessagePosted") this.#post(event)
    if (event.type === "StepClaimed") this.#claim(event)
    if (event.type === "LeaseRenewed") this.#renew(event)
    if (event.type === "StepCompleted") this.#complete(event)
    if (event.type === "StepRequeued") this.#requeue(event)
    if (event.type === "ThoughtRecorded") {
      this.result.thoughts.set(String(event.data["id"]), String(event.data["hash"]))
    }
  }

  /** A post that says that it claims is followed by its claim at once. */
  #dueClaim(event: HistoryEvent): void {
    const due = this.#claimIsDue
    this.#claimIsDue = undefined
    if (due === undefined) return
    const first = `${due.replace(/^msg_/, "step_")}.0001.00001`
    if (event.type !== "StepClaimed" || event.data["step_id"] !== first) {
      this.#found("TORN_COMMIT", event, `the claim that was posted with ${due} does not follow it`)
    }
  }

  /** What is missing at the end of the log. */
  end(): void {
    const where = `event ${this.result.events}`
    const torn = (message: string) => this.result.findings.push({ code: "TORN_COMMIT", where, message })
    if (this.#claimIsDue !== undefined) torn(`the log ends before the claim posted with ${this.#claimIsDue}`)
    for (const [name, { of, posted }] of this.#batches) {
      if (posted !== of) torn(`batch ${name} has ${posted} of its ${of} messages`)
    }
  }

  #post(event: HistoryEvent): void {
    const { idempotency_key: key, message_id, payload } = event.data
    const { batch, claimed, of } = (payload ?? {}) as { batch?: string; claimed?: boolean; of?: number }
    if (claimed === true) this.#claimIsDue = String(message_id)
    if (batch !== undefined) {
      const known = this.#batches.get(batch) ?? { posted: 0, of: Number(of) }
      this.#batches.set(batch, { ...known, posted: known.posted + 1 })
    }
    if (key === null) return
    const name = pairOf(event.stream_id.replace(/^run:/, ""), String(key))
    if (this.result.messages.has(name)) this.#found("KEY_USED_TWICE", event, `run and key ${name}`)
    this.result.messages.set(name, String(message_id))
  }

  #claim(event: HistoryEvent): void {
    const { id, token, worker } = namesIn(event)
    const step = this.#stepOf(id)
    const name = pairOf(id, token)
    if (step.done || step.lease !== undefined) {
      this.#found(
        "STEP_LEASED_TWICE",
        event,
        `${id} was ${step.done ? "finished" : "leased"} when it was claimed`
      )
    }
    this.#lease(event)
    this.result.claims.set(name, worker)
  }

  /** The step's next lease, by a claim or a renewal. */
  #lease(event: HistoryEvent): void {
    const { id, token, worker } = namesIn(event)
    const step = this.#stepOf(id)
    const name = pairOf(id, token)
    const expires = String(event.data["lease_expires_at"])
    if (this.result.claims.has(name) || this.result.renewals.has(name)) {
      this.#found("TOKEN_TWICE", event, `step and token ${name}`)
    } else if (token !== step.token + 1) {
      this.#found("TOKEN_SKIPPED", event, `${id} had token ${step.token} and was given ${token}`)
    }
    if (expires <= event.recorded_at) this.#found("LEASE_WITHOUT_TIME", event, `${id} until ${expires}`)
    step.token = token
    step.lease = { worker, expires }
  }

  /** The holder's old lease, which must stand, is over; the new one begins. */
  #renew(event: HistoryEvent): void {
    const { id, token, worker } = namesIn(event)
    const previous = Number(event.data["previous_token"])
    const wrong = this.#stranger(event, previous) ?? this.#expired(event)
    if (wrong !== undefined) this.#found("STALE_TOKEN_ACCEPTED", event, wrong)
    this.#lease(event)
    this.result.renewals.set(pairOf(id, token), { worker, previous })
  }

  /** Why the holder that an event names is not the one that holds the step. */
  #stranger(event: HistoryEvent, token = namesIn(event).token): string | undefined {
    const { id, worker } = namesIn(event)
    const { lease, token: newest } = this.#stepOf(id)
    if (lease === undefined) return `${id} was not leased`
    return lease.worker === worker && token === newest
      ? undefined
      : `${id} was held by ${lease.worker} with token ${newest}, not by ${worker} with ${token}`
  }

  /** That the lease had ended, for what is allowed before alone. */
  #expired(event: HistoryEvent): string | undefined {
    const { id } = namesIn(event)
    const { lease } = this.#stepOf(id)
    return lease !== undefined && event.recorded_at >= lease.expires
      ? `the lease of ${id} had ended ${lease.expires}, and it was ${event.recorded_at}`
      : undefined
  }

  #complete(event: HistoryEvent): void {
    const { id, token, worker } = namesIn(event)
    const step = this.#stepOf(id)
    const wrong = this.#stranger(event) ?? this.#expired(event)
    if (wrong !== undefined) this.#found("STALE_TOKEN_ACCEPTED", event, wrong)
    step.lease = undefined
    step.done = true
    this.result.completions.set(pairOf(id, token), worker)
    this.result.committed.add(id)
  }

  #requeue(event: HistoryEvent): void {
    const { id, token } = namesIn(event)
    const step = this.#stepOf(id)
    const early =
      event.data["cause"] === "expired" && step.lease !== undefined && event.recorded_at < step.lease.expires
        ? `the lease of ${id} stood until ${step.lease.expires}, and it was ${event.recorded_at}`
        : undefined
    const wrong = this.#stranger(event) ?? early
    if (wrong !== undefined) this.#found("STALE_TOKEN_ACCEPTED", event, wrong)
    step.lease = undefined
    this.result.requeues.set(pairOf(id, token), String(event.data["requested_by"]))
  }
}

const namesIn = ({ data }: HistoryEvent) => ({
  id: String(data["step_id"]),
  token: Number(data["fencing_token"]),
  worker: String(data["worker_id"])
})

/** Replays the log and holds the tables of finished work against it. */
export const replay = (history: History): Replayed => {
  const replay = new Replay()
  for (const event of history.events) replay.see(event)
  replay.end()
  const { result } = replay
  const receipts = new Map<string, number>()
  for (const { fencing_token, receipt_id, step_id, worker_id } of history.receipts) {
    receipts.set(step_id, (receipts.get(step_id) ?? 0) + 1)
    const name = pairOf(step_id, fencing_token)
    result.receipts.set(name, receipt_id)
    if (result.completions.get(name) !== worker_id) {
      const message = `${worker_id} with token ${fencing_token} did not complete ${step_id} in the log`
      result.findings.push({ code: "RECEIPT_WITHOUT_COMPLETION", where: `receipt ${receipt_id}`, message })
    }
  }
  const committed = new Set(history.committedSteps)
  for (const id of new Set([...committed, ...result.committed, ...receipts.keys()])) {
    const count = receipts.get(id) ?? 0
    if (committed.has(id) && result.committed.has(id) && count === 1) continue
    const message = `${committed.has(id) ? "" : "not "}COMMITTED, ${result.committed.has(id) ? "" : "not "}completed in the log, ${count} receipts`
    result.findings.push({ code: "NOT_ONE_RECEIPT", where: `step ${id}`, message })
  }
  return result
}
