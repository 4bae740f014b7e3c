// `cortex symbol check|resolve`: what symbols mean now. Resolving a symbol of the corpus gives place, hash and default slice,
// never text; a symbol of the cassette network is resolved there and gives its text.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { SymbolOptions } from "../../../application/network/symbols/symbol-questions.ts"
import { isMeantAsSymbol } from "../../../domain/network/symbols/symbols.ts"
import { findingCount, VerificationFailed } from "../../shared/failures.ts"
import { textFlags } from "../bounded-output.ts"
import { depthFlag, lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { Agent, Config } from "../network/network-flags.ts"
import { refusedFlag, switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { writePass } from "../verdict.ts"
import { resolveNetworkSymbol } from "./network-symbol.ts"
import { withCorpus } from "./open-corpus.ts"
import { MIN_SYMBOL_DIGITS, MAX_SYMBOL_DIGITS } from "../../../domain/network/limits.ts"
import { currentTarget } from "../../shared/current-target.ts"

/** What says something about symbols of the network alone. */
const networkFlags = {
  ...lookupFlags,
  depth: depthFlag.pipe(
    Flag.withDescription(
      "how many levels of symbols are looked up, at most max_expansion_depth of the configuration (default 1, with --expand the most)"
    )
  ),
  expand: switchFlag("expand", "replace symbols inside the text by their texts, through --depth levels"),
  ...textFlags
}

type NetworkFlags = Command.Command.Config.Infer<typeof networkFlags>

const optionsOf = ({ depth, expand, ...lookup }: NetworkFlags): SymbolOptions => ({
  ...lookupOptions(lookup),
  depth: Option.getOrUndefined(depth),
  expand: expand ? true : undefined
})

/** A flag that a symbol of the corpus has no use for. */
const useless = Effect.fnUntraced(function* ({
  cassettes,
  depth,
  expand,
  maxBytes,
  offset,
  strict
}: NetworkFlags) {
  const given: ReadonlyArray<readonly [string, boolean]> = [
    ["--cassette", cassettes.length > 0],
    ["--depth", Option.isSome(depth)],
    ["--expand", expand],
    ["--strict", strict],
    ["--max-bytes", Option.isSome(maxBytes)],
    ["--offset", offset > 0],
    ["--config", Option.isSome(yield* Config)],
    ["--agent", Option.isSome(yield* Agent)]
  ]
  return given.find(([, isGiven]) => isGiven)?.[0]
})

export const resolveCommand = Command.make(
  "resolve",
  {
    symbol_id: Argument.String("symbol").pipe(
      Argument.withDescription("a symbol such as @DOCS/readme, or one of the network such as @C:3f1c0a9be27d")
    ),
    ...networkFlags
  },
  Effect.fnUntraced(function* ({ symbol_id, ...flags }) {
    if (isMeantAsSymbol(symbol_id)) return yield* resolveNetworkSymbol(symbol_id, optionsOf(flags), flags)
    const flag = yield* useless(flags)
    if (flag !== undefined) {
      return yield* Effect.fail(
        refusedFlag(flag, `${symbol_id} is a symbol of the corpus: leave the flag out`)
      )
    }
    const target = yield* withCorpus("read", (corpus) => currentTarget(corpus, symbol_id))
    yield* answer({
      data: { symbol_id, ...target },
      lines: () =>
        fieldLines([
          ["path", target.path],
          ["heading", target.heading ?? "none, the whole file"],
          ["section_id", target.section_id],
          ["lines", `${target.line_start}:${target.line_end}`],
          ["section_content_hash", target.section_content_hash],
          ["default_slice", target.default_slice ?? "none"]
        ])
    })
  })
).pipe(
  Command.withDescription(
    `Resolve a symbol to the one section that it means now: path, heading, section id, hash and default slice, never text. A symbol of the cassette network, @C: (a chunk), @P: (a document of the type research) or @A: (a memory) and ${MIN_SYMBOL_DIGITS} to ${MAX_SYMBOL_DIGITS} digits of a hash, gives its text exactly, without an added line end; its places and the symbols in it go to standard error. Exits 1 when a symbol means none, or several.`
  ),
  Command.withShortDescription("resolve a symbol to its current section, or to its text in the network"),
  Command.withExamples([
    { command: "cortex symbol resolve @DOCS/readme --format json" },
    { command: "cortex symbol resolve @C:3f1c0a9be27d" },
    { command: "cortex symbol resolve @P:3f1c0a9be27d --expand --depth 2" }
  ]),
  Command.withGlobalFlags([Config, Agent])
)

export const checkCommand = Command.make(
  "check",
  {
    symbols: Argument.String("symbols").pipe(
      Argument.withDescription("the symbols to check (default: all)"),
      Argument.variadic()
    )
  },
  Effect.fnUntraced(function* ({ symbols }) {
    const report = yield* withCorpus("read", (corpus) =>
      corpus.checkSymbols(symbols.length === 0 ? undefined : symbols)
    )
    const { findings } = report
    if (report.verdict === "FAIL") {
      const message = `${findingCount(report)} symbol(s) mean no section, or several: ${findings[0]?.message}`
      return yield* Effect.fail(new VerificationFailed({ message, report, listed: findings }))
    }
    yield* writePass
    yield* answer({ data: report, lines: () => fieldLines([["symbols", `${report.counts["symbols"]}`]]) })
  })
).pipe(
  Command.withDescription(
    "Resolve symbols and report those that mean no section, or several: vanished files, missing or repeated headings, what is no text any more. Exits 0 on PASS and 1 on FAIL; the verdict and the findings go to standard error."
  ),
  Command.withShortDescription("find symbols whose target is gone"),
  Command.withExamples([
    { command: "cortex symbol check" },
    { command: "cortex symbol check @DOCS/readme @DOCS/install --format json" }
  ])
)
