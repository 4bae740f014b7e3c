// The statements of thoughts, as they are built; `compiled` has what runs. The end of a task's chain is one step into the index of its positions;
// a list of all tasks walks that index alone before it reads a record.
import { type RawBuilder, sql } from "kysely"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { ThoughtRow } from "../../../domain/ledger/rows.ts"
import { boundedSelection, ledger } from "../statements/ledger-builder.ts"
import { storedEvents, storedTable } from "../statements/ledger-tables.ts"
import { compileQuery } from "../../sqlite/connection/query-compiler.ts"

const thoughts = storedTable("thought_records")

export const selectThought = compileQuery<{ id: string }, ThoughtRow>((parameter) =>
  ledger.selectFrom("thought_records").selectAll().where("id", "=", parameter("id"))
)

/** The hash of a task's newest record by event position. */
export const selectThoughtTail = compileQuery<{ task_id: string }, { hash: string }>((parameter) =>
  ledger
    .selectFrom("thought_records")
    .select("hash")
    .where("task_id", "=", parameter("task_id"))
    .orderBy("event_position", "desc")
    .limit(sql.lit(1))
)

type Range = { readonly after: number; readonly limit: number }

type Direction = "asc" | "desc"

const behind = { asc: ">", desc: "<" } as const

const ofTask = (direction: Direction) =>
  compileQuery<Range & { task_id: string }, ThoughtRow>((parameter) =>
    ledger
      .selectFrom("thought_records")
      .select(boundedSelection(thoughts))
      .where("task_id", "=", parameter("task_id"))
      .where("event_position", behind[direction], parameter("after"))
      .orderBy("thought_records.event_position", direction)
      .limit(parameter("limit"))
  )

const rowsBehind = (direction: Direction, after: RawBuilder<number>, limit: RawBuilder<number>) =>
  ledger
    .selectFrom("thought_records")
    .select(sql<number>`rowid`.as("row"))
    .where("event_position", behind[direction], after)
    .orderBy("event_position", direction)
    .limit(limit)

const ofAll = (direction: Direction) =>
  compileQuery<Range, ThoughtRow>((parameter) =>
    ledger
      .selectFrom("thought_records")
      .selectAll()
      .where(sql<number>`rowid`, "in", rowsBehind(direction, parameter("after"), parameter("limit")))
      .orderBy("event_position", direction)
  )

export const selectThoughtsOfTask = ofTask("asc")
export const selectThoughtsOfTaskBackwards = ofTask("desc")
export const selectThoughts = ofAll("asc")
export const selectThoughtsBackwards = ofAll("desc")

/** Pages of verification: every record behind a place, in the order of task and position. */
export const selectThoughtsBehind = compileQuery<
  { task_id: string; after: number; limit: number },
  ThoughtRow
>((parameter) =>
  ledger
    .selectFrom("thought_records")
    .select(boundedSelection(thoughts))
    .where(sql<boolean>`(task_id, event_position) > (${parameter("task_id")}, ${parameter("after")})`)
    .orderBy("thought_records.task_id")
    .orderBy("thought_records.event_position")
    .limit(parameter("limit"))
)

/** The events of every task whose stream comes after one; `;` is the character after `:`. */
export const selectTaskEventsBeyond = compileQuery<{ stream_id: string; limit: number }, EventEnvelope>(
  (parameter) =>
    ledger
      .selectFrom("events")
      .select(boundedSelection(storedEvents))
      .where("stream_id", ">", parameter("stream_id"))
      .where("stream_id", "<", sql.lit("task;"))
      .orderBy("events.stream_id")
      .orderBy("events.position")
      .limit(parameter("limit"))
)
