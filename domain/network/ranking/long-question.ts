// A question with more terms than are looked for keeps those that tell most: of those that do more than hold the sentence
// together the ones that stand in the fewest chunks of all asked cassettes, then the others. Counts are whole numbers, so the choice does not depend on how a corpus is divided.
import { MAX_QUERY_TERMS, MAX_QUERY_UNITS } from "../limits.ts"
import type { Question } from "./query-text.ts"

/** What is looked for, and what of the question was left out. */
export interface AskedPart {
  readonly question: Question
  /** In the order of that question's terms. */
  readonly frequencies: ReadonlyArray<number>
  readonly notices: ReadonlyArray<string>
}

/** A term that stands nowhere finds nothing: it is not looked for and not missed. */
const chosenTerms = (
  inOrder: ReadonlyArray<string>,
  aside: ReadonlySet<string>,
  frequencies: ReadonlyMap<string, number>
): { readonly chosen: ReadonlySet<string>; readonly present: number } => {
  const present = inOrder
    .map((term) => ({ term, frequency: frequencies.get(term) ?? 0 }))
    .filter(({ frequency }) => frequency > 0)
  // The sort is stable: equal ones stay in the question's order.
  const rarest = present
    .toSorted(
      (left, right) =>
        Number(aside.has(left.term)) - Number(aside.has(right.term)) || left.frequency - right.frequency
    )
    .slice(0, MAX_QUERY_TERMS)
  return { chosen: new Set(rarest.map(({ term }) => term)), present: present.length }
}

/** The part of a question that is looked for; `frequencies` are in the order of its terms. A short one is left as it is. */
export const mostTelling = (question: Question, frequencies: ReadonlyArray<number>): AskedPart => {
  const { aside, excess, neighbours, phrases, terms } = question
  if (excess === undefined) return { question, frequencies, notices: [] }
  const counted = new Map(terms.map((term, index) => [term, frequencies[index] ?? 0]))
  const { chosen, present } = chosenTerms(excess.inOrder, aside, counted)
  const kept = terms.filter((term) => chosen.has(term))
  const leftOut = present - kept.length + excess.uncounted
  return {
    question: {
      terms: kept,
      aside,
      neighbours: neighbours.filter(([first, second]) => chosen.has(first) && chosen.has(second)),
      phrases
    },
    frequencies: kept.map((term) => counted.get(term) ?? 0),
    notices: [
      ...(leftOut === 0
        ? []
        : [
            `the question has too many different terms: ${leftOut} of them were left out, and the ${kept.length} that stand in the fewest texts were looked for`
          ]),
      ...(excess.isCut
        ? [`the question is longer than ${MAX_QUERY_UNITS} UTF-16 units: what follows was not read`]
        : [])
    ]
  }
}
