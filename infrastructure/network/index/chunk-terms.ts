// The terms under which the index keeps a chunk: of its document's path, of the headings above it, and of its text. The
// identifiers of a path count with the path, all others by themselves.
import type { ChunkTerms } from "../../../domain/network/term-counts.ts"
import { termTextsBy } from "../../../domain/network/words.ts"
import { type ChunkRow, type CutRecord, madeChunks, searchedPath } from "./chunk-rows.ts"
import { englishTerms } from "./english-stems.ts"

const joined = (left: string, right: string): string =>
  left === "" || right === "" ? left + right : `${left} ${right}`

/** What gives the terms of chunks of one path. */
export const termsUnder = (path: string) => {
  const ofPath = termTextsBy(path, englishTerms)
  const pathTerms = joined(ofPath.sequence, ofPath.identifiers)
  return (headings: ReadonlyArray<string>, content: string): ChunkTerms => {
    const heading = termTextsBy(headings.join("\n"), englishTerms)
    const body = termTextsBy(content, englishTerms)
    return {
      path: pathTerms,
      heading: heading.sequence,
      body: body.sequence,
      identifiers: joined(heading.identifiers, body.identifiers)
    }
  }
}

/** A chunk as it goes into the index. */
export interface SearchedChunk {
  readonly row: ChunkRow
  readonly terms: ChunkTerms
}

/** The chunks of a record with their terms: all of the index that needs no database. */
export const searchedChunks = (record: CutRecord): ReadonlyArray<SearchedChunk> => {
  const termsOf = termsUnder(searchedPath(record))
  return madeChunks(record).map(({ content, headings, row }) => ({ row, terms: termsOf(headings, content) }))
}
