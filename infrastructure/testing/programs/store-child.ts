/**
 * A process of its own for the contract of faults: it dies inside the transaction that makes a schema, holds a file's
 * write lock, opens with others a file that is not made yet, has no right to write, or fills the small disk that it stands on.
 */
import { execFileSync } from "node:child_process"
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { configureForWriting, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { becomeNobody } from "../nobody.ts"
import { type StoreKind, type StoreName, storeKinds } from "../store-kinds.ts"

/** How long one of many first openers waits for the others, on a machine however busy (milliseconds). */
const PATIENCE_MILLIS = 300_000

const tell = (answer: unknown) => writeSync(1, `${JSON.stringify(answer)}\n`)

const outcome = <A>(program: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.runPromise(
    Effect.match(program, { onFailure: ({ _tag }) => _tag, onSuccess: (value) => value ?? "done" })
  )

/** Everything of the schema is made, on the disk as far as SQLite lets it, and never committed. */
const dieInMigration = (kind: StoreKind, file: string): void => {
  const connection = openForWriting(file)
  configureForWriting(connection, "full")
  connection.pragma("cache_size = 1")
  connection.run("BEGIN IMMEDIATE")
  for (const { statements } of kind.steps()) for (const statement of statements) connection.run(statement)
  tell("migrating")
  process.kill(process.pid, "SIGKILL")
}

/** Says that it is ready, and when it is told to, writes so many things at once, each of them opening the file. */
const openTogether = (kind: StoreKind, file: string, first: number, writes: number): Promise<void> => {
  kind.steps()
  tell("ready")
  return new Promise((resolve) => {
    process.stdin.once("data", () => {
      const all = Array.from({ length: writes }, (_, n) =>
        outcome(kind.write(file, first + n, { busyDeadline: PATIENCE_MILLIS }))
      )
      void Promise.all(all).then((answers) => {
        tell(answers)
        process.stdin.destroy()
        resolve()
      })
    })
  })
}

/** Writes and reads each file with the rights of a stranger, or with its own where the whole file system is read-only. */
const useAs = async (kind: StoreKind, who: string, files: ReadonlyArray<string>): Promise<void> => {
  kind.steps()
  if (who === "nobody") becomeNobody()
  const answers: Array<unknown> = []
  for (const file of files) {
    answers.push({ write: await outcome(kind.write(file, 3)), read: await outcome(kind.count(file)) })
  }
  tell(answers)
}

const hold = (file: string): Promise<void> => {
  const connection = openForWriting(file)
  connection.run("BEGIN IMMEDIATE")
  tell("held")
  return new Promise((resolve) => {
    process.stdin.once("data", () => {
      connection.run("COMMIT")
      connection.close()
      process.stdin.destroy()
      resolve()
    })
  })
}

/** The file's folder is a disk of its own, whose size this process sets. */
const fillDisk = async (kind: StoreKind, file: string): Promise<void> => {
  const folder = dirname(file)
  const resize = (size: string) => execFileSync("mount", ["-o", `remount,size=${size}`, folder])
  resize("8k")
  const born = await outcome(kind.write(file, 0))
  resize("4m")
  const first = await outcome(kind.write(file, 1))
  const filler = join(folder, "filler")
  const descriptor = openSync(filler, "w")
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096))
  } catch {
    closeSync(descriptor)
  }
  const full = await outcome(kind.write(file, 2, { text: "x".repeat(500_000) }))
  const readWhenFull = await outcome(kind.count(file))
  // Copies have no other place than this disk from here on.
  process.env["TMPDIR"] = folder
  const readWithoutCopy = await outcome(kind.count(file))
  rmSync(filler)
  const later = await outcome(kind.write(file, 3, { text: "x".repeat(500_000) }))
  const count = await outcome(kind.count(file))
  tell({ born, first, full, readWhenFull, readWithoutCopy, later, count, left: readdirSync(folder).length })
}

const [name = "", action = "", ...words] = process.argv.slice(2)
const [file = "", first = "", second = ""] = words
const kind = storeKinds[name as StoreName]
const actions: Readonly<Record<string, () => void | Promise<void>>> = {
  migrate: () => dieInMigration(kind, file),
  hold: () => hold(file),
  open: () => openTogether(kind, file, Number(first), Number(second)),
  use: () => useAs(kind, file, words.slice(1)),
  fill: () => fillDisk(kind, file)
}
await actions[action]?.()
