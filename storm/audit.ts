// The judge of a storm: holds what the processes were told against the history that was committed. It is pure, so that
// a doctored history or log shows that each fault would be found; it never asks who was killed or why.
import type { Acknowledged, Life } from "./acknowledgement.ts"
import type { Finding } from "./finding.ts"
import type { History } from "./history.ts"
import { pairOf, type Replayed, replay } from "./replay.ts"

/** What was found, and how much was looked at. */
export interface Audit {
  readonly findings: ReadonlyArray<Finding>
  readonly events: number
  /** Answers by what was done. */
  readonly acknowledged: Readonly<Record<string, number>>
  /** Refusals by command and error. */
  readonly refused: Readonly<Record<string, number>>
  /** Completions that were refused after the worker had held the step for longer than its lease. */
  readonly late: number
  /** Completions and renewals that were refused with a token that had been renewed: by a twin, or by a worker that did not know. */
  readonly fenced: number
}

const add = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}

class Audits {
  readonly findings: Array<Finding> = []
  readonly acknowledged: Record<string, number> = {}
  readonly refused: Record<string, number> = {}
  late = 0
  fenced = 0
  readonly #history: Replayed
  readonly #tokens = new Map<string, string>()
  readonly #completions = new Map<string, string>()

  constructor(history: Replayed) {
    this.#history = history
  }

  hold(worker: string, answer: Acknowledged): void {
    if (answer.did === "refused") {
      this.#refusal(worker, answer)
      return
    }
    add(this.acknowledged, answer.did)
    const lost = this.#missing(worker, answer)
    if (lost !== undefined) this.#found("ACKNOWLEDGED_BUT_LOST", worker, lost)
    // One map for claims and renewals, since both give tokens.
    if (answer.did === "claim" || answer.did === "renew") this.#once(this.#tokens, worker, answer)
    if (answer.did === "complete") this.#once(this.#completions, worker, answer)
  }

  #found(code: Finding["code"], worker: string, message: string): void {
    this.findings.push({ code, where: `process ${worker}`, message })
  }

  /** A step and token that were answered before. */
  #once(
    known: Map<string, string>,
    worker: string,
    {
      did,
      fencing_token,
      step_id
    }: Extract<Acknowledged, { did: "claim" | "complete" | "renew" | "requeue" }>
  ): void {
    const name = pairOf(step_id, fencing_token)
    const before = known.get(name)
    if (before !== undefined) {
      this.#found("ACKNOWLEDGED_TWICE", worker, `${did} of step and token ${name}, first to ${before}`)
    }
    known.set(name, worker)
  }

  /** What was answered and does not stand in the history as it was answered. */
  #missing(worker: string, answer: Exclude<Acknowledged, { did: "refused" }>): string | undefined {
    const { claims, completions, messages, receipts, renewals, requeues, thoughts } = this.#history
    switch (answer.did) {
      case "post": {
        const name = pairOf(answer.run_id, answer.key)
        return messages.get(name) === answer.message_id
          ? undefined
          : `message ${answer.message_id} of run and key ${name}`
      }
      case "thought":
        return thoughts.get(answer.id) === answer.hash ? undefined : `thought ${answer.id}`
      case "renew": {
        const name = pairOf(answer.step_id, answer.fencing_token)
        const renewal = renewals.get(name)
        return renewal?.worker === (answer.holder ?? worker) && renewal.previous === answer.previous_token
          ? undefined
          : `renewal of token ${answer.previous_token} to step and token ${name}`
      }
      case "claim":
      case "complete":
      case "requeue": {
        const done = { claim: claims, complete: completions, requeue: requeues }[answer.did]
        const name = pairOf(answer.step_id, answer.fencing_token)
        const holder = answer.did === "complete" ? (answer.holder ?? worker) : worker
        if (done.get(name) !== holder) return `${answer.did} of step and token ${name}`
        return answer.did === "complete" && receipts.get(name) !== answer.receipt_id
          ? `receipt ${answer.receipt_id}`
          : undefined
      }
    }
  }

  #refusal(worker: string, answer: Extract<Acknowledged, { did: "refused" }>): void {
    add(this.refused, `${answer.command} ${answer.tag}`)
    const { command, fencing_token: token = 0, step_id = "", tag } = answer
    const name = pairOf(step_id, token)
    const wasRenewed = this.#history.renewals.get(pairOf(step_id, token + 1))?.previous === token
    if (tag === "StaleFencingToken" && wasRenewed) this.fenced += 1
    if (command !== "complete") return
    // A worker whose clock was wrong tries again, and may then get on.
    const isFinal = tag !== "ClockFarBehindHead"
    if (isFinal && this.#history.completions.get(name) === (answer.holder ?? worker)) {
      this.#found("REFUSED_BUT_DONE", worker, `complete of step and token ${name} was refused (${tag})`)
    }
    if (answer.late === true) this.late += 1
  }
}

/** Holds every life's answers against the history, and the history against the rules. */
export const audit = (history: History, lives: Iterable<Life>): Audit => {
  const replayed = replay(history)
  const audits = new Audits(replayed)
  for (const { answers, worker } of lives) {
    for (const answer of answers) audits.hold(worker, answer)
  }
  const { acknowledged, fenced, findings, late, refused } = audits
  return {
    findings: [...replayed.findings, ...findings],
    events: replayed.events,
    acknowledged,
    refused,
    late,
    fenced
  }
}
