// `cortex memory recall`: one memory by its hash or symbol, exactly as it was saved, with who saved it and when.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { DEFAULT_ANSWER_BYTES, textFrom } from "../../../domain/canonical/answer-budget.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { answerWithin, textFlags } from "../bounded-output.ts"
import { lookupFlags, lookupOptions } from "../network/lookup-flags.ts"
import { warnOfAnswers, withNetwork } from "../network/open-network.ts"
import { MAX_LISTED_SAVES } from "../../../domain/network/limits.ts"
import { printable, printableJson, printableLines, table } from "../../shared/terminal-text.ts"

export const recallCommand = Command.make(
  "recall",
  {
    name: Argument.String("memory").pipe(
      Argument.withDescription("its hash, 12 or more of the first digits, or its symbol @A:…")
    ),
    ...lookupFlags,
    ...textFlags
  },
  Effect.fnUntraced(function* ({ maxBytes, name, offset, ...lookup }) {
    const memory = yield* withNetwork((network) => network.memoryRecall(name, lookupOptions(lookup)))
    yield* warnOfAnswers(memory.answers)
    yield* answerWithin({
      data: { ...memory, text: textFrom(memory.text, offset) },
      lines: ({ sources, text }) => [
        ...table(
          ["cassette", "saved at", "agent", "metadata"],
          sources.flatMap(({ saves, source }) =>
            saves.map(({ agent_id, metadata, saved_at }) => [
              source,
              saved_at,
              printable(agent_id ?? ""),
              printableJson(jcsText(metadata))
            ])
          )
        ),
        "",
        printableLines(text)
      ],
      maxBytes: Option.getOrElse(maxBytes, () => DEFAULT_ANSWER_BYTES),
      text: { field: "text", offset }
    })
  })
).pipe(
  Command.withDescription(
    `Show one memory, with everybody who saved it, the newest first (at most ${MAX_LISTED_SAVES}). A memory of another agent is not found, just as one that does not exist.`
  ),
  Command.withShortDescription("show one memory"),
  Command.withExamples([
    { command: "cortex memory recall @A:3f1c0a9be27d" },
    { command: "cortex memory recall 3f1c0a9be27d --agent a1 --format json" }
  ])
)
