// Choices for generators that must look at a live database before they choose: each throw is fast-check's, so that a
// seed replays it. It knows nothing of what is chosen.

import * as fc from "fast-check"

export class Dice {
  readonly #throw: fc.GeneratorValue

  constructor(value: fc.GeneratorValue) {
    this.#throw = value
  }

  /** A whole number from 0 to `limit` - 1. */
  under(limit: number): number {
    return this.#throw(fc.nat, limit - 1)
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.under(times) === 0
  }

  /** One of these; there must be one. */
  pick<A>(values: ReadonlyArray<A>): A {
    if (values.length === 0) throw new Error("There is nothing to choose from")
    return values[this.under(values.length)] as A
  }

  /** One of these by weight, which are whole numbers. */
  weighted<A>(choices: ReadonlyArray<readonly [weight: number, value: A]>): A {
    let left = this.under(choices.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, value] of choices) {
      if (left < weight) return value
      left -= weight
    }
    throw new Error("There is nothing to choose from")
  }

  /** Some of these, in their order. */
  some<A>(values: ReadonlyArray<A>): ReadonlyArray<A> {
    return values.filter(() => this.once(2))
  }
}
