// What the doctor reports: each check with its state, what was seen and, where something should be done, what.
import * as Schema from "effect/Schema"

const CheckState = Schema.Literals(["ok", "advice", "problem"])

/**
 * One thing that was looked at. `do` is what to do about it, and absent where nothing needs to be done; `run` is the
 * command that does it, as a shell takes it.
 */
export const Check = Schema.Struct({
  check: Schema.String,
  state: CheckState,
  seen: Schema.String,
  do: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String)
})
export type Check = typeof Check.Type

export const DoctorReport = Schema.Struct({ verdict: CheckState, checks: Schema.Array(Check) })
export type DoctorReport = typeof DoctorReport.Type
