// `cortex cassette restore`: a verified backup takes the ledger's place, and what it replaces is kept beside it.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { nameFault } from "../../embedding/files.ts"
import { absolutePath, refusedFlag, switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { AllowNetworkFs } from "./ledger-flags.ts"
import { ledgerFile } from "./open-ledger.ts"
import { reportLines } from "./verify.ts"

export const restoreCommand = Command.make(
  "restore",
  {
    backup: Argument.String("backup").pipe(Argument.withDescription("the backup; it stays as it is")),
    discardNewer: switchFlag(
      "discard-newer",
      "restore although the ledger holds newer events, or another history; they are kept beside it"
    )
  },
  Effect.fnUntraced(function* ({ backup, discardNewer }) {
    const wrong = nameFault(backup)
    if (wrong !== undefined) return yield* Effect.fail(refusedFlag("backup", wrong))
    const sqlite = yield* Effect.promise(() => import("../../embedding/ledger.ts"))
    const restored = yield* sqlite.Ledger.restore({
      backup: yield* absolutePath("backup", backup),
      filename: yield* ledgerFile("write"),
      discardNewer,
      allowNetworkFs: yield* AllowNetworkFs
    }).pipe(withProgress("verifying the backup"))
    yield* answer({
      data: restored,
      lines: () => [
        ...fieldLines([["file", restored.file], ...restored.kept.map((name) => ["kept", name] as const)]),
        ...reportLines(restored.report)
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Put a verified backup in the place of the ledger's file, also when that is missing or damaged. What is replaced is kept beside it, under a name with the time. Another ledger's backup is refused, and so is a loss of newer events without --discard-newer. Programs that have the file open must be started again."
  ),
  Command.withShortDescription("put a verified backup in the ledger's place"),
  Command.withExamples([{ command: "cortex cassette restore ledger-2026-11-27.db" }])
)
