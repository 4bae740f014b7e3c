// Runs contestants in turn within every repeat, so that a busy moment of the machine hits all of them and a ratio
// within one repeat stays fair. It times what it is given and never judges the outcome.

/** One slice of a contestant's work; gives its figure (a time per item, a rate). */
export type Slice = () => number | Promise<number>

/** The figures of every contestant by repeat; the order of turns is reversed in every other repeat. */
export const compare = async <Name extends string>(
  repeats: number,
  contestants: { readonly [N in Name]: Slice }
): Promise<{ readonly [N in Name]: ReadonlyArray<number> }> => {
  const names = Object.keys(contestants) as Array<Name>
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as {
    [N in Name]: Array<number>
  }
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const name of repeat % 2 === 0 ? names : names.toReversed()) {
      figures[name].push(await contestants[name]())
    }
  }
  return figures
}

/** Microseconds per item of synchronous work that handles `items`. */
export const microsecondsPer = (items: number, work: () => void): number => {
  const start = performance.now()
  work()
  return ((performance.now() - start) * 1000) / items
}

/** Items per second of work that handles `items`. */
export const rateOf = async (items: number, work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return items / ((performance.now() - start) / 1000)
}
