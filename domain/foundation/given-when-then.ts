// Examples of what a decider decides, as they are told: given a state or the events that led to it, when a command comes, then
// this outcome or this refusal. An example that does not hold throws an `Error` that lists the differences by their paths, so
// that every test runner shows them. It belongs to no test runner.
import * as Result from "effect/Result"
import type { Decider, EventDecider } from "./decider.ts"

/** Most differences that one message lists. */
const MAX_DIFFERENCES = 20

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Map || value instanceof Set)
    return `${value.constructor.name} ${JSON.stringify([...value])}`
  if (value instanceof Uint8Array) return `bytes [${value.join(", ")}]`
  return JSON.stringify(value) ?? String(value)
}

const isCompound = (value: unknown): value is object => typeof value === "object" && value !== null

const entriesOf = (value: object): ReadonlyArray<readonly [unknown, unknown]> => {
  if (value instanceof Map) return [...value]
  if (value instanceof Set) return [...value].map((member) => [member, true])
  if (value instanceof Date) return [["time", value.getTime()]]
  return Object.entries(value)
}

/** The fields that are compared; what is undefined is not there. */
const fieldsOf = (value: object): ReadonlyMap<string, unknown> =>
  new Map(entriesOf(value).flatMap(([name, field]) => (field === undefined ? [] : [[String(name), field]])))

/** Two values of one kind, as far as that matters: where a part is expected, it may be a part of any object. */
const areAlike = (expected: object, actual: object, isPart: boolean): boolean =>
  isPart && !Array.isArray(expected)
    ? !Array.isArray(actual)
    : Object.prototype.toString.call(expected) === Object.prototype.toString.call(actual)

/** What differs, a line for each path. With `isPart`, fields of objects that are not expected may be anything. */
const differences = (
  path: string,
  expected: unknown,
  actual: unknown,
  isPart: boolean
): ReadonlyArray<string> => {
  if (!isCompound(expected) || !isCompound(actual) || !areAlike(expected, actual, isPart)) {
    const where = path === "" ? "" : `${path}: `
    return Object.is(expected, actual) ? [] : [`${where}expected ${shown(expected)}, got ${shown(actual)}`]
  }
  const [wanted, found] = [fieldsOf(expected), fieldsOf(actual)]
  const names =
    isPart && !Array.isArray(expected) ? wanted.keys() : new Set([...wanted.keys(), ...found.keys()])
  // What an object carries outside its own fields, as an error's message, counts where it is expected.
  const fieldIn = (name: string): unknown => found.get(name) ?? Reflect.get(actual, name)
  return [...names].flatMap((name) =>
    differences(path === "" ? name : `${path}.${name}`, wanted.get(name), fieldIn(name), isPart)
  )
}

/** Throws an `Error` that lists what differs; with `isPart`, fields of objects that are not expected may be anything. */
export const assertSame = (what: string, expected: unknown, actual: unknown, isPart: boolean): void => {
  const found = differences("", expected, actual, isPart)
  if (found.length === 0) return
  const more = found.length > MAX_DIFFERENCES ? [`and ${found.length - MAX_DIFFERENCES} more`] : []
  throw new Error([`${what} is another:`, ...found.slice(0, MAX_DIFFERENCES), ...more].join("\n  "))
}

/** A value with any of its fields, however deep. */
type PartOf<Value> = Value extends object ? { readonly [Field in keyof Value]?: PartOf<Value[Field]> } : Value

/** What a command led to, and what is expected of it. */
class Example<Outcome, Refusal> {
  private readonly decided: Result.Result<Outcome, Refusal>

  constructor(decided: Result.Result<Outcome, Refusal>) {
    this.decided = decided
  }

  /** The outcome, for a further look; throws when the command was refused. */
  outcome(): Outcome {
    if (Result.isSuccess(this.decided)) return this.decided.success
    throw new Error(`It was refused: ${shown(this.decided.failure)}`)
  }

  /** The refusal, for a further look; throws when the command was not refused. */
  refusal(): Refusal {
    if (Result.isFailure(this.decided)) return this.decided.failure
    throw new Error(`It was not refused: ${shown(this.decided.success)}`)
  }

  /** Expects exactly this outcome. */
  thenDecides(expected: Outcome): void {
    assertSame("The outcome", expected, this.outcome(), false)
  }

  /** Expects an outcome with these fields; others may be anything. */
  thenDecidesPart(expected: PartOf<Outcome>): void {
    assertSame("The outcome", expected, this.outcome(), true)
  }

  /** Expects a refusal with these fields; others may be anything. */
  thenRefuses(expected: PartOf<Refusal>): void {
    assertSame("The refusal", expected, this.refusal(), true)
  }
}

/** The state in which a command comes. */
class Given<State, Command, Outcome, Refusal> {
  private readonly decider: Decider<State, Command, Outcome, Refusal>
  private readonly state: State

  constructor(decider: Decider<State, Command, Outcome, Refusal>, state: State) {
    this.decider = decider
    this.state = state
  }

  when(command: Command): Example<Outcome, Refusal> {
    return new Example(this.decider.decide(command, this.state))
  }
}

/** Examples of a decider that begin with a state. */
export const givenState =
  <State, Command, Outcome, Refusal>(decider: Decider<State, Command, Outcome, Refusal>) =>
  (state: State): Given<State, Command, Outcome, Refusal> =>
    new Given(decider, state)

/** Examples of a decider that begin with what has happened. */
export const givenEvents =
  <State, Command, Event, Outcome, Refusal>(decider: EventDecider<State, Command, Event, Outcome, Refusal>) =>
  (...events: ReadonlyArray<Event>): Given<State, Command, Outcome, Refusal> =>
    new Given(decider, events.reduce<State>(decider.evolve, decider.initialState()))
