/**
 * A process of its own for the contract of faults: it dies inside the transaction that makes a schema, holds a file's
 * write lock, or fills the small disk that it stands on.
 */
import { execFileSync } from "node:child_process"
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { configureForWriting, openForWriting } from "../sqlite/better-sqlite3-host.ts"
import { type StoreKind, type StoreName, storeKinds } from "./store-kinds.ts"

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
  const full = await outcome(kind.write(file, 2, "x".repeat(500_000)))
  const readWhenFull = await outcome(kind.count(file))
  rmSync(filler)
  const later = await outcome(kind.write(file, 3, "x".repeat(500_000)))
  const count = await outcome(kind.count(file))
  tell({ born, first, full, readWhenFull, later, count, left: readdirSync(folder).length })
}

const [name = "", action = "", file = ""] = process.argv.slice(2)
const kind = storeKinds[name as StoreName]
if (action === "migrate") dieInMigration(kind, file)
else if (action === "hold") await hold(file)
else await fillDisk(kind, file)
