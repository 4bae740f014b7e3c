/**
 * What keeps a claim at one cost, however much work is done or waiting: the partial index over PENDING steps gives
 * the first one without a sort. These are plans, not times: the same on every machine.
 */
import { describe, expect, it } from "vitest"
import { databaseIn } from "./testing/attack.ts"

const plan = (sql: string, ...prepare: ReadonlyArray<string>): ReadonlyArray<string> => {
  const database = databaseIn("ledger")
  for (const text of prepare) {
    database.exec(text)
  }
  const details = database
    .prepare<Array<string>, { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from({ length: sql.split("?").length - 1 }, () => "r1"))
    .map(({ detail }) => detail)
  database.close()
  return details
}

const claim =
  "SELECT step_id, job_id, ordinal, fencing_token, payload_json FROM cassette_steps WHERE run_id = (SELECT ?) AND status = 'PENDING'"

const queries = {
  "a claim by run": [`${claim} ORDER BY step_id LIMIT 1`, "(run_id=?)"],
  "a claim by job": [
    `${claim} AND step_id > ? AND step_id < ? ORDER BY step_id LIMIT 1`,
    "(run_id=? AND step_id>? AND step_id<?)"
  ]
} as const

describe.each(Object.entries(queries))("%s", (_, [sql, range]) => {
  it.each([["as it is"], ["after ANALYZE", "ANALYZE"]])(
    "%s, is one step into the partial index",
    (_, ...prepare) => {
      const details = plan(sql, ...prepare)
      expect(details.filter((detail) => detail.includes("cassette_steps"))).toEqual([
        `SEARCH cassette_steps USING INDEX ix_steps_claim ${range}`
      ])
      expect(details.filter((detail) => detail.includes("B-TREE"))).toEqual([])
    }
  )
})

// The question that the guard of thoughts asks, taken out of the guard itself.
const tailOfGuard = (): string => {
  const database = databaseIn("ledger")
  const guard = database
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'tr_thoughts_append_only_insert'")
    .pluck()
    .get()
  database.close()
  const [, query = ""] = /coalesce\(\((select .*?)\), '0{64}'\)/.exec(guard ?? "") ?? []
  return query.replace('"NEW"."task_id"', "?")
}

it.each([["as it is"], ["after ANALYZE", "ANALYZE"]])(
  "the end of a task's chain, %s, is one step into the index of positions",
  (_, ...prepare) => {
    expect(tailOfGuard()).toContain("?")
    expect(plan(tailOfGuard(), ...prepare)).toEqual([
      "SEARCH thought_records USING INDEX ix_trail_position (task_id=?)"
    ])
  }
)

it("the events of a stream come in order from its index", () => {
  const details = plan("SELECT * FROM events WHERE stream_id = ? AND position > ? ORDER BY position")
  expect(details).toEqual(["SEARCH events USING INDEX ix_events_stream (stream_id=? AND rowid>?)"])
})

// A CHECK or a guard with IN and three words or more builds a temporary table in every statement that comes by.
it("no rule of the schema builds a list", () => {
  const database = databaseIn("ledger")
  const texts = database
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .pluck()
    .all()
  expect(texts.filter((text) => /\bIN \([^()]*,[^()]*,[^()]*\)/i.test(text))).toEqual([])
  database.close()
})
