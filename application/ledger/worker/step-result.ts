// What a handler's end means for its step: a receipt with its outcome, or why there is none.
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/canonical/json.ts"
import type { Outcome } from "../../../domain/ledger/rows.ts"

/** A result with an outcome of its own, for handlers that have more to say than success: see `finished`. */
export class Finished {
  readonly outcome: Outcome
  readonly receipt: JsonObject

  constructor(outcome: Outcome, receipt: JsonObject) {
    this.outcome = outcome
    this.receipt = receipt
  }
}

/**
 * A handler's result with an outcome of its own.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Worker } from "cortex-cassette"
 *
 * export const worker = Worker.run({ worker_id: "w1", run_id: "orders" }, (step) =>
 *   Effect.succeed(
 *     step.payload["cancelled"] === true
 *       ? Worker.finished("ABORTED", { reason: "the order was cancelled" })
 *       : { packed: true }
 *   )
 * )
 */
export const finished = (outcome: Outcome, receipt: JsonObject): Finished => new Finished(outcome, receipt)

/** Longest message of an error in a receipt (UTF-16 units). */
const MAX_MESSAGE = 8_192

/** A text as a receipt can hold it. */
const storable = (text: string): string =>
  text.slice(0, MAX_MESSAGE).toWellFormed().replaceAll("\u0000", "\ufffd")

/** Tag and message of anything that was thrown or failed with. */
export const describeError = (error: unknown): { readonly _tag: string; readonly message: string } => {
  if (typeof error !== "object" || error === null) return { _tag: typeof error, message: String(error) }
  // A property that throws says nothing; what was thrown must have a receipt all the same.
  const read = (key: string) => Result.getOrUndefined(Result.try(() => Reflect.get(error, key) as unknown))
  const message = read("message")
  const tag = [read("_tag"), read("name")].find(
    (text): text is string => typeof text === "string" && text !== ""
  )
  return { _tag: tag ?? "Error", message: typeof message === "string" ? message : "" }
}

/** The receipt of a failure: `{ error: { _tag, message } }`. */
export const failureOf = (error: unknown): Finished => {
  const { _tag, message } = describeError(error)
  return new Finished("FAILURE", { error: { _tag: storable(_tag), message: storable(message) } })
}

/** The result of a handler that ended by itself; an object without a JSON form is refused by the command that stores it. */
export const resultOf = (exit: Exit.Exit<unknown, unknown>): Finished => {
  if (Exit.isSuccess(exit)) {
    const { value } = exit
    if (value instanceof Finished) return value
    return isJsonObject(value)
      ? new Finished("SUCCESS", value)
      : failureOf({ _tag: "InvalidReceipt", message: "the handler returned no JSON object" })
  }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isSome(error)) return failureOf(error.value)
  return Cause.hasInterruptsOnly(exit.cause)
    ? failureOf({ _tag: "Interrupted", message: "the handler interrupted itself" })
    : failureOf(Cause.squash(exit.cause))
}
