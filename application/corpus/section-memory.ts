// What references were found to mean, kept in the process so that asking again costs one stat and one look at whether
// the database has changed. It never outlives a change of either: an entry is used only with the very version and stat
// that it was made with.
import { sameStat } from "../../domain/corpus/freshness.ts"
import type { FileRow } from "../../domain/corpus/rows.ts"
import type { CorpusFiles } from "./corpus-files.ts"
import type { CorpusStore } from "./corpus-store.ts"

/** How many references are kept; when there are more, all are forgotten. */
const MAX_ENTRIES = 10_000

interface Entry<A> {
  readonly version: number
  readonly file: FileRow
  readonly value: A
}

export interface SectionMemory<A extends { readonly path: string }> {
  /** What the reference means, if nothing can have changed since it was kept. */
  readonly recall: (reference: string) => A | undefined
  /** Keeps what a reference means; `version` was read before, and the file's stat proves its text unchanged. */
  readonly keep: (reference: string, entry: Entry<A>) => void
}

/** An empty memory over a store and the files. */
export const makeSectionMemory = <A extends { readonly path: string }>(
  store: Pick<CorpusStore["Service"], "version">,
  files: Pick<CorpusFiles["Service"], "stat">
): SectionMemory<A> => {
  const entries = new Map<string, Entry<A>>()
  return {
    recall: (reference) => {
      const entry = entries.get(reference)
      if (entry === undefined || store.version() !== entry.version) return undefined
      const stat = files.stat(entry.value.path)
      return stat !== undefined && sameStat(entry.file, stat) ? entry.value : undefined
    },
    keep: (reference, entry) => {
      if (entries.size >= MAX_ENTRIES) entries.clear()
      entries.set(reference, entry)
    }
  }
}
