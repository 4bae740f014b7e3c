// The same work on what a program would write by hand: a plain table of jobs, and an event store (Emmett) with a stream for each
// message. Both run on our better-sqlite3, synchronously, at the same `synchronous`.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { payload, receipt } from "../support/events.ts"
import { openDatabase } from "../support/raw-ledger.ts"
import { type Contestant, imported, type Opening } from "./contestant.ts"

/** A message is a row that is inserted, claimed and marked as done: three commits, no history. */
export const openTable = async ({ durability, file }: Opening): Promise<Contestant> => {
  const database = openDatabase(file, durability)
  database.exec(
    "CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, queue TEXT, status TEXT, worker TEXT, payload TEXT, result TEXT);" +
      "CREATE INDEX IF NOT EXISTS waiting ON jobs (queue, id) WHERE status = 'waiting'"
  )
  const post = database.prepare("INSERT INTO jobs (queue, status, payload) VALUES (?, 'waiting', ?)")
  const claim = database.prepare<[string, string], { readonly id: number; readonly payload: string }>(
    "UPDATE jobs SET status = 'taken', worker = ? WHERE id = (SELECT id FROM jobs WHERE queue = ? AND status = 'waiting' ORDER BY id LIMIT 1) RETURNING id, payload"
  )
  const complete = database.prepare("UPDATE jobs SET status = 'done', result = ? WHERE id = ? AND worker = ?")
  return {
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        post.run(caller, JSON.stringify(payload(number)))
        const job = claim.get(caller, caller)
        if (job === undefined) throw new Error("the table gave no job")
        JSON.parse(job.payload)
        complete.run(JSON.stringify(receipt(number)), job.id, caller)
        // The next caller's turn, as in a program whose jobs wait for something.
        await Promise.resolve()
      }
    },
    close: async () => {
      database.close()
    }
  }
}

interface Emmett {
  readonly getSQLiteEventStore: (options: object) => {
    readonly appendToStream: (
      stream: string,
      events: ReadonlyArray<object>,
      options: object
    ) => Promise<unknown>
    readonly readStream: (stream: string) => Promise<{
      readonly currentStreamVersion: bigint
      readonly events: ReadonlyArray<{ readonly type: string }>
    }>
  }
}

/**
 * Emmett asks for the package `sqlite3`, whose binary is in no registry: this stands in for it, with the calls that Emmett makes.
 * Emmett opens a connection for each operation; here they share one, which is faster.
 */
const sqlite3Of = (durability: string, driver: string): string => `
const Database = require(${JSON.stringify(driver)})
const open = new Map()
const connection = (file) => {
  if (!open.has(file)) {
    const database = new Database(file)
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = ${durability}")
    open.set(file, { database, statements: new Map() })
  }
  return open.get(file)
}
const bindable = (value) =>
  typeof value === "boolean" ? Number(value) : typeof value === "object" && value !== null ? String(value) : (value ?? null)
class Shared {
  constructor(file) {
    this.shared = connection(file)
  }
  ask(sql, given, answer) {
    const [values, done] = typeof given === "function" ? [[], given] : [given ?? [], answer]
    let result, failure = null
    try {
      const { database, statements } = this.shared
      if (!statements.has(sql)) statements.set(sql, database.prepare(sql))
      const statement = statements.get(sql)
      const bound = values.map(bindable)
      result = statement.reader ? statement.all(...bound) : statement.run(...bound)
    } catch (error) {
      failure = error
    }
    queueMicrotask(() => done?.call(result ?? this, failure, result))
  }
  run(sql, values, done) { this.ask(sql, values, done) }
  all(sql, values, done) { this.ask(sql, values, done) }
  get(sql, values, done) { this.ask(sql, values, (error, rows) => done(error, rows?.[0])) }
  close() {}
}
module.exports = { Database: Shared, OPEN_URI: 0, OPEN_READWRITE: 0, OPEN_CREATE: 0 }
`

const standIn = (peers: string, durability: string): void => {
  const folder = join(peers, "node_modules", "sqlite3")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ main: "index.js" }))
  writeFileSync(
    join(folder, "index.js"),
    sqlite3Of(durability, fileURLToPath(import.meta.resolve("better-sqlite3")))
  )
}

/** A message is a stream: each command reads it, decides, and appends one event at the version that it has read. */
export const openEmmett = async ({ durability, file, peers }: Opening): Promise<Contestant> => {
  standIn(peers, durability)
  const { getSQLiteEventStore } = (await imported(peers, "@event-driven-io/emmett-sqlite")) as Emmett
  const store = getSQLiteEventStore({ fileName: file })
  const follow = async (stream: string, last: string, event: object): Promise<void> => {
    const { currentStreamVersion, events } = await store.readStream(stream)
    if (events.at(-1)?.type !== last) throw new Error(`${stream} does not end with ${last}`)
    await store.appendToStream(stream, [event], { expectedStreamVersion: currentStreamVersion })
  }
  let streams = 0
  return {
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        const stream = `step-${(streams += 1)}`
        const posted = { type: "Posted", data: { queue: caller, payload: payload(number) } }
        await store.appendToStream(stream, [posted], { expectedStreamVersion: "STREAM_DOES_NOT_EXIST" })
        await follow(stream, "Posted", { type: "Claimed", data: { worker: caller } })
        await follow(stream, "Claimed", { type: "Completed", data: receipt(number) })
      }
    },
    close: async () => {}
  }
}
