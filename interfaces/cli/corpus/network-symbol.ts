// `cortex symbol resolve @C:…`: the text that a symbol of the cassette network names, exactly as it is, on standard output;
// where it stands and which symbols it holds on standard error. The network is loaded for such symbols alone.
import * as Effect from "effect/Effect"
import type { NestedSymbol } from "../../../application/network/symbols/symbol-resolution.ts"
import type { SymbolOptions } from "../../../application/network/symbols/symbol-questions.ts"
import { parseSymbol } from "../../../domain/network/symbols/symbols.ts"
import { answerText, type TextBounds } from "../bounded-output.ts"
import { writeNotes } from "../output.ts"
import { printable } from "../../shared/terminal-text.ts"

const nestedLine = ({ hash, level, symbol }: NestedSymbol): string =>
  hash === null ? `holds ${symbol}, not looked up` : `holds ${symbol} (level ${level})`

/** Resolves a symbol of the network and prints its text. */
export const resolveNetworkSymbol = Effect.fnUntraced(function* (
  symbol: string,
  options: SymbolOptions,
  bounds: TextBounds
) {
  // What is no symbol is none in any network, so none is opened.
  yield* Effect.fromResult(parseSymbol(symbol))
  const { warnOfAnswers, withNetwork } = yield* Effect.promise(() => import("../network/open-network.ts"))
  const found = yield* withNetwork((network) => network.resolveSymbol(symbol, options))
  yield* warnOfAnswers(found.answers)
  yield* answerText(found, "content", bounds)
  yield* writeNotes([
    ...found.places.map(
      ({ heading_path, path, source }) =>
        `[${found.kind}] ${printable([path, ...heading_path].join(" > "))}  [${source}]`
    ),
    ...(found.place_count > found.places.length
      ? [`and ${found.place_count - found.places.length} more places`]
      : []),
    ...found.symbols.map(nestedLine)
  ])
})
