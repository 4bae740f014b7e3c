// `cortex cassette backup`: a consistent copy that has been verified. A copy that does not verify is removed, so that
// a backup that exists is a good one.
import { rmSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { nameFault } from "../../embedding/files.ts"
import { absolutePath, refusedFlag } from "../../shared/options.ts"
import { reported } from "../../../application/foundation/progress.ts"
import { withProgress } from "../progress.ts"
import { answer, writeWarnings } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger, withLedgerFile } from "./open-ledger.ts"
import { reportLines, verdictOf } from "./verify.ts"

const removeCopy = (file: string) =>
  Effect.andThen(
    writeWarnings([`the copy ${file} was removed, since it does not verify`]),
    Effect.sync(() => {
      for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true })
    })
  )

/** Verifies the finished copy as any auditor would: opened for reading, from its content alone. */
const verifyCopy = (file: string) =>
  withLedgerFile(file, "read", (copy) => copy.verifyCassette({ pure: true })).pipe(
    Effect.flatMap((report) => verdictOf(report)),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : removeCopy(file)))
  )

export const backupCommand = Command.make(
  "backup",
  {
    target: Argument.String("file").pipe(Argument.withDescription("the file to write; it must not exist yet"))
  },
  Effect.fnUntraced(function* ({ target }) {
    const wrong = nameFault(target)
    if (wrong !== undefined) return yield* Effect.fail(refusedFlag("file", wrong))
    const file = yield* absolutePath("file", target)
    yield* withLedger("read", (ledger) =>
      Effect.andThen(warnAbout(ledger), reported("the ledger", ledger.backup(file)))
    ).pipe(withProgress("copying"))
    const report = yield* verifyCopy(file).pipe(withProgress("verifying the copy"))
    const bytes = statSync(file).size
    yield* answer({
      data: { file, bytes, report },
      lines: () => [
        ...fieldLines([
          ["file", file],
          ["bytes", String(bytes)]
        ]),
        ...reportLines(report)
      ]
    })
  })
).pipe(
  Command.validate(({ target }) =>
    target === "-"
      ? Effect.fail(
          new CliError.ValidationError({ message: "A backup needs a file: it cannot go to standard output" })
        )
      : Effect.void
  ),
  Command.withDescription("Write a consistent copy of the ledger to a new file and verify the copy."),
  Command.withShortDescription("write a verified copy"),
  Command.withExamples([{ command: "cortex cassette backup ledger-2026-11-27.db" }])
)
