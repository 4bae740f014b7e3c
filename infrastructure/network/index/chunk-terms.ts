// The terms under which the index keeps a chunk: of its document's path, of the headings above it, and of its text. The
// identifiers of a path count with the path, all others by themselves.
import { BODY_WEIGHT, HEADING_WEIGHT, PATH_WEIGHT } from "../../../domain/network/limits.ts"
import { type ChunkTerms, TermCounter, type TermPairs } from "../../../domain/network/ranking/term-counts.ts"
import { type PieceTerms, termTextsBy } from "../../../domain/network/ranking/words.ts"
import { type ChunkRow, type CutRecord, madeChunks, searchedPath } from "./chunk-rows.ts"
import { englishTerms } from "./english-stems.ts"

const joined = (left: string, right: string): string =>
  left === "" || right === "" ? left + right : `${left} ${right}`

/** The terms of a chunk, how often each counts, and the chunk's length in words. */
export interface CountedTerms {
  readonly terms: ChunkTerms
  readonly counts: TermPairs
  readonly words: number
}

/** What gives the terms of chunks of one path, counted by a counter that many paths may share. */
export const termsUnder = (path: string, counter = new TermCounter()) => {
  const ofPath: Array<PieceTerms> = []
  const { identifiers, sequence } = termTextsBy(path, englishTerms, (piece) => ofPath.push(piece))
  const pathTerms = joined(sequence, identifiers)
  let words = 0
  const counting =
    (weight: number) =>
    (piece: PieceTerms): void => {
      words += piece.words.length
      counter.add(piece.words, weight)
      counter.add(piece.names, BODY_WEIGHT)
    }
  const countHeading = counting(HEADING_WEIGHT)
  const countBody = counting(BODY_WEIGHT)
  return (headings: ReadonlyArray<string>, content: string): CountedTerms => {
    words = 0
    for (const piece of ofPath) {
      counter.add(piece.words, PATH_WEIGHT)
      counter.add(piece.names, PATH_WEIGHT)
    }
    const heading = termTextsBy(headings.join("\n"), englishTerms, countHeading)
    const body = termTextsBy(content, englishTerms, countBody)
    const terms = {
      path: pathTerms,
      heading: heading.sequence,
      body: body.sequence,
      identifiers: joined(heading.identifiers, body.identifiers)
    }
    return { terms, counts: counter.take(), words: Math.max(1, words) }
  }
}

/** A chunk as it goes into the index. */
export interface SearchedChunk extends CountedTerms {
  readonly row: ChunkRow
}

/** The chunks of a record with their terms: all of the index that needs no database. */
export const searchedChunks = (record: CutRecord, counter?: TermCounter): ReadonlyArray<SearchedChunk> => {
  const termsOf = termsUnder(searchedPath(record), counter)
  return madeChunks(record).map(({ content, headings, row }) => {
    const { counts, terms, words } = termsOf(headings, content)
    return { row, terms, counts, words }
  })
}

/** The chunks of many records, whose counts share one list of terms. */
export const searchedChunksOf = (
  records: ReadonlyArray<CutRecord>
): ReadonlyArray<ReadonlyArray<SearchedChunk>> => {
  const counter = new TermCounter()
  return records.map((record) => searchedChunks(record, counter))
}
