// `cortex memory neighbors`: the texts most like a memory, or like any other text that a symbol names.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { Host } from "../host.ts"
import { hitLines } from "../network/hit-lines.ts"
import { limitFlag, lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { warnOfAnswers, withNetwork } from "../network/open-network.ts"
import { answer, writeWarnings } from "../output.ts"

export const neighborsCommand = Command.make(
  "neighbors",
  {
    name: Argument.String("text").pipe(
      Argument.withDescription("a hash, 12 or more of its first digits, or a symbol @A:…, @C:… or @P:…")
    ),
    limit: limitFlag,
    ...lookupFlags
  },
  Effect.fnUntraced(function* ({ limit, name, ...lookup }) {
    const host = yield* Host
    const found = yield* withNetwork((network) => network.neighbours(name, limit, lookupOptions(lookup)))
    yield* warnOfAnswers(found.answers)
    yield* writeWarnings(found.notices)
    yield* answer({ data: found, lines: () => hitLines(host, "", found.hits, found.answers) })
  })
).pipe(
  Command.withDescription(
    "Find the texts of the network that are most like a memory or another text: by vectors where there are any, else by the text's most telling words. The text itself is not among them."
  ),
  Command.withShortDescription("the texts most like a given one"),
  Command.withExamples([
    { command: "cortex memory neighbors @A:3f1c0a9be27d" },
    { command: "cortex memory neighbors @C:3f1c0a9be27d --limit 3 --cassette memory" }
  ])
)
