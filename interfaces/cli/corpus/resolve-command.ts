// `cortex resolve`: the text of one bounded slice, exactly as it is, on standard output; how it was come by on standard
// error. A refusal leaves standard output empty.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { runIdFlag, textFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { answerText, textFlags } from "../bounded-output.ts"
import { writeNotes } from "../output.ts"
import { cacheFlag } from "./cache-flag.ts"
import { corpusFlags, withCorpus } from "./open-corpus.ts"

export const resolveCommand: CommandGroup<"resolve"> = Command.make(
  "resolve",
  {
    reference: Argument.String("reference").pipe(
      Argument.withDescription("a symbol such as @DOCS/readme, or the id of a section")
    ),
    slice: textFlag(
      "slice",
      "SLICE",
      "lines[a:b], chars[a:b], head(n) or tail(n); a symbol may have one by default"
    ).pipe(Flag.optional),
    run_id: runIdFlag.pipe(Flag.withDescription("the run that reads: each run expands a text once")),
    cache: cacheFlag,
    ...textFlags
  },
  Effect.fnUntraced(function* ({ cache, maxBytes, offset, reference, run_id, slice }) {
    const resolved = yield* withCorpus(
      "append",
      (corpus) => corpus.resolve({ symbol_id: reference, run_id, slice: Option.getOrUndefined(slice) }),
      cache
    )
    yield* answerText(resolved, "payload", { maxBytes, offset })
    yield* writeNotes([`[CACHE ${resolved.cache}]`])
  })
).pipe(
  Command.withDescription(
    "Print the text that a symbol, or a section, and a slice mean now: exactly that text, without an added line end. Standard error says [CACHE MISS] when the text was expanded, and [CACHE HIT] when this run had expanded it before and the text is still the same. A refusal leaves standard output empty."
  ),
  Command.withShortDescription("print a bounded slice of a text"),
  Command.withExamples([
    { command: 'cortex resolve @DOCS/readme --slice "lines[0:80]" --run-id r1' },
    { command: "cortex resolve @DOCS/install --run-id r1", description: "the symbol's default slice" },
    { command: 'cortex resolve @DOCS/readme --slice "head(400)" --run-id r1 --cache jsonl --format json' }
  ]),
  Command.withGlobalFlags(corpusFlags)
)
