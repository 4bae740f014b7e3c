// What a benchmark hands back: figures with their floor of the same run, as medians with their extremes. It holds
// numbers only; a goal is text beside them and never a condition, because no machine's speed is a test.

/** A median with the lowest and the highest value seen. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** One measured thing. `ratio` is taken within each repeat (figure by floor) and then summarised. */
export interface Line {
  readonly name: string
  readonly unit: string
  readonly figure: Spread
  readonly floor?: Spread
  readonly ratio?: Spread
  /** What we aim at, in words. */
  readonly goal?: string
}

/** Where the files of a benchmark lay. */
export interface Place {
  readonly kind: "memory disk" | "disk"
  readonly folder: string
  readonly file_system: string
}

/** A benchmark's whole result; `settings` are the sizes it ran with. */
interface Report {
  readonly place?: Place
  readonly settings: Readonly<Record<string, number | string>>
  readonly lines: ReadonlyArray<Line>
}

/** One benchmark: what it measures, and how. */
export interface Benchmark {
  readonly description: string
  readonly run: () => Promise<Report>
}

const rounded = (value: number): number => Number(value.toPrecision(4))

/** Median, lowest and highest of at least one value, to four digits. */
export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const low = sorted[Math.floor(middle)] ?? Number.NaN
  const high = sorted[Math.ceil(middle)] ?? Number.NaN
  return {
    median: rounded((low + high) / 2),
    min: rounded(sorted[0] ?? Number.NaN),
    max: rounded(sorted.at(-1) ?? Number.NaN)
  }
}

/** A line from the values of every repeat; `floor` must hold as many. */
export const line = (
  name: string,
  unit: string,
  figure: ReadonlyArray<number>,
  floor?: ReadonlyArray<number>,
  goal?: string
): Line => ({
  name,
  unit,
  figure: spread(figure),
  ...(floor && {
    floor: spread(floor),
    ratio: spread(figure.map((value, repeat) => value / (floor[repeat] ?? Number.NaN)))
  }),
  ...(goal !== undefined && { goal })
})
