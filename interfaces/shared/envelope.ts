// The one JSON document that `--format json` prints: a result or an error, always one line, with the same shape on
// every command. It never holds a stack.
import { type ErrorDocument, type Failure, failureDocument } from "./error-document.ts"
import { FilesRefused, isNegativeVerdict, ProblemsFound } from "./failures.ts"
import { printableJson } from "./terminal-text.ts"

/** `{"ok":true,"data":…}` as one line without its end. */
export const successEnvelope = (data: object): string => printableJson(JSON.stringify({ ok: true, data }))

/** `{"ok":false,"error":{…}}` as one line without its end. */
export const errorEnvelope = (error: ErrorDocument): string =>
  printableJson(JSON.stringify({ ok: false, error }))

/** Code, message and own fields of a failure; a negative verdict, an incomplete index and a doctor's problems give the whole report. */
export const errorDocument = (failure: Failure): ErrorDocument =>
  isNegativeVerdict(failure) || failure instanceof FilesRefused || failure instanceof ProblemsFound
    ? failureDocument(failure, failure.report)
    : failureDocument(failure)
