// The refusal of both writers: a value that has no canonical text. It says what is wrong and where, so that
// the caller can mend the value. It must never carry the value itself, which may be secret or huge.

import * as Schema from "effect/Schema"

const advice = {
  accessor: "this member is a getter, and reading it would run code: copy its value first",
  cycle: "the value contains itself: write out what is meant, or refer to it by an id",
  hidden_member: "a member that is not enumerable, or stands on a list beside its items: use plain members",
  lone_surrogate: "the text holds half of a surrogate pair: clean it with toWellFormed() first",
  not_an_integer: "this rule writes whole numbers alone: use an integer of a smaller unit, or a text",
  not_finite: "NaN and the infinities have no JSON form: use null or a text",
  not_plain: "only plain objects and lists are written: turn class instances, dates and maps into data",
  symbol_key: "a key is a symbol: use text keys",
  too_deep: "nesting goes over 64 levels: flatten the value",
  undefined: "undefined has no JSON form (holes in lists neither): use null, or leave the key out",
  unsafe_integer: "beyond 2^53-1 whole numbers are not exact: use a text",
  unsupported_type: "functions, symbols and bigints have no JSON form: use a text"
} as const

/** Why a value has no canonical text: a closed list. */
export type NotCanonicalReason = keyof typeof advice

const reasons = Object.keys(advice) as ReadonlyArray<NotCanonicalReason>

/** The name of a canonical rule, written beside every hash that uses it. */
export const CanonicalRule = Schema.Literals(["jcs/1", "py/1"])

/** `jcs/1` is RFC 8785; `py/1` is Python's sorted, compact `json.dumps`, integers only. */
export type CanonicalRule = typeof CanonicalRule.Type

/** A value has no canonical text under `rule`; `path` is the JSON pointer (RFC 6901) of the fault, "" at the top. */
export class NotCanonical extends Schema.TaggedError<NotCanonical>()("NotCanonical", {
  rule: CanonicalRule,
  reason: Schema.Literals(reasons),
  path: Schema.String
}) {
  override get message(): string {
    const where = this.path === "" ? "the value itself" : this.path
    return `No ${this.rule} text at ${where}: ${advice[this.reason]}`
  }
}
