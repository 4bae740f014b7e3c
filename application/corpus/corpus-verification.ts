// Judges the corpus: the database by its own bytes, then what counts as unchanged against the files below the root, and
// the expansions of sections that still stand against their texts. A file that is not there, or has changed, says nothing.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { CheckFindings, type CheckReport } from "../../domain/corpus/check-report.ts"
import type { CorpusStoreError, FileReadError } from "../../domain/corpus/errors.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import { isUnchanged } from "../../domain/corpus/freshness.ts"
import type { IndexedFile, SectionRow } from "../../domain/corpus/rows.ts"
import { cutSlice, parseSlice } from "../../domain/corpus/slice.ts"
import { CorpusFiles } from "./corpus-files.ts"
import { CorpusStore, type KnownFile } from "./corpus-store.ts"
import { ExpansionCache } from "./expansion-cache.ts"

/** The index as verifying needs it. */
interface Texts {
  readonly readFile: (path: string) => Effect.Effect<IndexedFile, FileReadError>
  /** The section's text now, as UTF-8. */
  readonly bytesOf: (section: SectionRow) => Effect.Effect<Uint8Array, FileReadError>
}

/** Builds the verification over the ports in the context. */
export const makeCorpusVerification = Effect.fnUntraced(function* ({ bytesOf, readFile }: Texts) {
  const files = yield* CorpusFiles
  const store = yield* CorpusStore
  const cache = yield* ExpansionCache

  /** Compares the expansions of a section with what its text gives; the text is read when the first is met. */
  const checkSection = Effect.fnUntraced(function* (
    list: CheckFindings,
    section: SectionRow
  ): Effect.fn.Return<void, CorpusStoreError | FileReadError> {
    let text: Uint8Array | undefined
    for (let after = 0; ;) {
      const expansion = yield* store.expansionOf(section.section_id, after)
      if (expansion === undefined || expansion.row <= after) return
      after = expansion.row
      text ??= yield* bytesOf(section)
      const bytes = text
      const piece = Result.flatMap(parseSlice(expansion.slice), (slice) => cutSlice(bytes, slice))
      if (Result.isSuccess(piece) && textOfUtf8(piece.success) === expansion.payload) continue
      list.add(
        "EXPANSION_DIFFERS",
        `expansions row ${expansion.row}`,
        `${section.path} gives another text for ${expansion.slice}`
      )
    }
  })

  const checkFile = Effect.fnUntraced(function* (
    list: CheckFindings,
    known: KnownFile
  ): Effect.fn.Return<void, CorpusStoreError | FileReadError> {
    const { content_hash, path } = known
    const now = yield* readFile(path)
    if (now.file.content_hash === content_hash) {
      for (const section of now.sections) yield* checkSection(list, section)
      return
    }
    if (!isUnchanged(known, now.file)) return
    list.add(
      "DOCUMENT_DIFFERS",
      `files ${path}`,
      "its size and times are those that were indexed, its text is not: look at the file, save it again and run cortex index"
    )
  })

  const checkDocuments = Effect.fnUntraced(function* (
    list: CheckFindings
  ): Effect.fn.Return<void, CorpusStoreError> {
    for (const file of yield* store.files) {
      if (!file.isWhole || files.stat(file.path) === undefined) continue
      yield* checkFile(list, file).pipe(
        // Between looking and reading it was changed or taken away, and says nothing any more.
        Effect.catchTags({
          FileChanged: () => Effect.void,
          FileTooLarge: () => Effect.void,
          FileUnreadable: () => Effect.void,
          NotAFile: () => Effect.void,
          NotText: () => Effect.void,
          PathOutsideRoot: () => Effect.void,
          TargetVanished: () => Effect.void
        })
      )
      yield* Effect.yieldNow
    }
  })

  return Effect.fnUntraced(function* (
    documents: boolean
  ): Effect.fn.Return<CheckReport, ExpansionCacheError> {
    const list = new CheckFindings()
    const database = yield* store.verify
    list.include(database)
    const counts = { ...database.counts }
    if (cache.substrate === "jsonl") {
      const lines = yield* cache.verify
      list.include(lines)
      counts["expansions"] = (counts["expansions"] ?? 0) + (lines.counts["expansions"] ?? 0)
    }
    // What the database says of documents counts only where it is sound.
    if (documents && database.verdict === "PASS") yield* checkDocuments(list)
    return list.reportOver(counts)
  })
})
