// Hits for people to read, numbered in their order.
import * as Effect from "effect/Effect"
import type { AnswerByCassette } from "../../../application/network/hub.ts"
import type { MergedAnswer } from "../../../application/network/answers.ts"
import type { CassetteAnswer, Hit } from "../../../domain/network/cassette.ts"
import { type Question, questionOf } from "../../../domain/network/ranking/query-text.ts"
import { englishStem } from "../../embedding/texts.ts"
import { answerWithin } from "../bounded-output.ts"
import { Host, type HostShape, mayColour } from "../../shared/host.ts"
import { writeWarnings } from "../output.ts"
import { printable } from "../../shared/terminal-text.ts"
import { warnOfAnswers } from "./open-network.ts"
import { snippet } from "./snippet.ts"

/** The lines of a hit behind its path, as editors and compilers write them; a memory's symbol stands alone, to be pasted. */
const linesText = ({ line_end, line_start, memory }: Hit): string =>
  line_start === null || memory !== undefined
    ? ""
    : line_start === line_end
      ? `:${line_start}`
      : `:${line_start}-${line_end}`

const linesOf = (host: HostShape, question: Question, hit: Hit, rank: number): ReadonlyArray<string> => {
  const colours = mayColour(host, "stdout")
  const where = printable([`${hit.path}${linesText(hit)}`, ...hit.heading_path].join(" > "))
  const elsewhere = hit.place_count > 1 ? ` (and ${hit.place_count - 1} more)` : ""
  const title = colours ? `\u001b[1m${where}\u001b[0m` : where
  return [
    `${rank}. ${title}  [${hit.source}]  ${hit.score.toFixed(3)}${elsewhere}`,
    `   ${snippet(hit.content, question, colours)}`
  ]
}

/** The answers of cassettes, and as many of them as are shown. */
interface Answers {
  readonly all: Readonly<Record<string, CassetteAnswer>>
  readonly shown: Readonly<Record<string, CassetteAnswer>>
}

const isMissing = ({ status }: CassetteAnswer): boolean => status !== "ok"

/** What stands where there are no hits: nothing was found only where everybody who was asked answered in full. */
const noHitLine = ({ all, shown }: Answers): string => {
  const answers = Object.values(all)
  const missing = answers.filter(isMissing).length
  if (missing === 0) return "nothing found"
  const reasons = Object.entries(shown)
    .filter(([, answer]) => isMissing(answer))
    .map(([id, { reason, status }]) => `${id} (${status}: ${printable(reason ?? "")})`)
  const more = missing - reasons.length
  const unnamed = more === 0 ? [] : [`${more} ${reasons.length === 0 ? "of those asked" : "more"}`]
  const others = answers.length === missing ? "" : "; the others have no hit"
  return `no full answer from ${[...reasons, ...unnamed].join(", ")}${others}`
}

/** Hits as people read them: where each stands, then the piece of it that was looked for; or why there are none. */
const hitLines = (
  host: HostShape,
  text: string,
  shown: ReadonlyArray<Hit>,
  found: ReadonlyArray<Hit>,
  answers: Answers
): ReadonlyArray<string> => {
  const question = questionOf(text, englishStem)
  // Where no hit had room, there are hits all the same.
  return found.length === 0
    ? [noHitLine(answers)]
    : shown.flatMap((hit, index) => linesOf(host, question, hit, index + 1))
}

const READ_WHOLE = "a text is read whole by cortex symbol resolve @C: and its hash"

/** Writes what a question found, with what is to be told of it. */
export const answerHits = Effect.fnUntraced(function* (found: MergedAnswer, text: string, maxBytes: number) {
  const host = yield* Host
  yield* warnOfAnswers(found.answers)
  yield* writeWarnings(found.notices)
  yield* answerWithin({
    data: found,
    lines: ({ answers, hits }) =>
      hitLines(host, text, hits, found.hits, { all: found.answers, shown: answers }),
    maxBytes,
    more: READ_WHOLE
  })
})

const only = (id: string, answers: Readonly<Record<string, CassetteAnswer>>) =>
  Object.fromEntries(Object.entries(answers).filter(([each]) => each === id))

/** As `answerHits`, with one list for each cassette. */
export const answerHitsByCassette = Effect.fnUntraced(function* (
  found: AnswerByCassette,
  text: string,
  maxBytes: number
) {
  const host = yield* Host
  yield* warnOfAnswers(found.answers)
  yield* writeWarnings(found.notices)
  yield* answerWithin({
    data: found,
    lines: ({ answers, results }) =>
      Object.entries(results).flatMap(([id, hits]) => {
        const own = { all: only(id, found.answers), shown: only(id, answers) }
        return [`== ${id}`].concat(hitLines(host, text, hits, found.results[id] ?? [], own))
      }),
    maxBytes,
    more: READ_WHOLE
  })
})
