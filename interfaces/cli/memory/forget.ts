// `cortex memory forget`: removes a memory from one cassette for good, by its hash or symbol.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { textFlag } from "../../shared/flags.ts"
import { withNetwork } from "../network/open-network.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"

export const forgetCommand = Command.make(
  "forget",
  {
    name: Argument.String("memory").pipe(
      Argument.withDescription("its hash, 12 or more of the first digits, or its symbol @A:…")
    ),
    cassette: textFlag("cassette", "ID", "where it is forgotten: a local cassette of the network")
  },
  Effect.fnUntraced(function* ({ cassette, name }) {
    const forgotten = yield* withNetwork((network) => network.memoryForget(name, cassette))
    yield* answer({
      data: forgotten,
      lines: () =>
        fieldLines([
          ["forgotten", forgotten.symbol],
          ["cassette", forgotten.cassette_id],
          ["saves", `${forgotten.save_count}`]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Remove a memory from a cassette, with all of its saves, its words and its vectors. Receipts keep its hashes. An agent forgets only what it alone has saved; cassettes that are immutable, stable or append-only forget nothing. Backups and cartridges that were made before are not touched, nor are the old files (.before-…) that network migrate keeps beside a cassette."
  ),
  Command.withShortDescription("remove a memory"),
  Command.withExamples([
    { command: "cortex memory forget @A:3f1c0a9be27d --cassette documents" },
    { command: "cortex memory forget 3f1c0a9be27d --cassette resident --agent a1" }
  ])
)
