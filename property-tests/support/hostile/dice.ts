// Choices for generators that must look at a live database before they choose: each throw is fast-check's or follows
// from a seed, so that it can be replayed. It knows nothing of what is chosen.

import * as fc from "fast-check"

/** A whole number from 0 to `limit` - 1. */
export type Throw = (limit: number) => number

/** Throws that fast-check chooses and shrinks. */
export const thrownBy =
  (value: fc.GeneratorValue): Throw =>
  (limit) =>
    value(fc.nat, limit - 1)

/** Throws in which every number is equally likely, the same for the same seed and number (mulberry32). */
export const seededThrow = (seed: number, number: number): Throw => {
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

export class Dice {
  readonly #throw: Throw

  constructor(value: Throw) {
    this.#throw = value
  }

  /** A whole number from 0 to `limit` - 1. */
  under(limit: number): number {
    return this.#throw(limit)
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
