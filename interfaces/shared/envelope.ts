// The one JSON document that `--format json` prints: a result or an error, always one line, with the same shape on
// every command. It never holds a stack.
import { errorCode } from "../../domain/foundation/errors.ts"
import { FilesRefused, isNegativeVerdict, ProblemsFound } from "./failures.ts"
import { printableJson } from "./terminal-text.ts"

/** Any tagged error. */
interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface ErrorDocument {
  readonly code: string
  readonly message: string
  readonly details: object
}

/** `{"ok":true,"data":…}` as one line without its end. */
export const successEnvelope = (data: object): string => printableJson(JSON.stringify({ ok: true, data }))

/** `{"ok":false,"error":{…}}` as one line without its end. */
export const errorEnvelope = (error: ErrorDocument): string =>
  printableJson(JSON.stringify({ ok: false, error }))

/** An error's own fields; a negative verdict, an incomplete index and a doctor's problems give the whole report. */
const detailsOf = (failure: Failure): object =>
  isNegativeVerdict(failure) || failure instanceof FilesRefused || failure instanceof ProblemsFound
    ? failure.report
    : Object.fromEntries(Object.entries(failure).filter(([name]) => name !== "_tag" && name !== "message"))

/** Code, message and own fields of a failure. */
export const errorDocument = (failure: Failure): ErrorDocument => ({
  code: errorCode(failure),
  message: failure.message,
  details: detailsOf(failure)
})
