// What an object answers: data or an error as data. An error that is thrown loses its fields on its way to the caller.
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type ErrorDocument, type Failure, failureDocument } from "../shared/error-document.ts"

/** What a call comes to: an answer, or an error as data, with the code of its tag. */
export type Outcome<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: ErrorDocument }

const refused = (failure: Failure): Outcome<never> => ({ ok: false, error: failureDocument(failure) })

/** The outcome of what was run; a defect is thrown. */
export const outcomeOf = <Data>(exit: Exit.Exit<Data, Failure>): Outcome<Data> => {
  if (Exit.isSuccess(exit)) return { ok: true, data: exit.value }
  const failure = Cause.findError(exit.cause)
  if (Result.isSuccess(failure)) return refused(failure.success)
  throw Cause.squash(exit.cause)
}

/** The outcome of one command of several. */
export const outcomeOfResult = (result: Result.Result<unknown, Failure>): Outcome<unknown> =>
  Result.isSuccess(result) ? { ok: true, data: result.success } : refused(result.failure)
