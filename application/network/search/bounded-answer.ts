// Answers of a network within a budget of bytes, as JSON: what is left off is told in the answer, with what to do about it.
import * as Effect from "effect/Effect"
import {
  isBudget,
  type LeftOff,
  MIN_ANSWER_BYTES,
  withinBudget
} from "../../../domain/canonical/answer-budget.ts"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"

/** An answer that may have been cut. */
export type Bounded<A> = A & { readonly left_off?: LeftOff }

const MORE =
  "give a larger maxBytes, or Infinity for all; a text is read whole by resolveSymbol with @C: and its hash"

/** Judges the budget, asks, and cuts the answer where it is larger. */
export const bounded = <A extends object, E>(
  maxBytes: number,
  ask: Effect.Effect<A, E>
): Effect.Effect<Bounded<A>, E | InvalidInput> =>
  isBudget(maxBytes)
    ? Effect.map(ask, (answer) =>
        maxBytes === Infinity ? answer : withinBudget(answer, maxBytes, { more: MORE })
      )
    : Effect.fail(invalidAt("/maxBytes", `a whole number of bytes from ${MIN_ANSWER_BYTES} on, or Infinity`))
