// `cortex network compress|expand`: puts symbols in the place of chunks that the network has, and texts in the place of
// symbols. What compression saves is counted in tokens, and counted again for what is expanded later: anyone who reads a
// text that a symbol stands for pays for it then.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { MAX_DOCUMENT_BYTES, MAX_EXPANDED_BYTES } from "../../../domain/network/limits.ts"
import { parseSymbol } from "../../../domain/network/symbols/symbols.ts"
import { compress, type CompressionSymbol, type Measure } from "../../embedding/texts.ts"
import { repeatedFlag, textFlag } from "../../shared/flags.ts"
import { writeNewFile } from "../new-file.ts"
import { Format, refusedFlag } from "../../shared/options.ts"
import { answer, writeNotes, writeResult } from "../output.ts"
import { fieldLines, table } from "../../shared/terminal-text.ts"
import { readText } from "../text-file.ts"
import { depthFlag, lookupFlags, lookupOptions } from "./lookup-flags.ts"
import { configuredNetwork, warnOfAnswers, withNetwork } from "./open-network.ts"
import { TOKENIZER, tokenCounter } from "./token-count.ts"

const fileArgument = Argument.String("file").pipe(
  Argument.withDescription("the text, UTF-8; - is standard input")
)

const outFlag = textFlag("out", "FILE", "write the text to this new file").pipe(Flag.optional)

/** A symbol of the text with what it costs and saves. */
interface CountedSymbol extends Omit<CompressionSymbol, "content"> {
  readonly symbol_tokens: number
  readonly text_tokens: number
  /** While it is not expanded. */
  readonly saved: number
}

const counted = ({ content, hash, symbol, times }: CompressionSymbol, tokensOf: Measure): CountedSymbol => {
  const symbol_tokens = tokensOf(symbol)
  const text_tokens = tokensOf(content)
  return { symbol, hash, times, symbol_tokens, text_tokens, saved: times * (text_tokens - symbol_tokens) }
}

const sumOf = (symbols: ReadonlyArray<CountedSymbol>): number =>
  symbols.reduce((sum, { text_tokens }) => sum + text_tokens, 0)

/** Those of the text's symbols that are said to be expanded later, each once. */
const expandedOf = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  symbols: ReadonlyArray<CountedSymbol>
) {
  const expanded = new Set<CountedSymbol>()
  for (const name of names) {
    const parsed = yield* Effect.fromResult(parseSymbol(name))
    const found = symbols.find(({ hash }) => parsed.kind === "chunk" && hash.startsWith(parsed.prefix))
    if (found === undefined) {
      return yield* Effect.fail(refusedFlag("--expanded", `${name} is no symbol of the compressed text`))
    }
    expanded.add(found)
  }
  return [...expanded]
})

