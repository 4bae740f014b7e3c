// The corpus as one service: what may be read is indexed, cut into sections and named by symbols, and every name is
// resolved to what it means now. Errors are typed; nothing here writes to a file below the root.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import { type CheckFinding, CheckFindings, type CheckReport } from "../../domain/corpus/check-report.ts"
import {
  type CorpusClosed,
  type CorpusStoreError,
  type FileReadError,
  SectionNotFound,
  SymbolExists,
  SymbolNotFound
} from "../../domain/corpus/errors.ts"
import {
  type FileUnreadable,
  type NotAFile,
  type PathOutsideRoot
} from "../../domain/foundation/root-files.ts"
import type { IndexReport } from "../../domain/corpus/index-report.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import type { SectionRow, SymbolRow } from "../../domain/corpus/rows.ts"
import { type InvalidSlice, parseSlice, sliceText } from "../../domain/corpus/slice.ts"
import { AddSymbol, ListSections, Reference, SectionId, SymbolId } from "../../domain/corpus/symbols.ts"
import { type AmbiguousPrefix, errorCode, type InvalidInput } from "../../domain/foundation/errors.ts"
import { IDS_OF_PREFIX, idOfPrefix } from "../../domain/foundation/id-prefix.ts"
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS, PageOptions, preparePage } from "../../domain/foundation/page.ts"
import type { Hashing } from "../foundation/hashing.ts"
import { copyOf, decodeInput, onArguments } from "../foundation/input.ts"
import type { CorpusFiles } from "./corpus-files.ts"
import { CorpusStore, type NamedSection } from "./corpus-store.ts"
import { type CurrentSection, type CurrentSectionError, makeCurrentSections } from "./current-sections.ts"
import { type CacheStats, ExpansionCache } from "./expansion-cache.ts"
import { type IndexOptions, makeIndexing } from "./indexing.ts"
import { makeCorpusVerification } from "./corpus-verification.ts"
import type { Markdown } from "./markdown.ts"
import {
  makeResolving,
  type Measured,
  type MeasureError,
  type MeasureRequest,
  type Resolved,
  type ResolveError,
  type ResolveRequest
} from "./resolving.ts"
import { traced } from "../foundation/telemetry.ts"

