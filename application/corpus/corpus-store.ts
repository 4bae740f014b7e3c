// The port to what the index holds: files with their sections and headings, and symbols. An adapter stores and finds
// rows; whether a row still fits its file is judged by the service above it.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CorpusStoreError } from "../../domain/corpus/errors.ts"
import type { CheckReport } from "../../domain/corpus/check-report.ts"
import type { Expansion } from "../../domain/corpus/expansion.ts"
import type { FileRow, HeadingRow, IndexedFile, SectionRow, SymbolRow } from "../../domain/corpus/rows.ts"
import type { Page } from "../../domain/foundation/page.ts"

type Stored<A> = Effect.Effect<A, CorpusStoreError>

/** A section with the headings that name it. */
export interface NamedSection extends SectionRow {
  readonly headings: ReadonlyArray<HeadingRow>
}

/** A file that is indexed; `isWhole` says that what the index holds of it is what was indexed. */
export interface KnownFile extends FileRow {
  readonly isWhole: boolean
}

/** The sections of a file that one name may mean; a whole file has exactly one. */
export interface TargetRows {
  readonly file: FileRow | undefined
  readonly sections: ReadonlyArray<{ readonly section: SectionRow; readonly line: number }>
}

/** Which sections to give; `after` is the last one that was seen. */
export interface SectionsPage {
  readonly path: string | undefined
  readonly limit: number
  readonly after: SectionRow | undefined
}

/** Port: the stored index of a corpus with its sections and symbols. */
export class CorpusStore extends Context.Service<
  CorpusStore,
  {
    /** True when nothing can be stored: what is found out about files is then kept for this process alone. */
    readonly readOnly: boolean
    /** Another number after every change of the index or the symbols, by whomever; undefined when it cannot be told. */
    readonly version: () => number | undefined
    readonly files: Stored<ReadonlyArray<KnownFile>>
    /** Paths of which something is indexed, but no file: only damage leaves such. */
    readonly strayPaths: Stored<ReadonlyArray<string>>
    /** Fails with `CorpusCorrupt` where what is indexed of the file is not what was indexed. */
    readonly target: (path: string, heading: string | null) => Stored<TargetRows>
    /** The section with this id, with the headings that name it. */
    readonly section: (sectionId: string) => Stored<NamedSection | undefined>
    /** Ids of sections in order, at most `limit`, from one on, which need not be there. */
    readonly sectionIds: (from: string, limit: number) => Stored<ReadonlyArray<string>>
    /** Sections of one file or of all, by path and place, at most `limit` behind the given one. */
    readonly sections: (page: SectionsPage) => Stored<ReadonlyArray<NamedSection>>
    /** Replaces and removes files with all their sections, in one transaction. */
    readonly update: (change: {
      readonly indexed: ReadonlyArray<IndexedFile>
      readonly removed: ReadonlyArray<string>
    }) => Stored<void>
    /** The symbol with this name. */
    readonly symbol: (symbolId: string) => Stored<SymbolRow | undefined>
    /** Symbols in order, at most `limit` behind the given one. */
    readonly symbols: (page: Page) => Stored<ReadonlyArray<SymbolRow>>
    /** Adds a symbol; gives the row that has its name already, if there is one. */
    readonly addSymbol: (symbol: SymbolRow) => Stored<SymbolRow | undefined>
    /** Judges the whole database from its own bytes. What is wrong is a finding, not an error. */
    readonly verify: Stored<CheckReport>
    /** The next expansion of a section in the database behind a row (from 0 on). */
    readonly expansionOf: (
      sectionId: string,
      after: number
    ) => Stored<(Expansion & { readonly row: number }) | undefined>
    /** True when there was such a symbol. */
    readonly removeSymbol: (symbolId: string) => Stored<boolean>
  }
>()("cortex-cassette/application/CorpusStore") {}
