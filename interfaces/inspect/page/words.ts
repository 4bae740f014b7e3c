// Numbers, times and states in words. The server says what time it is: a reader's clock decides nothing.
import { durationText } from "../../../domain/history/durations.ts"
import { h } from "./dom.ts"

let now = 0

/** Takes the time of the newest answer. */
export const setNow = (time: string): void => {
  now = Date.parse(time)
}

export const number = (value: number): string => value.toLocaleString("en-GB").replaceAll(",", "\u202f")

export const many = (count: number, one: string, more = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : more}`

/** A step's number in its message: with its job's in front, unless that is the first. */
export const stepNumber = (stepId: string): string => {
  const [, job = "1", step = "0"] = stepId.split(".")
  return Number(job) === 1 ? number(Number(step)) : `${Number(job)}.${Number(step)}`
}

export const bytes = (count: number): string => {
  if (count < 1_000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}

export const duration = (millis: number): string => durationText(Math.max(0, Math.round(millis)))

export const between = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from))

/** How long ago something was, as the server counts. */
export const age = (time: string): number => Math.max(0, now - Date.parse(time))

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

const day = (time: string): string =>
  `${Number(time.slice(8, 10))} ${MONTHS[Number(time.slice(5, 7)) - 1] ?? "?"}`

const isToday = (time: string): boolean =>
  Number.isFinite(now) && time.slice(0, 10) === new Date(now).toISOString().slice(0, 10)

/** The time of day, with the date unless it is the server's. */
export const clock = (time: string, digits = 19): string =>
  `${isToday(time) ? "" : `${day(time)} `}${time.slice(11, digits)}`

/** A time whose whole text is its title. */
export const when = (time: string, digits?: number): HTMLElement =>
  h("time", { datetime: time, title: time }, clock(time, digits))

const STATES: Readonly<Record<string, readonly [style: string, word: string]>> = {
  SUCCESS: ["done", "done"],
  FAILURE: ["failed", "failed"],
  ABORTED: ["aborted", "aborted"],
  leased: ["leased", "at work"],
  ended: ["ended", "lease ended"],
  waiting: ["waiting", "waiting"],
  expired: ["again", "gave no answer"],
  released: ["again", "given back"],
  forced: ["again", "taken away"]
}

/** How a state looks and what it is called; a file that was tampered with may hold any word. */
export const stateOf = (state: string): readonly [style: string, word: string] =>
  Object.hasOwn(STATES, state) ? (STATES[state] ?? ["again", state]) : ["again", state]

export const badge = (state: string, text?: string): HTMLElement => {
  const [style, word] = stateOf(state)
  return h("span", { class: `state ${style}` }, text ?? word)
}
