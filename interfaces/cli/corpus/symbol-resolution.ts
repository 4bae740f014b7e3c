// `cortex symbol check|resolve`: what symbols mean now. Resolving gives place, hash and default slice, never text.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { findingCount, VerificationFailed } from "../failures.ts"
import { Host } from "../host.ts"
import { refusedFlag } from "../options.ts"
import { answer, writeNotes } from "../output.ts"
import { fieldLines } from "../printable.ts"
import { verdictLine } from "../verdict.ts"
import { withCorpus } from "./open-corpus.ts"
import { symbolArgument } from "./symbol-registry.ts"

/** Pointers into a network of cassettes are spelled so. */
const networkPointer = /^@[CPA]:/

export const resolveCommand = Command.make(
  "resolve",
  { symbol_id: symbolArgument },
  Effect.fnUntraced(function* ({ symbol_id }) {
    if (networkPointer.test(symbol_id)) {
      return yield* Effect.fail(
        refusedFlag("symbol", `${symbol_id} points into a cassette network, and none is open: name a symbol`)
      )
    }
    const section = yield* withCorpus("read", (corpus) =>
      Effect.andThen(corpus.symbol(symbol_id), corpus.currentSection(symbol_id))
    )
    const { content_hash, heading, line_end, line_start, path, section_id, slice } = section
    yield* answer({
      data: {
        symbol_id,
        path,
        heading,
        section_id,
        line_start,
        line_end,
        section_content_hash: content_hash,
        default_slice: slice
      },
      lines: () =>
        fieldLines([
          ["path", path],
          ["heading", heading ?? "none, the whole file"],
          ["section_id", section_id],
          ["lines", `${line_start}:${line_end}`],
          ["section_content_hash", content_hash],
          ["default_slice", slice ?? "none"]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Resolve a symbol to the one section that it means now: path, heading, section id, hash and default slice, never text. Exits 1 when it means none, or several."
  ),
  Command.withShortDescription("resolve a symbol to its current section"),
  Command.withExamples([{ command: "cortex symbol resolve @DOCS/readme --format json" }])
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
    yield* writeNotes([verdictLine(yield* Host, 0)])
    yield* answer({ data: report, lines: () => fieldLines([["symbols", `${report.counts["symbols"]}`]]) })
  })
).pipe(
  Command.withDescription(
    "Resolve symbols and report those that mean no section, or several: vanished files, missing or repeated headings, what is no text any more. Exits 0 on PASS and 1 on FAIL; the verdict and the findings go to standard error."
  ),
  Command.withShortDescription("find symbols that mean nothing now"),
  Command.withExamples([
    { command: "cortex symbol check" },
    { command: "cortex symbol check @DOCS/readme @DOCS/install --format json" }
  ])
)