/** Tokens of what is read in the end: the compressed text and those texts that are expanded from it. */
const readTokens = (original: number, compressed: number, expanded: number) => ({
  tokens: compressed + expanded,
  saved: original - compressed - expanded
})

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? "0.0" : ((100 * part) / whole).toFixed(1)} %`

export const compressCommand = Command.make(
  "compress",
  {
    file: fileArgument,
    ...lookupFlags,
    expanded: repeatedFlag("expanded", "SYMBOL", "count what is saved when this symbol's text is read later"),
    out: outFlag
  },
  Effect.fnUntraced(function* ({ expanded: names, file, out, ...lookup }) {
    const text = yield* readText("file", file, {
      limit: MAX_DOCUMENT_BYTES,
      tooLarge: `the text is over ${MAX_DOCUMENT_BYTES} bytes: compress it in parts`
    })
    const { configuration } = yield* configuredNetwork
    const tokensOf = yield* tokenCounter
    const options = {
      ...lookupOptions(lookup),
      wholeHashes: configuration.compression?.symbol_format === "@C:{hash}",
      measure: tokensOf
    }
    const found = yield* withNetwork((network) =>
      Effect.gen(function* () {
        const compressed = yield* compress(network, file, text, options)
        // What cannot be had back is not handed out.
        const back = yield* network.expandSymbols(compressed.text, { ...lookupOptions(lookup), depth: 1 })
        if (back.text !== text)
          return yield* Effect.die(new Error("the compressed text expands to another text"))
        return compressed
      })
    )
    yield* warnOfAnswers(found.answers)
    const symbols = found.symbols.map((symbol) => counted(symbol, tokensOf))
    const chosen = yield* expandedOf(names, symbols)
    const path = Option.isSome(out) ? yield* writeNewFile("--out", out.value, found.text) : undefined
    const original = tokensOf(text)
    const compressed = tokensOf(found.text)
    const unexpanded = readTokens(original, compressed, 0)
    const later = readTokens(original, compressed, sumOf(chosen))
    const all = readTokens(original, compressed, sumOf(symbols))
    yield* answer({
      data: {
        tokenizer: TOKENIZER,
        original_tokens: original,
        compressed_tokens: compressed,
        saved_unexpanded: unexpanded.saved,
        expanded: { symbols: chosen.map(({ symbol }) => symbol), ...later },
        all_expanded: all,
        symbols,
        ...(path === undefined ? { text: found.text } : { file: path }),
        answers: found.answers,
        partial: found.partial
      },
      lines: () => [
        ...table(
          ["symbol", "times", "tokens of the text", "of the symbol", "saved"],
          symbols.map(({ saved, symbol, symbol_tokens, text_tokens, times }) =>
            [symbol, times, text_tokens, symbol_tokens, saved].map(String)
          )
        ),
        ...fieldLines([
          ["tokens before", `${original} (${TOKENIZER})`],
          ["tokens after", `${compressed}`],
          ["saved while nothing is expanded", `${unexpanded.saved} (${percent(unexpanded.saved, original)})`],
          [`saved with ${chosen.length} expanded`, `${later.saved} (${percent(later.saved, original)})`],
          [`saved with all ${symbols.length} expanded`, `${all.saved} (${percent(all.saved, original)})`],
          ...(path === undefined ? [] : ([["file", path]] as const))
        ])
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Replace chunks of a text that are in a cassette by their symbols, and report what that saves in tokens. Tokens are saved only as long as symbols stay symbols: a text that is read later costs its tokens then, so the report also counts the symbols given with --expanded, and all of them. The result is checked: network expand gives the text back byte for byte. A symbol is used only where it has fewer tokens than its text."
  ),
  Command.withShortDescription("replace known chunks of a text by symbols"),
  Command.withExamples([
    { command: "cortex network compress prompt.md --out prompt.short.md" },
    { command: "cortex network compress prompt.md --expanded @C:3f1c0a9be27d --format json" }
  ])
)

export const expandCommand = Command.make(
  "expand",
  { file: fileArgument, ...lookupFlags, depth: depthFlag, out: outFlag },
  Effect.fnUntraced(function* ({ depth, file, out, ...lookup }) {
    const text = yield* readText("file", file, {
      limit: MAX_EXPANDED_BYTES,
      tooLarge: `the text is over ${MAX_EXPANDED_BYTES} bytes: expand it in parts`
    })
    const found = yield* withNetwork((network) =>
      network.expandSymbols(text, { ...lookupOptions(lookup), depth: Option.getOrElse(depth, () => 1) })
    )
    yield* warnOfAnswers(found.answers)
    if (Option.isNone(out)) {
      return yield* (yield* Format) === "json"
        ? answer({ data: found, lines: () => [] })
        : writeResult(found.text)
    }
    const path = yield* writeNewFile("--out", out.value, found.text)
    const { text: _, ...data } = found
    yield* answer({ data: { ...data, file: path }, lines: () => [] })
    yield* writeNotes([`wrote ${path}`])
  })
).pipe(
  Command.withDescription(
    "Print a text with its symbols replaced by their texts: by one level, which gives back what network compress was given, unless --depth asks for more. Nothing is printed when a symbol names nothing, or several texts."
  ),
  Command.withShortDescription("replace the symbols of a text by their texts"),
  Command.withExamples([
    { command: "cortex network expand prompt.short.md --out prompt.md" },
    { command: "cortex network expand notes.md --depth 2" }
  ])
)
