// Whether a corpus ranks the same however it is divided: as one cassette, and over several at random or by topic. It
// counts the questions whose ten best have the same ids, order and scores to the last bit.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { local, withNetworkOf } from "../../infrastructure/network/testing/cassettes.ts"
import { type BenchDocument, fixedChance } from "./documents.ts"
import { index } from "./network-floors.ts"

const PARTS = [1, 4, 8, 16]

/** The part of each document: by chance, or by the folder that it lies in. */
const divisions = {
  "at random": (documents: ReadonlyArray<BenchDocument>, parts: number) => {
    const chance = fixedChance(88_675_123)
    return documents.map(() => Math.floor(chance() * parts))
  },
  "by topic": (documents: ReadonlyArray<BenchDocument>, parts: number) => {
    const topics = [...new Set(documents.map(({ topic }) => topic))].sort()
    return documents.map(({ topic }) => topics.indexOf(topic) % parts)
  }
} as const

const answersOf = (files: ReadonlyArray<string>, questions: ReadonlyArray<string>) =>
  withNetworkOf(
    files.map((file, part) => local(`part-${part}`, file)),
    (network) =>
      Effect.map(
        Effect.forEach(questions, (text) => network.query(text)),
        (answers) =>
          answers.map(({ hits }) => JSON.stringify(hits.map(({ chunk_id, score }) => [chunk_id, score])))
      )
  )

/** The share of equal answers for each way to divide the corpus; 1 is the only right one. */
export const splitShares = async (
  folder: string,
  documents: ReadonlyArray<BenchDocument>,
  questions: ReadonlyArray<string>
): Promise<ReadonlyArray<{ readonly name: string; readonly share: number }>> => {
  const make = (name: string, division: ReadonlyArray<number>, parts: number) => {
    const own = join(folder, name.replaceAll(" ", "-"))
    mkdirSync(own)
    return Array.from(
      { length: parts },
      (_, part) =>
        index(
          own,
          `part-${part}`,
          documents.filter((__, number) => division[number] === part)
        ).file
    )
  }
  const whole = await answersOf(
    make(
      "whole",
      documents.map(() => 0),
      1
    ),
    questions
  )
  const shares: Array<{ readonly name: string; readonly share: number }> = []
  for (const [way, divide] of Object.entries(divisions)) {
    for (const parts of PARTS) {
      const name = `${parts} ${way}`
      const answers = await answersOf(make(name, divide(documents, parts), parts), questions)
      const equal = answers.filter((answer, question) => answer === whole[question]).length
      shares.push({ name, share: equal / questions.length })
    }
  }
  return shares
}
