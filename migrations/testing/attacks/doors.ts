/**
 * The doors of the projection tried by hand: the two views, the log through an upsert, several events in one
 * statement, rows deleted in the transaction that wrote them.
 */
import type { Attack } from "../attack.ts"
import { insertEvent, rowAfter, type EventRow } from "../ledger.ts"
import { head, legal, nextPosition } from "../states.ts"

const views = ["pending_event", "pending_rare_event"]

const honest = rowAfter(head, legal.post)
const second = rowAfter({ size: nextPosition, hash: String(honest.hash) }, legal.claimRun)

const attack = (name: string, sql: string, more: Partial<Attack> = {}): Attack => ({
  name,
  state: "ledger",
  sql,
  ...more
})

const both = (first: EventRow, next: EventRow, verb: string) =>
  `${insertEvent(first, verb)}${insertEvent(next).replace(/^.*? VALUES/s, ",")}`

const values = (row: EventRow) => insertEvent(row).replace(/^.*? VALUES/s, "VALUES")

const onViews: ReadonlyArray<Attack> = views.flatMap((view) => [
  attack(`DELETE FROM ${view}, which is empty`, `DELETE FROM ${view}`, { silent: true }),
  attack(`DELETE FROM ${view} at a position`, `DELETE FROM ${view} WHERE position = ${nextPosition}`, {
    silent: true
  }),
  attack(`INSERT INTO ${view}`, insertEvent(honest).replace("INTO events", `INTO ${view}`)),
  attack(
    `INSERT OR REPLACE INTO ${view}`,
    insertEvent(honest, "INSERT OR REPLACE").replace("INTO events", `INTO ${view}`)
  ),
  attack(`UPDATE ${view}`, `UPDATE ${view} SET data = '{}'`)
])

const verbs = [
  "INSERT",
  "INSERT OR REPLACE",
  "INSERT OR IGNORE",
  "INSERT OR FAIL",
  "INSERT OR ABORT",
  "INSERT OR ROLLBACK"
]

const onEvents: ReadonlyArray<Attack> = [
  ...verbs.flatMap((verb) => [
    attack(`an event twice in one statement, ${verb}`, both(honest, honest, verb)),
    attack(
      `a good event and one with a gap, ${verb}`,
      both(honest, { ...second, position: nextPosition + 2 }, verb)
    ),
    attack(
      `a good event and a claim out of order, ${verb}`,
      both(
        honest,
        rowAfter(
          { size: nextPosition, hash: String(honest.hash) },
          { ...legal.claimRun, data: { ...(legal.claimRun.data as object), fencing_token: 9 } }
        ),
        verb
      )
    ),
    attack(`the second event first, ${verb}`, both(second, honest, verb)),
    attack(`every event again, ${verb}`, `${verb} INTO events SELECT * FROM events`),
    attack(
      `every event one further, ${verb}`,
      `${verb} INTO events SELECT position + (SELECT size FROM head), type, stream_id, schema_version, data, recorded_at, prev_hash, hash FROM events`
    )
  ]),
  attack(
    "an upsert over the last event",
    `${insertEvent({ ...honest, position: head.size })} ON CONFLICT (position) DO UPDATE SET data = excluded.data`
  ),
  attack(
    "an upsert that does nothing over the last event",
    `${insertEvent({ ...honest, position: head.size })} ON CONFLICT (position) DO NOTHING`
  ),
  attack(
    "a rowid that says otherwise than position",
    `INSERT INTO events (position, type, stream_id, schema_version, data, recorded_at, prev_hash, hash, rowid) ${values(honest).slice(0, -1)}, 1)`
  ),
  attack(
    "an event without a position",
    insertEvent(honest).replace("(position, ", "(").replace(`VALUES (${nextPosition}, `, "VALUES (")
  ),
  attack(
    "an event with RETURNING that is refused",
    `${insertEvent({ ...honest, prev_hash: "0".repeat(64) })} RETURNING *`
  )
]

/** All of them. */
export const doorAttacks: ReadonlyArray<Attack> = [...onViews, ...onEvents]