/** The operations of a corpus. Line numbers count from 0, and the end of a range is not in it. */
export interface CorpusShape {
  /** Indexes the files that the options name, the whole root by default; what cannot be taken is in the report. */
  readonly index: (
    options?: IndexOptions
  ) => Effect.Effect<
    IndexReport,
    CorpusStoreError | FileUnreadable | InvalidInput | NotAFile | PathOutsideRoot
  >
  /** A page of the indexed sections, of one file or of all, as the last indexing or reading left them. */
  readonly sections: (
    options?: ListSections
  ) => Effect.Effect<ReadonlyArray<NamedSection>, CorpusStoreError | InvalidInput | SectionNotFound>
  /** One section that is current, with the headings that name it. */
  readonly section: (sectionId: string) => Effect.Effect<NamedSection, CurrentSectionError | InvalidInput>
  /** The id of the indexed section that begins with the given text; when several begin so, `AmbiguousPrefix` names them. */
  readonly sectionIdOf: (
    prefix: string
  ) => Effect.Effect<string, AmbiguousPrefix | CorpusStoreError | InvalidInput | SectionNotFound>
  /** Adds a symbol whose target is there now; adding the same again changes nothing. */
  readonly addSymbol: (
    symbol: AddSymbol
  ) => Effect.Effect<SymbolRow, CurrentSectionError | InvalidInput | InvalidSlice | SymbolExists>
  /** A page of the symbols in order. */
  readonly symbols: (
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<SymbolRow>, CorpusStoreError | InvalidInput>
  /** One symbol with its target and default slice, whether or not the target is there now. */
  readonly symbol: (
    symbolId: string
  ) => Effect.Effect<SymbolRow, CorpusStoreError | InvalidInput | SymbolNotFound>
  /** Removes a symbol. Files, sections and what was expanded stay. */
  readonly removeSymbol: (
    symbolId: string
  ) => Effect.Effect<void, CorpusStoreError | InvalidInput | SymbolNotFound>
  /** Resolves the given symbols, or all, and reports those that mean no section or several. */
  readonly checkSymbols: (
    symbolIds?: ReadonlyArray<string>
  ) => Effect.Effect<CheckReport, CorpusStoreError | InvalidInput>
  /** The one section that a symbol or section id means now; an unchanged file is not read for it. */
  readonly currentSection: (
    reference: string
  ) => Effect.Effect<CurrentSection, CurrentSectionError | InvalidInput>
  /** A section's text, read now; `FileChanged` when it is no longer the text that its hash names. */
  readonly sectionText: (
    section: SectionRow
  ) => Effect.Effect<string, CorpusClosed | FileReadError | InvalidInput>
  /** The text that a reference and a slice mean now: expanded once in a run, and given out again ever after. */
  readonly resolve: (request: ResolveRequest) => Effect.Effect<Resolved, ResolveError>
  /** What references and slices would give now, in their order; nothing is expanded and no cache is asked. */
  readonly measure: (
    requests: ReadonlyArray<MeasureRequest>
  ) => Effect.Effect<ReadonlyArray<Measured>, MeasureError>
  /** How much was expanded, and where it is kept. */
  readonly cacheStats: Effect.Effect<CacheStats, ExpansionCacheError>
  /**
   * Judges the whole database, the expansions wherever they are kept, and what counts as unchanged against the files
   * below the root; what is wrong is a finding, not an error. `documents: false` leaves the files unread.
   */
  readonly verify: (options?: {
    readonly documents?: boolean | undefined
  }) => Effect.Effect<CheckReport, ExpansionCacheError | InvalidInput>
  /** Looks at every expansion; what is wrong is a finding, not an error. */
  readonly verifyCache: Effect.Effect<CheckReport, ExpansionCacheError>
}

const decodePage = decodeInput(PageOptions, preparePage)
const decodeReference = decodeInput(Reference, Result.succeed)
const decodeSectionId = decodeInput(SectionId, Result.succeed)
const decodePrefix = decodeInput(Identifier, Result.succeed)
const decodeSections = decodeInput(ListSections, Result.succeed)
const decodeSymbolId = decodeInput(SymbolId, Result.succeed)
const decodeSymbolIds = decodeInput(Schema.Array(SymbolId), Result.succeed)
const decodeVerify = decodeInput(
  Schema.Struct({ documents: Schema.optional(Schema.Boolean) }),
  Result.succeed
)
const decodeSymbol = decodeInput(AddSymbol, Result.succeed)

const isSame = (left: SymbolRow, right: SymbolRow): boolean =>
  left.path === right.path && left.heading === right.heading && left.slice === right.slice

/** What a failed resolution says about a symbol; trouble with the store itself is none of its findings. */
const findingOf = (
  where: string,
  error: CurrentSectionError
): Effect.Effect<CheckFinding, CorpusStoreError> => {
  switch (error._tag) {
    case "CorpusClosed":
    case "CorpusCorrupt":
    case "InvariantViolation":
    case "NotACorpus":
    case "ReadOnlyStore":
    case "StorageFailure":
    case "StorageFull":
    case "StoreBusy":
      return Effect.fail(error)
    default:
      return Effect.succeed({ code: errorCode(error), where, message: error.message })
  }
}

const make = Effect.gen(function* () {
  const store = yield* CorpusStore
  const current = yield* makeCurrentSections
  const cache = yield* ExpansionCache
  const index = yield* makeIndexing(current.readFile)
  const { measure, resolve } = yield* makeResolving(current)
  const verify = yield* makeCorpusVerification(current)

  const section = traced("cassette.corpus.section")(function* (sectionId: string) {
    yield* Effect.fromResult(decodeSectionId(sectionId))
    yield* current.ofReference(sectionId)
    const found = yield* store.section(sectionId)
    return found ?? (yield* new SectionNotFound({ section_id: sectionId }))
  })

  const sectionIdOf = traced("cassette.corpus.sectionIdOf")(function* (given: string) {
    const prefix = yield* Effect.fromResult(decodePrefix(given))
    const id = yield* Effect.fromResult(idOfPrefix(prefix, yield* store.sectionIds(prefix, IDS_OF_PREFIX)))
    return id ?? (yield* new SectionNotFound({ section_id: prefix }))
  })

  const addSymbol = traced("cassette.corpus.addSymbol")(function* (input: AddSymbol) {
    const { heading = null, path, slice, symbol_id } = yield* Effect.fromResult(decodeSymbol(input))
    const row = {
      symbol_id,
      path,
      heading,
      slice: slice === undefined ? null : sliceText(yield* Effect.fromResult(parseSlice(slice)))
    }
    yield* current.ofTarget(path, heading)
    const standing = yield* store.addSymbol(row)
    return standing === undefined || isSame(standing, row) ? row : yield* new SymbolExists(standing)
  })

  const sections = traced("cassette.corpus.sections")(function* (options: ListSections = {}) {
    const { after, limit = DEFAULT_PAGE_ROWS, path } = yield* Effect.fromResult(decodeSections(options))
    const seen = after === undefined ? undefined : yield* store.section(after)
    if (after !== undefined && seen === undefined) return yield* new SectionNotFound({ section_id: after })
    return yield* store.sections({ path, limit, after: seen })
  })

  const symbols = traced("cassette.corpus.symbols")(function* (page: PageOptions = {}) {
    return yield* store.symbols(yield* Effect.fromResult(decodePage(page)))
  })

  const symbol = traced("cassette.corpus.symbol")(function* (symbolId: string) {
    const symbol_id = yield* Effect.fromResult(decodeSymbolId(symbolId))
    return (yield* store.symbol(symbol_id)) ?? (yield* new SymbolNotFound({ symbol_id }))
  })

  const removeSymbol = traced("cassette.corpus.removeSymbol")(function* (symbolId: string) {
    const symbol_id = yield* Effect.fromResult(decodeSymbolId(symbolId))
    if (!(yield* store.removeSymbol(symbol_id))) return yield* new SymbolNotFound({ symbol_id })
  })

  const everySymbol = Effect.gen(function* () {
    const ids: Array<string> = []
    for (let isMore = true; isMore;) {
      const page = yield* store.symbols({ limit: MAX_PAGE_ROWS, after: ids.at(-1) ?? "" })
      for (const { symbol_id } of page) ids.push(symbol_id)
      isMore = page.length === MAX_PAGE_ROWS
    }
    return ids
  })

  const checkSymbols = traced("cassette.corpus.checkSymbols")(function* (symbolIds?: ReadonlyArray<string>) {
    const ids =
      symbolIds === undefined ? yield* everySymbol : yield* Effect.fromResult(decodeSymbolIds(symbolIds))
    const list = new CheckFindings()
    for (const id of ids) {
      const result = yield* Effect.result(current.ofReference(id))
      if (Result.isFailure(result)) list.addAll([yield* findingOf(id, result.failure)])
    }
    return list.reportOver({ symbols: ids.length })
  })

  const shape: CorpusShape = {
    index: (options = {}) =>
      Effect.flatMap(Effect.fromResult(copyOf(options)), index).pipe(
        Effect.withSpan("cassette.corpus.index")
      ),
    sections,
    section,
    sectionIdOf,
    addSymbol,
    symbols,
    symbol,
    removeSymbol,
    checkSymbols,
    currentSection: Effect.fnUntraced(function* (reference) {
      return yield* current.ofReference(yield* Effect.fromResult(decodeReference(reference)))
    }),
    sectionText: Effect.fnUntraced(function* (section) {
      const { content_hash, path } = yield* Effect.fromResult(copyOf(section))
      return yield* onArguments({ texts: { content_hash, path } }, () =>
        Effect.map(current.bytesOf({ ...section, content_hash, path }), textOfUtf8)
      )
    }),
    resolve,
    measure,
    verify: (options = {}) =>
      Effect.flatMap(Effect.fromResult(decodeVerify(options)), ({ documents = true }) =>
        verify(documents)
      ).pipe(Effect.withSpan("cassette.corpus.verify")),
    cacheStats: cache.stats,
    verifyCache: cache.verify
  }
  return shape
})

/** A folder of texts, indexed by file and heading, from which bounded slices are read. */
export class Corpus extends Context.Service<Corpus, CorpusShape>()("cortex-cassette/application/Corpus") {
  /** The service over its ports. */
  static readonly layerNoDeps: Layer.Layer<
    Corpus,
    never,
    CorpusFiles | CorpusStore | ExpansionCache | Hashing | Markdown
  > = Layer.effect(Corpus, make)
}
