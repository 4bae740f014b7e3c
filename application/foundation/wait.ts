// How long a caller is ready to wait: any duration from 0 on, judged and read in one place for every option that takes one.
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A wait as milliseconds; undefined for what is no duration from 0 on. */
export const waitMillis = (input: Duration.Input): number | undefined => {
  if (Number.isNaN(input)) return undefined
  const millis = Option.map(Duration.fromInput(input), Duration.toMillis)
  return Option.isSome(millis) && millis.value >= 0 ? millis.value : undefined
}

/** A wait from 0 on. */
export const Wait = Schema.declare(
  (value): value is Duration.Input => waitMillis(value as Duration.Input) !== undefined,
  { expected: 'a duration from 0 on, such as "30 seconds" or a number of milliseconds' }
)
