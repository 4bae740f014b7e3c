// `cortex symbol add|list|show|remove`: the registry of symbols, without a look at what they mean now but for adding.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { SymbolRow } from "../../../domain/corpus/rows.ts"
import { textFlag } from "../../shared/flags.ts"
import { answer } from "../output.ts"
import { fieldLines, table } from "../../shared/terminal-text.ts"
import { withCorpus } from "./open-corpus.ts"
import { pageFlags, pageOf } from "./page-flags.ts"
import { readTarget, targetText } from "./symbol-target.ts"

const symbolArgument = Argument.String("symbol").pipe(
  Argument.withDescription("the symbol, such as @DOCS/readme")
)

const symbolLines = (symbol: SymbolRow): ReadonlyArray<string> =>
  fieldLines([
    ["symbol_id", symbol.symbol_id],
    ["target", targetText(symbol)],
    ["slice", symbol.slice ?? "none"]
  ])

export const addCommand = Command.make(
  "add",
  {
    symbol_id: symbolArgument,
    target: Argument.String("target").pipe(
      Argument.withDescription(
        "an indexed file relative to the root, and after # a heading path as section list shows it"
      )
    ),
    slice: textFlag("slice", "SLICE", "what is read by default, such as lines[0:80]").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ slice, symbol_id, target }) {
    const symbol = yield* withCorpus("append", (corpus) =>
      Effect.flatMap(readTarget(corpus, target), (named) =>
        corpus.addSymbol({ symbol_id, ...named, slice: Option.getOrUndefined(slice) })
      )
    )
    yield* answer({ data: symbol, lines: () => symbolLines(symbol) })
  })
).pipe(
  Command.withDescription(
    "Add a symbol for an indexed file, or for a heading in it, that is there now. Adding the same again changes nothing; a name is never given a second meaning."
  ),
  Command.withShortDescription("add a symbol"),
  Command.withExamples([
    { command: "cortex symbol add @DOCS/readme README.md" },
    { command: 'cortex symbol add @DOCS/install "docs/guide.md#Guide/Install" --slice "lines[0:40]"' }
  ])
)

export const listCommand = Command.make(
  "list",
  pageFlags("the symbol"),
  Effect.fnUntraced(function* (page) {
    const symbols = yield* withCorpus("read", (corpus) => corpus.symbols(pageOf(page)))
    yield* answer({
      data: { symbols },
      lines: () =>
        symbols.length === 0
          ? ["no symbols"]
          : table(
              ["symbol_id", "target", "slice"],
              symbols.map((symbol) => [symbol.symbol_id, targetText(symbol), symbol.slice ?? ""])
            )
    })
  })
).pipe(
  Command.withDescription("List symbols in order, with their targets and default slices."),
  Command.withShortDescription("list symbols"),
  Command.withExamples([{ command: "cortex symbol list" }])
)

export const showCommand = Command.make(
  "show",
  { symbol_id: symbolArgument },
  Effect.fnUntraced(function* ({ symbol_id }) {
    const symbol = yield* withCorpus("read", (corpus) => corpus.symbol(symbol_id))
    yield* answer({ data: symbol, lines: () => symbolLines(symbol) })
  })
).pipe(
  Command.withDescription("Show what a symbol names, whether or not that is there now."),
  Command.withShortDescription("show one symbol"),
  Command.withExamples([{ command: "cortex symbol show @DOCS/readme" }])
)

export const removeCommand = Command.make(
  "remove",
  { symbol_id: symbolArgument },
  Effect.fnUntraced(function* ({ symbol_id }) {
    yield* withCorpus("append", (corpus) => corpus.removeSymbol(symbol_id))
    yield* answer({ data: { symbol_id, removed: true }, lines: () => [`removed ${symbol_id}`] })
  })
).pipe(
  Command.withDescription("Remove a symbol. Files, sections and what was expanded stay."),
  Command.withShortDescription("remove a symbol"),
  Command.withExamples([{ command: "cortex symbol remove @DOCS/readme" }])
)
