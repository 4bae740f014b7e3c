// A decider, in the word of event sourcing: the pure part of a state machine. A command and a state give an outcome or a
// refusal; events give the state. It reads nothing and writes nothing.
import type * as Result from "effect/Result"

/** Decides commands against a state. */
export interface Decider<State, Command, Outcome, Refusal = never> {
  /** What a command comes to in a state, or why it is refused. */
  readonly decide: (command: Command, state: State) => Result.Result<Outcome, Refusal>
}

/** A decider whose state is what events have made of the initial one. */
export interface EventDecider<State, Command, Event, Outcome, Refusal = never> extends Decider<
  State,
  Command,
  Outcome,
  Refusal
> {
  /** The state before anything has happened. */
  readonly initialState: () => State
  /** The state after one more event. */
  readonly evolve: (state: State, event: Event) => State
}
