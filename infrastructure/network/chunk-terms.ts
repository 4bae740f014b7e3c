// The terms under which the index keeps a chunk: of its document's path, of the headings above it, and of its text. The
// identifiers of a path count with the path, all others by themselves.
import type { ChunkTerms } from "../../domain/network/term-counts.ts"
import { termTexts } from "../../domain/network/words.ts"
import { englishStem } from "./english-stems.ts"

const joined = (left: string, right: string): string =>
  left === "" || right === "" ? left + right : `${left} ${right}`

/** The terms of a chunk. */
export const termsOf = (path: string, headings: ReadonlyArray<string>, content: string): ChunkTerms => {
  const ofPath = termTexts(path, englishStem)
  const heading = termTexts(headings.join("\n"), englishStem)
  const body = termTexts(content, englishStem)
  return {
    path: joined(ofPath.sequence, ofPath.identifiers),
    heading: heading.sequence,
    body: body.sequence,
    identifiers: joined(heading.identifiers, body.identifiers)
  }
}
