/**
 * Database files as a process that is killed in the middle of its work leaves them, made without one: what stood there in that
 * moment is put back when everything is closed. Outside tests nothing may import it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Ledger } from "../../application/ledger/ledger.ts"
import { type Connection, openForWriting } from "../sqlite/connection/better-sqlite3-host.ts"
import { withLedger } from "./programs/ledger-program.ts"

const PARTS = ["", "-wal", "-shm", "-journal"]

/** What stands at a database's name now, with what is beside it: gives what puts just that there again. */
const momentOf = (file: string): (() => void) => {
  const moment = PARTS.map((part) => {
    const path = `${file}${part}`
    return { path, bytes: existsSync(path) ? readFileSync(path) : undefined }
  })
  return () => {
    for (const { bytes, path } of moment) {
      if (bytes === undefined) rmSync(path, { force: true })
      else writeFileSync(path, bytes)
    }
  }
}

/** Posts so many messages; they stand in the log alone, as when the writer is killed. */
export const postAndDie = async (filename: string, count: number): Promise<void> => {
  const posts = Ledger.use((ledger) =>
    Effect.gen(function* () {
      for (let n = 0; n < count; n++) {
        yield* ledger.postMessage({ run_id: "r", source: "WORKER", payload: { n } })
      }
      return momentOf(filename)
    })
  )
  const putBack = await Effect.runPromise(withLedger({ filename }, posts))
  putBack()
}

/** Begins a transaction whose pages are in the file already, with a table of this name. */
export const beginHalf = (connection: Connection, table: string): void => {
  connection.pragma("cache_size = 1")
  connection.run("BEGIN IMMEDIATE")
  connection.run(`CREATE TABLE ${table} (data TEXT)`)
  for (let n = 0; n < 200; n++) connection.run(`INSERT INTO ${table} VALUES (?)`, ["x".repeat(1_000)])
}

/** Cuts a transaction short in a file that is journaled in the old way. */
export const dieHalfway = (file: string, table: string): void => {
  const connection = openForWriting(file)
  beginHalf(connection, table)
  const putBack = momentOf(file)
  connection.run("ROLLBACK")
  connection.close()
  putBack()
}
