/**
 * Thoughts that the ledger does not allow: a fork of a chain, a chain that begins twice, an id that is taken, fields
 * without a meaning, a stream of no task. First as well-formed events with every conflict word, then as rows behind an
 * open gate.
 */
import type { Attack } from "../attack.ts"
import {
  insertEvent,
  insertInto,
  rowAfter,
  thoughtFact,
  thoughtHash,
  type Fact,
  type Thought
} from "../ledger.ts"
import { facts, head, nextPosition, now, thoughts } from "../states.ts"
import { verbs } from "./tables.ts"

const zeros = "0".repeat(64)
const { elsewhere, first, next, second } = thoughts

const think = (changes: Partial<Thought>): Fact => thoughtFact({ ...next, ...changes }, now)

/** A thought under a hash that is not its own. */
const under = (hash: string): Fact => {
  const fact = thoughtFact(next, now)
  return { ...fact, data: { ...(fact.data as object), hash } }
}

const inStream = (stream_id: string): Fact => ({
  ...think({ task_id: "task-9", prev_hash: zeros }),
  stream_id
})

const badTimes = [
  "",
  "now",
  "2461000.5",
  "2026-01-01",
  "12:00:00Z",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "2026-01-01T00:00Z",
  "2026-01-01T0a:00:00Z",
  "2026-01-01T00:00:00+02",
  "2026-01-01T00:00:00 +0200",
  "02026-01-01T00:00:00Z"
]

const goodTime = "2026-01-01T00:00:00+01:00"
const strangeTimes = [...goodTime].map(
  (_, index) => `${goodTime.slice(0, index)}x${goodTime.slice(index + 1)}`
)

// The neighbours of the digits, and only one of them at the beginning, in the middle or at the end.
const strangeHashes = ["/", ":", "`", "g"].flatMap((char) =>
  [0, 31, 63].map((index) => `${"f".repeat(index)}${char}${"f".repeat(63 - index)}`)
)

const badHashes = ["", "f".repeat(63), "f".repeat(65), "F".repeat(64), "g".repeat(64), `${"f".repeat(63)} `]

const events: ReadonlyArray<readonly [string, Fact]> = [
  ["a thought that forks its task", think({ prev_hash: thoughtHash(first) })],
  ["a thought that begins its task again", think({ prev_hash: zeros })],
  ["a thought behind another task's", think({ prev_hash: thoughtHash(elsewhere) })],
  ["a thought behind one that does not exist", think({ prev_hash: "f".repeat(64) })],
  ["a task that begins behind another's thought", think({ task_id: "task-9" })],
  ["a thought behind itself", think({ prev_hash: thoughtHash(next) })],
  ["a thought behind no text", think({ prev_hash: "" })],
  ["a thought with a taken id", think({ id: second.id })],
  ["a thought with an id that another task took", think({ id: elsewhere.id })],
  ["a thought with a taken hash", under(thoughtHash(second))],
  ["a thought with another task's hash", under(thoughtHash(elsewhere))],
  ["a thought again", { ...(facts.at(-1) as Fact), recorded_at: now }],
  ["a thought without an id", think({ id: "" })],
  ["a thought by nobody", think({ agent_id: "" })],
  ["a thought with U+0000", think({ content: "a\u0000b" })],
  ["a thought with U+0000 behind a backslash", think({ content: "\\\u0000" })],
  ...["", "idea", "Plan", "plan "].map(
    (type) => [`a thought of the type "${type}"`, think({ type })] as const
  ),
  ...badTimes.map((timestamp) => [`a thought at "${timestamp}"`, think({ timestamp })] as const),
  ...badHashes.map((hash) => [`a thought under the hash "${hash}"`, under(hash)] as const),
  ...["run:task-9", "ledger", "task:", "task", "Task:task-9", "xtask:task-9", "task:task-9\u0000x"].map(
    (stream) => [`a thought in the stream ${JSON.stringify(stream)}`, inStream(stream)] as const
  )
]

/** Well-formed events, each with every conflict word. */
export const thoughtAttacks: ReadonlyArray<Attack> = events.flatMap(([name, fact]) =>
  verbs.map((verb) => ({
    name: `${name}, ${verb}`,
    state: "ledger" as const,
    sql: insertEvent(rowAfter(head, fact), verb)
  }))
)

const honest = { ...next, hash: thoughtHash(next), created_at: now, event_position: nextPosition }

const rows: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
  ["at another event's position", { ...honest, event_position: head.size }],
  ["that forks its task", { ...honest, prev_hash: thoughtHash(first) }],
  ["that begins its task again", { ...honest, prev_hash: zeros }],
  ["of no task", { ...honest, task_id: "", prev_hash: zeros }],
  ["without an id", { ...honest, id: "" }],
  ["by nobody", { ...honest, agent_id: "" }],
  ["of another type", { ...honest, type: "idea" }],
  ["at no time", { ...honest, timestamp: "noon" }],
  ["under no hash", { ...honest, hash: "" }],
  ["under a hash with U+0000 in it", { ...honest, hash: `${"f".repeat(64)}\u0000` }],
  ["under a hash with U+0000 for a digit", { ...honest, hash: `${"f".repeat(63)}\u0000` }],
  ...strangeTimes.map((timestamp) => [`at ${timestamp}`, { ...honest, timestamp }] as const),
  ...strangeHashes.map((hash) => [`under the hash ${hash}`, { ...honest, hash }] as const),
  ["with a taken id", { ...honest, id: second.id }],
  ["with a taken hash", { ...honest, hash: thoughtHash(second) }],
  ...["id", "type", "task_id", "agent_id", "content", "timestamp", "prev_hash", "hash", "created_at"].map(
    (column) => [`with ${column} NULL`, { ...honest, [column]: null }] as const
  )
]

/** Rows with the position of a pending event, one fault each. */
export const thoughtGateAttacks: ReadonlyArray<Attack> = rows.map(([name, row]) => ({
  name: `gate open: a thought ${name}`,
  state: "openByThought",
  sql: insertInto("thought_records", row)
}))
