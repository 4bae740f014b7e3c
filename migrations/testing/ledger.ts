/**
 * The smallest honest writer of a ledger: it makes a database from the snapshot and appends events with the right
 * position and hash, and nothing else. It gives statements as text, so that another SQLite host can be given the
 * very same ones. It must never check what it writes: that is what the triggers under test do.
 */
import { hash } from "node:crypto"
import Database from "better-sqlite3"
import canonicalize from "canonicalize"
import { schema as snapshot } from "../snapshots/0002.ts"

/** The statements of version 2, as every database gets them. */
export { snapshot }

/** A row of `events`. A value of another type than the column's is a forgery on purpose. */
export interface EventRow {
  readonly position: unknown
  readonly type: unknown
  readonly stream_id: unknown
  readonly schema_version: unknown
  readonly data: unknown
  readonly recorded_at: unknown
  readonly prev_hash: unknown
  readonly hash: unknown
}

/** What an event says, before it has a place in the log. `data` is canonical text or a value to be written so. */
export interface Fact {
  readonly type: string
  readonly stream_id: string
  readonly data: unknown
  readonly recorded_at: string
}

/** Where the log stands: how many events it has, and the last one's hash. */
export interface Head {
  readonly size: number
  readonly hash: string
}

/** The canonical text of a value (RFC 8785). */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) {
    throw new Error("This value has no JSON text")
  }
  return text
}

/** The hash of an event, from its row without it. */
export const hashOf = (row: Omit<EventRow, "hash">): string =>
  hash(
    "sha256",
    canonical([
      "cassette/event/1",
      row.position,
      row.type,
      row.stream_id,
      row.schema_version,
      row.data,
      row.recorded_at,
      row.prev_hash
    ]),
    "hex"
  )

/** The row of a fact that comes right after `head`, changed by `forged` before it is hashed. */
export const rowAfter = (head: Head, fact: Fact, forged: Partial<EventRow> = {}): EventRow => {
  const row = {
    position: head.size + 1,
    type: fact.type,
    stream_id: fact.stream_id,
    schema_version: 1,
    data: typeof fact.data === "string" ? fact.data : canonical(fact.data),
    recorded_at: fact.recorded_at,
    prev_hash: head.hash,
    ...forged
  }
  return { ...row, hash: forged.hash === undefined ? hashOf(row) : forged.hash }
}

/** An SQL literal; a text keeps every character, U+0000 too. */
export const literal = (value: unknown): string => {
  if (value === null) {
    return "NULL"
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return String(value)
  }
  const bytes = Buffer.from(String(value), "utf8")
  return bytes.includes(0)
    ? `CAST(x'${bytes.toString("hex")}' AS TEXT)`
    : `'${String(value).replaceAll("'", "''")}'`
}

/** The text of an INSERT of these values; `verb` may hold an OR clause, `rest` what follows the values. */
export const insertInto = (
  table: string,
  row: Readonly<Record<string, unknown>>,
  verb = "INSERT",
  rest = ""
): string =>
  `${verb} INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})${rest}`

/** The same, for an event. */
export const insertEvent = (row: EventRow, verb = "INSERT", rest = ""): string =>
  insertInto("events", { ...row }, verb, rest)

/** What a thought says, before it has a hash. */
export interface Thought {
  readonly id: string
  readonly type: string
  readonly task_id: string
  readonly agent_id: string
  readonly content: string
  readonly timestamp: string
  readonly prev_hash: string
}

/** The hash of a thought, over six of its fields. */
export const thoughtHash = ({ content, id, prev_hash, task_id, timestamp, type }: Thought): string =>
  hash("sha256", canonical({ content, id, prev_hash, task_id, timestamp, type }), "hex")

/** The fact that a thought was recorded, with its hash. */
export const thoughtFact = (thought: Thought, recorded_at: string): Fact => {
  const { task_id, ...data } = thought
  return {
    type: "ThoughtRecorded",
    stream_id: `task:${task_id}`,
    data: { ...data, hash: thoughtHash(thought) },
    recorded_at
  }
}

/** The id of the message posted at this position, with any idempotency key left out of its hash part. */
export const messageIdAt = (position: number, run: string): string =>
  `msg_${String(position).padStart(13, "0")}_${hash("sha256", canonical(["message", run, "position", position]), "hex").slice(0, 16)}`

/** The id of a job or a step of a message. */
export const jobIdOf = (messageId: string, job: number): string =>
  `job_${messageId.slice(4)}.${String(job).padStart(4, "0")}`

/** The id of a step of a message. */
export const stepIdOf = (messageId: string, job: number, step: number): string =>
  `step_${messageId.slice(4)}.${String(job).padStart(4, "0")}.${String(step).padStart(5, "0")}`

/** An empty database with the snapshot's schema: foreign keys off, as in the SQLite shell and in Python. */
export const emptyDatabase = (): Database.Database => {
  const database = new Database(":memory:")
  database.pragma("foreign_keys = OFF")
  database.exec(snapshot)
  return database
}

/** The head as the database has it. */
export const headOf = (database: Database.Database): Head =>
  database.prepare<[], Head>("SELECT size, hash FROM head").get() ?? { size: -1, hash: "" }

/** Appends one fact after the head; throws what the database throws. */
export const append = (database: Database.Database, fact: Fact): string => {
  const text = insertEvent(rowAfter(headOf(database), fact))
  database.exec(text)
  return text
}
