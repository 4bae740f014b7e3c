// `cortex memory query`: searches memories alone, those of everybody and the caller's own.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { Host } from "../host.ts"
import { hitLines } from "../network/hit-lines.ts"
import { limitFlag, lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { warnOfAnswers, withNetwork } from "../network/open-network.ts"
import { answer, writeWarnings } from "../output.ts"

export const queryCommand = Command.make(
  "query",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription("what to look for, in plain words; words in quotation marks as they stand")
    ),
    limit: limitFlag,
    ...lookupFlags
  },
  Effect.fnUntraced(function* ({ limit, text, ...lookup }) {
    const host = yield* Host
    const found = yield* withNetwork((network) => network.memoryQuery(text, limit, lookupOptions(lookup)))
    yield* warnOfAnswers(found.answers)
    yield* writeWarnings(found.notices)
    yield* answer({ data: found, lines: () => hitLines(host, text, found.hits, found.answers) })
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
