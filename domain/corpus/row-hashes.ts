// The hashes that rows of the corpus database carry of themselves, so that a row which was changed behind the program's
// back is known by itself. Each is a SHA-256 over a canonical array (`jcs/1`). Source: docs/spec/corpus.md, "Database".
import * as Result from "effect/Result"
import { jcs } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import type { Expansion } from "./expansion.ts"
import type { IndexedFile, SymbolRow } from "./rows.ts"

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** The hash of a list; empty, which no row carries, for damage that has no canonical text. */
const hashOf = (sha256: Sha256, fields: ReadonlyArray<unknown>): string =>
  Result.match(jcs(fields), { onFailure: () => "", onSuccess: sha256 })

/** The hash of everything that the index holds of one file: its row, its sections and its headings. */
export const indexHash = (sha256: Sha256, { file, headings, sections }: IndexedFile): string =>
  hashOf(sha256, [
    "corpus/file/1",
    file.path,
    file.size,
    file.mtime_ns,
    file.ctime_ns,
    file.inode,
    file.hashed_at_ms,
    file.content_hash,
    file.line_count,
    sections
      .toSorted((left, right) => byText(left.section_id, right.section_id))
      .map((each) => [each.section_id, each.path, each.line_start, each.line_end, each.content_hash]),
    headings
      .toSorted((left, right) => left.line - right.line)
      .map((each) => [each.path, each.line, each.level, each.heading, each.section_id])
  ])

/** The hash of a symbol and what it names. */
export const symbolHash = (sha256: Sha256, { heading, path, slice, symbol_id }: SymbolRow): string =>
  hashOf(sha256, ["corpus/symbol/1", symbol_id, path, heading, slice])

/** The hash of all nine fields of an expansion; its text counts by its own hash. */
export const expansionHash = (sha256: Sha256, expansion: Expansion): string =>
  hashOf(sha256, [
    "corpus/expansion/1",
    expansion.run_id,
    expansion.symbol_id,
    expansion.slice,
    expansion.section_id,
    expansion.section_content_hash,
    expansion.payload_hash,
    expansion.bytes_expanded,
    expansion.created_at
  ])
