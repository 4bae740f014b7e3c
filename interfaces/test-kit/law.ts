// What a law of ledgers is: a sentence, the lives in which it is tried, and what it judges of one ledger while it lives. A law
// that is broken throws an `Error` that says how.
import type * as fc from "fast-check"
import type { DrivenLedger } from "./driven-ledger.ts"
import type { Plan } from "./ledger-commands.ts"
import type { Answer, Command, LedgerModel, OneCommand } from "./ledger-model.ts"

/** A command that was given to the ledger, what it answered, and what the model says. */
export interface Given {
  readonly command: Command
  readonly answer: Answer
  readonly expected: Answer
}

/** What a law judges of one ledger. */
export interface Watch {
  /** Commands that were given at the same time, in this order; the model has taken them too. */
  readonly see?: (given: ReadonlyArray<Given>, model: LedgerModel) => Promise<void> | void
  /** Closes the ledger and opens it again, where it persists. */
  readonly around?: (reopen: () => Promise<void>) => Promise<void>
  /** The end of the life. */
  readonly end?: (model: LedgerModel) => Promise<void>
}

/** Most commands that are given at the same time where it does not matter how many. */
export const MOST_TOGETHER = 6

export interface Law {
  /** The sentence that names its test. */
  readonly name: string
  /** The commands that lives are made of. */
  readonly plans: fc.Arbitrary<Plan>
  /** Most commands that are given at the same time. */
  readonly together: number
  /** Whether the clock jumps. */
  readonly jumps: boolean
  /** Whether the ledger is closed and opened again: such a law holds only where what is written persists. */
  readonly reopens: boolean
  /** Begins to watch a new ledger; `another` opens one more, which ends with the life. */
  readonly watch: (real: DrivenLedger, another: () => Promise<DrivenLedger>) => Promise<Watch> | Watch
}

export const broken = (message: string): never => {
  throw new Error(message)
}

/** A lease that was given, as answers show it. */
export interface GivenLease {
  readonly run_id: string
  readonly step_id: string
  readonly worker_id: string
  readonly fencing_token: number
  readonly lease_expires_at: string
}

/** A command on its own, and what it was answered. */
export interface One {
  readonly command: OneCommand
  readonly answer: Answer
}

/** The commands one by one: those of a batch that was refused as a whole did nothing. */
export const oneByOne = (given: ReadonlyArray<Given>): ReadonlyArray<One> =>
  given.flatMap(({ answer, command }): ReadonlyArray<One> => {
    if (command.kind !== "batch") return [{ command, answer }]
    const answers = answer.tag === "done" ? (answer["reply"] as ReadonlyArray<Answer>) : []
    return answers.flatMap((one, index) => {
      const given = command.commands[index]
      return given === undefined ? [] : { command: given, answer: one }
    })
  })

/** The lease that an answer gives: of a claim, a renewal, or a post that claims. */
export const leaseIn = ({ answer }: One): GivenLease | undefined => {
  const reply = answer.tag === "done" ? (answer["reply"] as Partial<Record<string, unknown>>) : {}
  const lease = reply["lease"]
  return lease === undefined || lease === null
    ? undefined
    : { ...(lease as GivenLease), lease_expires_at: String(reply["lease_expires_at"]) }
}
