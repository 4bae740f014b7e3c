// Chance that follows from a seed and a name, so that a storm draws the same again: what is drawn is the same, what
// the operating system makes of it is not.
import { hash } from "node:crypto"

export interface Chance {
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  /** True once in so many draws. */
  readonly oneIn: (draws: number) => boolean
  /** A whole number from `least` to `most`. */
  readonly between: (least: number, most: number) => number
}

/** The draws of one name under a seed, in order. */
export const chanceOf = (seed: number, name: string): Chance => {
  let drawn = 0
  const below = (limit: number) =>
    Number.parseInt(hash("sha256", `${seed} ${name} ${(drawn += 1)}`, "hex").slice(0, 12), 16) % limit
  return {
    below,
    oneIn: (draws) => below(draws) === 0,
    between: (least, most) => least + below(most - least + 1)
  }
}
