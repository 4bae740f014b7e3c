// Cuts a file's text into sections: the whole file, and in Markdown what belongs to each heading. A section's id
// follows from its place and its text alone, so that everybody who has the file computes the same. Where a heading's
// section is the whole file there is one section with two names.
import type { Sha256, Sha256OfBytes } from "../canonical/sha256.ts"
import { type Heading, headingPaths, sectionEnds } from "./headings.ts"
import type { FileStat, IndexedFile, SectionRow } from "./rows.ts"
import { countLines, lineStarts } from "./text.ts"

/** The id of a section (`sha256` over `path:line_start:line_end:content_hash`). */
export const sectionId = (sha256: Sha256, section: Omit<SectionRow, "section_id">): string =>
  sha256(`${section.path}:${section.line_start}:${section.line_end}:${section.content_hash}`)

/** A text that was read, with what it takes to recognise it again. */
export interface ReadText {
  readonly path: string
  readonly stat: FileStat
  readonly hashed_at_ms: number
  /** Normalised. */
  readonly text: Uint8Array
}

export interface Hashes {
  readonly sha256: Sha256
  readonly sha256OfBytes: Sha256OfBytes
}

/** Everything that the index holds of a text. */
export const cutSections = (
  { sha256, sha256OfBytes }: Hashes,
  { hashed_at_ms, path, stat, text }: ReadText,
  headings: ReadonlyArray<Heading>
): IndexedFile => {
  const starts = headings.length === 0 ? [] : lineStarts(text)
  const line_count = headings.length === 0 ? countLines(text) : starts.length - 1
  const content_hash = sha256OfBytes(text)
  const section = (line_start: number, line_end: number): SectionRow => {
    const whole = line_start === 0 && line_end === line_count
    const place = {
      path,
      line_start,
      line_end,
      content_hash: whole ? content_hash : sha256OfBytes(text.subarray(starts[line_start], starts[line_end]))
    }
    return { section_id: sectionId(sha256, place), ...place }
  }
  const whole = section(0, line_count)
  const paths = headingPaths(headings)
  const ends = sectionEnds(headings, line_count)
  const cut = headings.map(({ level, line }, index) => ({
    section: section(line, ends[index]!),
    line,
    level,
    heading: paths[index]!
  }))
  return {
    file: { path, ...stat, hashed_at_ms, content_hash, line_count },
    sections: [
      whole,
      ...cut.map(({ section }) => section).filter((each) => each.section_id !== whole.section_id)
    ],
    headings: cut.map(({ heading, level, line, section: { section_id } }) => ({
      path,
      line,
      level,
      heading,
      section_id
    }))
  }
}
