// What there is to read: the symbols and the sections of the corpus, page by page, so that a model that knows no name can
// begin. A search looks at a bounded number of entries in one call and says where to go on.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CorpusShape } from "../../../application/corpus/corpus.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { CorpusPath } from "../../../domain/corpus/symbols.ts"
import { DEFAULT_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { CorpusAccess } from "../corpus-access.ts"
import { agentTool, argument, reads, textArgument } from "./tool.ts"

/** How many entries a call gives by default and at most, how many it fetches at once, and how many it looks at. */
const DEFAULT_ENTRIES = 50
const MAX_ENTRIES = 1_000
const PAGE_ENTRIES = 1_000
const MAX_SEEN_ENTRIES = 20_000

const Entry = Schema.Struct({
  /** The symbol, or the section's id. */
  id: Schema.String,
  path: Schema.String,
  heading: Schema.NullOr(Schema.String),
  slice: Schema.optionalKey(Schema.NullOr(Schema.String)),
  line_start: Schema.optionalKey(Schema.Int),
  line_end: Schema.optionalKey(Schema.Int)
})
type Entry = typeof Entry.Type

interface PageOf {
  readonly after?: string
  readonly limit: number
}

const symbolsOf = (corpus: CorpusShape) => (page: PageOf) =>
  Effect.map(corpus.symbols(page), (rows) =>
    rows.map(({ heading, path, slice, symbol_id }): Entry => ({ id: symbol_id, path, heading, slice }))
  )

const sectionsOf = (corpus: CorpusShape, path: string | undefined) => (page: PageOf) =>
  Effect.map(corpus.sections({ ...page, ...(path === undefined ? {} : { path }) }), (rows) =>
    rows.map(({ headings, line_end, line_start, path, section_id }): Entry => ({
      id: section_id,
      path,
      heading: headings.map(({ heading }) => heading).join("; ") || null,
      line_start,
      line_end
    }))
  )

/** Entries that fit, in order, and the id behind which to go on; null at the end. */
const found = Effect.fnUntraced(function* <E>(
  pageOf: (page: PageOf) => Effect.Effect<ReadonlyArray<Entry>, E>,
  fits: (entry: Entry) => boolean,
  limit: number,
  begin: string | undefined
): Effect.fn.Return<{ readonly entries: ReadonlyArray<Entry>; readonly next_after: string | null }, E> {
  const entries: Array<Entry> = []
  let after = begin
  for (let seen = 0; seen < MAX_SEEN_ENTRIES; seen += PAGE_ENTRIES) {
    const page: ReadonlyArray<Entry> = yield* pageOf({
      limit: PAGE_ENTRIES,
      ...(after === undefined ? {} : { after })
    })
    for (const entry of page) {
      if (entries.length === limit) return { entries, next_after: after ?? null }
      if (fits(entry)) entries.push(entry)
      after = entry.id
    }
    if (page.length < PAGE_ENTRIES) return { entries, next_after: null }
  }
  return { entries, next_after: after ?? null }
})

export const corpusList = agentTool({
  name: "corpus_list",
  title: "List what there is to read",
  description:
    "List the symbols of the corpus, or its sections (files, and Markdown cut at its headings). Begin here when you know no name; read what you find with corpus_resolve.",
  hints: reads,
  defaultBytes: DEFAULT_ANSWER_BYTES,
  input: {
    kind: argument(Schema.Literals(["symbols", "sections"]), "what to list"),
    prefix: Schema.optionalKey(textArgument("only symbols, or paths of sections, that begin so", "docs/")),
    query: Schema.optionalKey(
      textArgument("only those with this in their id, path or heading, in any case", "install")
    ),
    path: Schema.optionalKey(argument(CorpusPath, "only sections of this file")),
    limit: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_ENTRIES })),
        `at most so many (default ${DEFAULT_ENTRIES})`
      )
    ),
    after: Schema.optionalKey(argument(Identifier, "go on behind this: next_after of another answer"))
  },
  data: Schema.Struct({ entries: Schema.Array(Entry), next_after: Schema.NullOr(Schema.String) }),
  goesOn: {
    field: "entries",
    next: (_input, shown) => ({ after: (shown as ReadonlyArray<Entry>).at(-1)?.id })
  },
  run: ({ after, kind, limit = DEFAULT_ENTRIES, path, prefix = "", query = "" }) =>
    Effect.gen(function* () {
      const { corpus } = yield* CorpusAccess.use(({ open }) => open)
      const wanted = query.toLowerCase()
      const fits = (entry: Entry): boolean =>
        (kind === "symbols" ? entry.id : entry.path).startsWith(prefix) &&
        `${entry.id}\n${entry.path}\n${entry.heading ?? ""}`.toLowerCase().includes(wanted)
      const pageOf = kind === "symbols" ? symbolsOf(corpus) : sectionsOf(corpus, path)
      return yield* found(pageOf, fits, limit, after)
    })
})
