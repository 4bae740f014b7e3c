// One list behind another, however long: a call with spread arguments ends where the stack does, at about 100,000 of them.

/** Adds items at the end of a list, in their order. */
export const appendTo = <A>(list: Array<A>, items: Iterable<A>): void => {
  for (const item of items) list.push(item)
}
