// Leases as their holders see them, judged from the answers alone: a token is one more than the one before, no step is in two
// hands, and only the newest lease is worth anything.
import type { DrivenLedger } from "../driven-ledger.ts"
import { aBatch, anyPlan, onePlan } from "../ledger-commands.ts"
import { broken, type Law, leaseIn, type One, oneByOne, type Watch, MOST_TOGETHER } from "../law.ts"
import { LeaseBook, type StepLeases } from "./lease-book.ts"
import * as fc from "fast-check"

/** A law that judges each answer by what the book says before it. */
const ofLeases =
  (judge: (one: One, book: LeaseBook, now: () => Promise<string>) => Promise<void> | void) =>
  (real: DrivenLedger): Watch => {
    const book = new LeaseBook()
    /** The time of the newest event, which is that of what was accepted last. */
    const now = async () => (await real.run(real.ledger.head)).recorded_at ?? ""
    return {
      see: async (given) => {
        for (const one of oneByOne(given)) {
          await judge(one, book, now)
          book.record(one)
        }
      }
    }
  }

/** Whether a command names the newest lease of its step, undefined where it names none. */
const namesNewest = ({ command }: One, { held }: StepLeases): boolean | undefined => {
  if (command.kind !== "complete" && command.kind !== "renew" && command.kind !== "requeue") return undefined
  const named = command.kind === "requeue" ? command.lease : command
  if (named === undefined) return undefined
  return held?.worker_id === named.worker_id && held.fencing_token === named.fencing_token
}

/** Throws where a lease is used by another than its holder, or after its end, or refused to its holder before it. */
const judgeHolder = async (one: One, book: LeaseBook, now: () => Promise<string>): Promise<void> => {
  const { answer, command } = one
  if (command.kind !== "complete" && command.kind !== "renew" && command.kind !== "requeue") return
  const { held } = book.of(command.step_id)
  const isNewest = namesNewest(one, book.of(command.step_id))
  if (answer.tag === "done") {
    if (isNewest === false || held === undefined) {
      return broken(
        `${command.kind} of ${command.step_id} was accepted of another than the holder of its lease`
      )
    }
    if (command.kind !== "requeue" && (await now()) >= held.lease_expires_at) {
      return broken(`${command.kind} of ${command.step_id} was accepted after its lease had ended`)
    }
    return undefined
  }
  if (held === undefined || isNewest === false) return undefined
  const mayBeRefused = ["WrongRun", "ClockFarBehindHead", "InvalidInput"]
  mayBeRefused.push(isNewest === undefined ? "LeaseNotExpired" : "LeaseExpired")
  return mayBeRefused.includes(answer.tag)
    ? undefined
    : broken(`${command.kind} of ${command.step_id} was refused though its lease stands: ${answer.tag}`)
}

/** Throws where a lease's token is not the one behind the newest of its step. */
const judgeToken = (one: One, book: LeaseBook): void => {
  const lease = leaseIn(one)
  if (lease === undefined) return
  const { token } = book.of(lease.step_id)
  if (lease.fencing_token !== token + 1) {
    broken(`${lease.step_id} was leased with token ${lease.fencing_token} after token ${token}`)
  }
}

/** Throws where a step is claimed that is leased, or done. */
const judgeClaimed = (one: One, book: LeaseBook): void => {
  const lease = one.command.kind === "renew" ? undefined : leaseIn(one)
  if (lease === undefined) return
  const { held, isDone } = book.of(lease.step_id)
  if (isDone) broken(`${lease.step_id} was claimed after it was completed`)
  if (held !== undefined) {
    broken(`${lease.step_id} was claimed by ${lease.worker_id} while ${held.worker_id} had it`)
  }
}

/** Judges an answer by every law of leases; `now` gives the time of the newest event. */
export const judgeLeases = async (one: One, book: LeaseBook, now: () => Promise<string>): Promise<void> => {
  judgeClaimed(one, book)
  judgeToken(one, book)
  await judgeHolder(one, book, now)
}

const lives = { plans: anyPlan, together: MOST_TOGETHER, jumps: true, reopens: false }

export const holderLaw: Law = {
  ...lives,
  name: "only the holder of a step's newest lease completes, renews or gives back, and only before its end",
  // One command at a time, so that the time of each is known.
  plans: fc.oneof({ weight: 9, arbitrary: onePlan }, { weight: 1, arbitrary: aBatch }),
  together: 1,
  watch: ofLeases(judgeHolder)
}

export const tokenLaw: Law = {
  ...lives,
  name: "a step's token grows by one with each lease, renewals too",
  watch: ofLeases(judgeToken)
}

export const claimedOnceLaw: Law = {
  ...lives,
  name: "nothing is claimed twice while a lease of it stands, nor after it was completed",
  watch: ofLeases(judgeClaimed)
}
