// The refusals that every part knows: input that does not fit, an id that means several, a rule that the database itself
// keeps; and the code of an error.
import * as Schema from "effect/Schema"
import type { StoreBusy } from "./storage-errors.ts"

/** Input that does not fit its Schema or a limit; nothing was written. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** Faults of an input as one error: its message names each with its place. */
export const invalidInput = (issues: InvalidInput["issues"]): InvalidInput =>
  new InvalidInput({
    message: issues.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
    issues
  })

/** One fault of an input at its place: a pointer into it, a flag, or "" for the whole. */
export const invalidAt = (path: string, message: string): InvalidInput => invalidInput([{ path, message }])

/** Several ids begin with what was given instead of a whole id. */
export class AmbiguousPrefix extends Schema.TaggedError<AmbiguousPrefix>()("AmbiguousPrefix", {
  prefix: Schema.String,
  /** At most 5 of them. */
  candidates: Schema.Array(Schema.String),
  has_more: Schema.Boolean
}) {
  override get message() {
    const more = this.has_more ? " and more" : ""
    return `${this.prefix} is the beginning of several ids: ${this.candidates.join(", ")}${more}; give more of the id`
  }
}

/** The database itself refused a write that the program thought legal. */
export class InvariantViolation extends Schema.TaggedError<InvariantViolation>()("InvariantViolation", {
  message: Schema.String
}) {}

/** An error after which the very same call may succeed, with nothing done about it: nothing was written. */
export type Retryable = StoreBusy

/** True for a `Retryable` error; every other is final until the state, the input or the machine has changed. */
export const isRetryable = (error: { readonly _tag: string }): error is Retryable =>
  error._tag === "StoreBusy"

/** The stable code of an error: what `--format json` shows. */
export const errorCode = (error: { readonly _tag: string }): string =>
  error._tag === "InvalidInput"
    ? "INVALID_PARAMS"
    : error._tag.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toUpperCase()
