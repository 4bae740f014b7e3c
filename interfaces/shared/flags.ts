// Flags that several groups of commands spell alike.
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, MIN_TTL_SECONDS } from "../../domain/ledger/limits.ts"
import { wholeNumberFlag } from "./options.ts"

/** A flag that takes text. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const SEVERAL_TIMES = "may be given several times"

/** A flag that takes text each time that it is given. */
export const repeatedFlag = (name: string, metavar: string, description: string, whenLeftOut = "none") =>
  textFlag(name, metavar, `${description}; ${SEVERAL_TIMES} (default: ${whenLeftOut})`).pipe(Flag.atLeast(0))

/** Whether a command is refused without the flag. The parser counts a flag as required that may be given no time at all. */
export const isRequired = ({ description, required }: HelpDoc.FlagDoc): boolean =>
  required && !Option.exists(description, (text) => text.includes(SEVERAL_TIMES))

/** A flag that names a JSON file. */
export const jsonFileFlag = (name: string, description: string) =>
  textFlag(name, "FILE", `${description}; - is standard input`)

export const runIdFlag = textFlag("run-id", "R", "the run")
export const onlyRunFlag = textFlag("run-id", "R", "this run only").pipe(Flag.optional)
export const prefixFlag = textFlag("prefix", "P", "of the runs whose ids begin with this").pipe(Flag.optional)
export const stepFlag = textFlag("step", "S", "the step's id, as claim printed it")
export const workerFlag = textFlag("worker", "W", "the worker's name")
export const trustFlag = textFlag(
  "trust",
  "FILE",
  "the trust file: whose signatures count; - is standard input"
)

/** The range is the ledger's to judge: a token that no lease ever has is a wrong token. */
export const tokenFlag = wholeNumberFlag("token", 0).pipe(
  Flag.withDescription("the fencing token, as claim printed it")
)

/** How long a lease lasts. */
export const ttlFlag = (name: string) =>
  wholeNumberFlag(name, 0).pipe(
    Flag.withMetavar("SECONDS"),
    Flag.optional,
    Flag.withDescription(
      `how long the lease lasts, ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS} (default ${DEFAULT_TTL_SECONDS})`
    )
  )
