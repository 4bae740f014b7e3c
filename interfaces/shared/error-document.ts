// An error as data, for those that it is sent to: a code, a sentence, and the error's own fields.
import { errorCode } from "../../domain/foundation/errors.ts"

/** Any tagged error. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface ErrorDocument {
  readonly code: string
  readonly message: string
  readonly details: object
}

/** An error's own fields. */
const ownFields = (failure: Failure): object =>
  Object.fromEntries(Object.entries(failure).filter(([name]) => name !== "_tag" && name !== "message"))

/** Code, message and details of a failure: its own fields, unless others are given. */
export const failureDocument = (failure: Failure, details = ownFields(failure)): ErrorDocument => ({
  code: errorCode(failure),
  message: failure.message,
  details
})
