// The refusal of the strict reader: what is wrong with a JSON text, where, and what to do about it. It must
// never quote the text, which may be secret, huge or made to garble a terminal.

import * as Schema from "effect/Schema"
import { CanonicalRule } from "./not-canonical.ts"

const advice = {
  bad_escape:
    'this backslash escape does not exist: use \\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hex digits',
  bad_number:
    "this is not a JSON number: no leading zeros, and digits on both sides of a point and after an e",
  byte_order_mark: "the text begins with a byte order mark: save it without one",
  control_character: "a control character stands in a string: write it as an escape such as \\n",
  duplicate_key: "this object already has that key: keep one of the two",
  inexact_number:
    "no double equals this number: write its shortest form (as JavaScript prints it), or a string",
  lone_surrogate: "half of a surrogate pair stands in a string: write the whole pair or leave it out",
  not_an_integer: "py/1 takes whole numbers without point or exponent: use an integer, or a string",
  not_utf8: "the bytes are not UTF-8: save the text as UTF-8",
  too_deep: "nesting goes over 64 levels: flatten the value",
  trailing_text: "something follows the JSON value: leave one value in the text",
  unexpected_character: "this character cannot stand here: check for a missing quote, comma or colon",
  unexpected_end: "the text ends too early: check that every bracket and quote is closed",
  unsafe_integer: "py/1 takes whole numbers up to 2^53-1 alone: use a string"
} as const

/** Why a text was refused: a closed list. */
export type NotStrictJsonReason = keyof typeof advice

const reasons = Object.keys(advice) as ReadonlyArray<NotStrictJsonReason>

/**
 * A text that the strict reader refuses. `offset` counts UTF-16 units from 0; `line` and `column` count from 1
 * (columns in UTF-16 units, lines ended by LF).
 */
export class NotStrictJson extends Schema.TaggedError<NotStrictJson>()("NotStrictJson", {
  rule: CanonicalRule,
  reason: Schema.Literals(reasons),
  offset: Schema.Natural,
  line: Schema.Natural,
  column: Schema.Natural
}) {
  override get message(): string {
    return `JSON refused at line ${this.line}, column ${this.column}: ${advice[this.reason]}`
  }
}

/** The refusal for a fault at the given offset of the text; counts the lines. */
export const notStrictJsonAt = (
  rule: CanonicalRule,
  reason: NotStrictJsonReason,
  text: string,
  offset: number
): NotStrictJson => {
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", lineStart)) {
    line++
    lineStart = end + 1
  }
  return new NotStrictJson({ rule, reason, offset, line, column: offset - lineStart + 1 })
}
