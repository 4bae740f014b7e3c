// `cortex memory neighbors`: the texts most like a memory, or like any other text that a symbol names.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { maxBytesFlag } from "../bounded-output.ts"
import { answerHits } from "../network/hit-lines.ts"
import { limitFlag, lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { withNetwork } from "../network/open-network.ts"

export const neighborsCommand = Command.make(
  "neighbors",
  {
    name: Argument.String("text").pipe(
      Argument.withDescription("a hash, 12 or more of its first digits, or a symbol @A:…, @C:… or @P:…")
    ),
    limit: limitFlag,
    maxBytes: maxBytesFlag,
    ...lookupFlags
  },
  Effect.fnUntraced(function* ({ limit, maxBytes, name, ...lookup }) {
    // What is written is bounded, in the format that was asked for.
    const options = { ...lookupOptions(lookup), maxBytes: Infinity }
    const found = yield* withNetwork((network) => network.neighbours(name, limit, options))
    yield* answerHits(found, "", maxBytes)
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
