// `cortex cassette import`: a new ledger from events as JSON lines, through all guards, with the head that they had.
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { nameFault } from "../../embedding/files.ts"
import { absolutePath, refusedFlag } from "../../shared/options.ts"
import { reported } from "../../../application/foundation/progress.ts"
import { textFlag } from "../../shared/flags.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { streamBytes } from "../json-file.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"
import { reportLines } from "./verify.ts"

export const importCommand = Command.make(
  "import",
  {
    events: Argument.String("file").pipe(
      Argument.withDefault("-"),
      Argument.withDescription("events as JSON lines; - or nothing is standard input")
    ),
    to: textFlag("to", "FILE", "the ledger to make; the file must not exist yet")
  },
  Effect.fnUntraced(function* ({ events, to }) {
    const wrong = nameFault(to)
    if (wrong !== undefined) return yield* Effect.fail(refusedFlag("--to", wrong))
    const filename = yield* absolutePath("--to", to)
    const { bytes, path } = yield* streamBytes("file", events)
    const { Ledger } = yield* Effect.promise(() => import("../../embedding/ledger.ts"))
    const report = yield* reported("events", Ledger.importFrom(bytes, { filename, source: path })).pipe(
      withProgress("importing")
    )
    const size = statSync(filename).size
    yield* answer({
      data: { file: filename, bytes: size, report },
      lines: () => [
        ...fieldLines([
          ["file", filename],
          ["bytes", String(size)]
        ]),
        ...reportLines(report)
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Make a new ledger of events as JSON lines: what `cortex cassette log --format json` prints of all runs. Every event goes through the chain and all guards, and the whole is verified before the file appears: the head is the one that the events had. The first line that does not fit is named, and no file is left. Lines that are missing at the end cannot be seen: compare the head with one that was noted."
  ),
  Command.withShortDescription("make a ledger of events as JSON lines"),
  Command.withExamples([
    { command: "cortex cassette log --format json | cortex cassette import --to copy.db" },
    { command: "cortex cassette import events.jsonl --to copy.db" }
  ])
)
