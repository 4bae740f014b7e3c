// `cortex memory query`: searches memories alone, those of everybody and the caller's own.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { maxBytesFlag } from "../bounded-output.ts"
import { answerHits } from "../network/hit-lines.ts"
import { limitFlag, lookupFlags, lookupOptions, questionText } from "../network/lookup-flags.ts"
import { withNetwork } from "../network/open-network.ts"

export const queryCommand = Command.make(
  "query",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription(
        "what to look for, in plain words; words in quotation marks as they stand; - is standard input"
      )
    ),
    limit: limitFlag,
    maxBytes: maxBytesFlag,
    ...lookupFlags
  },
  Effect.fnUntraced(function* ({ limit, maxBytes, text: given, ...lookup }) {
    const text = yield* questionText(given)
    // What is written is bounded, in the format that was asked for.
    const options = { ...lookupOptions(lookup), maxBytes: Infinity }
    const found = yield* withNetwork((network) => network.memoryQuery(text, limit, options))
    yield* answerHits(found, text, maxBytes)
  })
).pipe(
  Command.withDescription(
    "Search memories alone, ranked as one list: those that everybody sees, and those of the agent that --agent or CORTEX_AGENT names. Each hit has the metadata of its newest save."
  ),
  Command.withShortDescription("search memories"),
  Command.withExamples([
    { command: 'cortex memory query "which Node do the tests need"' },
    { command: 'cortex memory query "open questions" --cassette resident --agent a1 --format json' }
  ])
)
