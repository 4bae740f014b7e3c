// How long something took, for people: two units at most.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Two units of which the smaller is left out when it is none. */
const inUnits = (
  millis: number,
  [large, small]: readonly [number, number],
  names: readonly [string, string]
) => {
  const rest = Math.floor((millis % large) / small)
  return `${Math.floor(millis / large)} ${names[0]}${rest === 0 ? "" : ` ${rest} ${names[1]}`}`
}

/** A duration in milliseconds: `58 ms`, `9.0 s`, `1 min 35 s`, `5 h 33 min`, `49 h`. */
export const durationText = (millis: number): string => {
  if (millis < SECOND) return `${millis} ms`
  if (millis < MINUTE) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`
  if (millis < HOUR) return inUnits(millis, [MINUTE, SECOND], ["min", "s"])
  return millis < 24 * HOUR ? inUnits(millis, [HOUR, MINUTE], ["h", "min"]) : `${Math.floor(millis / HOUR)} h`
}
