/**
 * What tests of restoring share: ledgers in a state in which a backup is wanted back, and a restore that is killed at a
 * step of its own.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { Ledger } from "../../application/ledger/ledger.ts"
import { startChild } from "./programs/child-process.ts"
import { postAndDie } from "./killed-writer.ts"
import { makeLedgerFile, withLedger } from "./programs/ledger-program.ts"
import { keptFolder } from "./temporary-folder.ts"

export interface RestorerOptions {
  readonly backup: string
  readonly filename: string
  readonly discardNewer: boolean
  /** Before which step the process dies: its number from 1, or the first of a kind; 0 lets it come to its end. */
  readonly dieBefore: number | "linkSync" | "renameSync"
  readonly hardLinks: boolean
}

/** Runs a restore in a process of its own; `died` when it was killed on its way. */
export const restoreInChild = async (
  options: RestorerOptions
): Promise<"died" | { readonly steps: number }> => {
  const child = startChild([JSON.stringify(options)], { script: "restorer" })
  const answer = child.line()
  const ended = await child.ended
  if (ended === "SIGKILL") {
    await answer.catch(() => {})
    return "died"
  }
  return (await answer) as { readonly steps: number }
}

/** What a verification says of a ledger. */
export const headOf = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => Effect.map(ledger.verifyCassette(), ({ head, verdict }) => ({ verdict, head })))
  )

const makeWithBackup = Effect.gen(function* () {
  const { folder, remove } = keptFolder()
  const [filename, backup] = [join(folder, "a.db"), join(folder, "backup.db")]
  yield* makeLedgerFile(filename)
  yield* withLedger(
    { filename },
    Ledger.use((ledger) => ledger.backup(backup))
  )
  const before = yield* headOf(filename)
  const files = [readFileSync(filename), readFileSync(backup)] as const
  remove()
  return { files, before }
})

let made: Promise<Effect.Success<typeof makeWithBackup>> | undefined

/** A ledger of ten events with a backup of it, in a folder: copies of one that a process makes once. */
export const ledgerWithBackup = (folder: string) =>
  Effect.promise(async () => {
    made ??= Effect.runPromise(makeWithBackup)
    const { before, files } = await made
    const [filename, backup] = [join(folder, "a.db"), join(folder, "backup.db")]
    writeFileSync(filename, files[0])
    writeFileSync(backup, files[1])
    return { folder, filename, backup, before }
  })

/** Writes three more events and dies: they stand in the log alone. */
export const leaveLog = (filename: string): Promise<void> => postAndDie(filename, 3)

/** Damages a page in the middle of the file, and leaves a log of no ledger beside it. */
export const damageWithLog = (filename: string): void => {
  const bytes = readFileSync(filename)
  writeFileSync(filename, bytes.fill(0xff, 4_096, 12_288))
  writeFileSync(`${filename}-wal`, "a log that no ledger wrote, of more than thirty-two bytes")
}

/** The contents of a ledger's file and of all that is kept of it: what must still be somewhere after a kill. */
export const contentsBeside = (filename: string): ReadonlyArray<string> => {
  const folder = dirname(filename)
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(filename)) && !name.endsWith("-shm"))
    .map((name) => readFileSync(join(folder, name)).toString("base64"))
}
