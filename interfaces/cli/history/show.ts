// `cortex show`: one thing of the ledger by its id, with everything that belongs to it.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { warnAbout, withHistory } from "../cassette/open-ledger.ts"
import type { CommandGroup } from "../command-group.ts"
import { switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { shownLines } from "./shown-lines.ts"

export const showCommand: CommandGroup<"show"> = Command.make(
  "show",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription(
        "the id of a message, job, step, receipt, thought or run, its beginning, or the position of an event"
      )
    ),
    full: switchFlag("full", "payloads, receipts and thoughts above 4 KB whole too")
  },
  Effect.fnUntraced(function* ({ full, id }) {
    const shown = yield* withHistory((history, ledger) =>
      Effect.andThen(warnAbout(ledger), history.show(id, { full }))
    )
    yield* answer({ data: shown, lines: () => shownLines(shown) })
  })
).pipe(
  Command.withDescription(
    "Show one thing of the ledger by its id, with everything that belongs to it: of a step all attempts with worker, token, times, renewals and why it waited again. The id says what it is; its beginning is enough when no other begins so. 2.1.3 is the third step of the first job of the message at position 2. Where a run or a thought has a name that looks like something else, write event:17, run:17 or thought:17. Payloads above 4 KB are folded without --full."
  ),
  Command.withShortDescription("show one thing by its id, with all that belongs to it"),
  Command.withExamples([
    { command: "cortex show step_0000000000002_6bc3e907409fef01.0001.00001" },
    {
      command: "cortex show 2.1.1 --full",
      description: "the same step by its numbers, with its whole payload"
    },
    { command: "cortex show 4 --format json", description: "the event at position 4" },
    { command: "cortex show run:nightly" }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
