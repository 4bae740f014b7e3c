// `cortex memory recall`: one memory by its hash or symbol, exactly as it was saved, with who saved it and when.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { warnOfAnswers, withNetwork } from "../network/open-network.ts"
import { answer } from "../output.ts"
import { printable, printableJson, printableLines, table } from "../printable.ts"

export const recallCommand = Command.make(
  "recall",
  {
    name: Argument.String("memory").pipe(
      Argument.withDescription("its hash, 12 or more of the first digits, or its symbol @A:…")
    ),
    ...lookupFlags
  },
  Effect.fnUntraced(function* ({ name, ...lookup }) {
    const memory = yield* withNetwork((network) => network.memoryRecall(name, lookupOptions(lookup)))
    yield* warnOfAnswers(memory.answers)
    yield* answer({
      data: memory,
      lines: () => [
        ...table(
          ["cassette", "saved at", "agent", "metadata"],
          memory.sources.flatMap(({ saves, source }) =>
            saves.map(({ agent_id, metadata, saved_at }) => [
              source,
              saved_at,
              printable(agent_id ?? ""),
              printableJson(jcsText(metadata))
            ])
          )
        ),
        "",
        printableLines(memory.text)
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Show one memory, with everybody who saved it, the newest first (at most 100). A memory of another agent is not found, just as one that does not exist."
  ),
  Command.withShortDescription("show one memory"),
  Command.withExamples([
    { command: "cortex memory recall @A:3f1c0a9be27d" },
    { command: "cortex memory recall 3f1c0a9be27d --agent a1 --format json" }
  ])
)
