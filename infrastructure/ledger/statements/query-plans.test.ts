/**
 * How SQLite runs the statements of the ledger: each reaches its rows by an index or a key, and none sorts but the
 * listings of a whole run. The texts of claim, append and head stand here, so that a change of them is seen.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { type Connection, openBytes } from "../../sqlite/connection/better-sqlite3-host.ts"
import * as queries from "./compiled/ledger-queries.ts"
import * as statements from "./compiled/ledger-statements.ts"
import * as thoughts from "../thoughts/compiled/thought-statements.ts"
import { schemaSteps } from "../opening/schema-snapshots.ts"

const database = (): Connection => {
  const connection = openBytes(Buffer.alloc(0))
  for (const step of schemaSteps()) for (const text of step.statements) connection.run(text)
  return connection
}

/** The lines of a plan; the holes are filled with NULL, which changes nothing without statistics. */
const planOf = (connection: Connection, sql: string): ReadonlyArray<string> => {
  const holes = Array.from({ length: sql.split("?").length - 1 }, () => null)
  return connection
    .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, holes)
    .map(({ detail }) => detail)
    .filter((detail) => !/^(SCALAR|LIST) SUBQUERY \d+$|^SCAN CONSTANT ROW$/.test(detail))
}

const compiled = Object.entries({ ...statements, ...queries, ...thoughts }).flatMap(([name, value]) =>
  typeof value === "function" ? [] : [{ name, sql: value.sql }]
)

/** Reads a table from one end to the other, and why it may. */
const scans: Readonly<Record<string, string>> = {
  selectHead: "SCAN head",
  selectHeadPlace: "SCAN head",
  // The leases that there are, and no other step.
  selectLeaseCounts: "SCAN cassette_steps USING INDEX ix_steps_leases",
  // The thoughts of all tasks: places in the log are compared in an index, and only those wanted are read.
  selectThoughts: "SCAN thought_records USING COVERING INDEX ix_trail_position",
  selectThoughtsBackwards: "SCAN thought_records USING COVERING INDEX ix_trail_position"
}

/**
 * A run's rows are listed in the order of ids. No index holds a run's messages in that order: it would cost every
 * post, to save the sort of a list that is held in memory as a whole anyway.
 */
const sortedListings = new Set([
  "selectMessagesOfRun",
  "selectStepsOfRun",
  "selectStepStatesOfRun",
  "selectReceiptsOfRun",
  "selectThoughts",
  "selectThoughtsBackwards"
])

describe("every statement", () => {
  it("is looked at", () => {
    assert.isAtLeast(compiled.length, 18)
    for (const name of [...Object.keys(scans), ...sortedListings]) {
      assert.include(
        compiled.map((statement) => statement.name),
        name
      )
    }
  })

  for (const { name, sql } of compiled) {
    it(`${name} uses an index`, () => {
      const connection = database()
      const plan = planOf(connection, sql)
      connection.close()
      for (const line of plan) {
        if (line === scans[name]) continue
        if (name === "selectStreamsAfter" && line === "USE TEMP B-TREE FOR DISTINCT") continue
        if (sortedListings.has(name) && line === "USE TEMP B-TREE FOR ORDER BY") continue
        assert.match(line, /^SEARCH \w+ USING (COVERING )?(INDEX \w+|INTEGER PRIMARY KEY|PRIMARY KEY) \(/)
      }
      assert.strictEqual(plan.length === 0, name === "insertEvent")
    })
  }
})

describe("the statements that matter", () => {
  it("claim", () => {
    expect(statements.selectNextPendingOfRun.sql).toMatchInlineSnapshot(
      `"select "step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json" from "cassette_steps" where "run_id" = (SELECT ?) and "status" = 'PENDING' order by "step_id" limit 1"`
    )
    expect(statements.selectNextPendingOfJob.sql).toMatchInlineSnapshot(
      `"select "step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json" from "cassette_steps" where "run_id" = (SELECT ?) and "step_id" > (SELECT ?) and "step_id" < (SELECT ?) and "job_id" = (SELECT ?) and "status" = 'PENDING' order by "step_id" limit 1"`
    )
    const connection = database()
    expect(planOf(connection, statements.selectNextPendingOfRun.sql)).toMatchInlineSnapshot(`
      [
        "SEARCH cassette_steps USING INDEX ix_steps_claim (run_id=?)",
      ]
    `)
    expect(planOf(connection, statements.selectNextPendingOfJob.sql)).toMatchInlineSnapshot(`
      [
        "SEARCH cassette_steps USING INDEX ix_steps_claim (run_id=? AND step_id>? AND step_id<?)",
      ]
    `)
    expect(planOf(connection, statements.selectNextPendingBehind.sql)).toMatchInlineSnapshot(`
      [
        "SEARCH cassette_steps USING INDEX ix_steps_claim (run_id>?)",
      ]
    `)
    expect(planOf(connection, queries.selectWaiting.sql)).toMatchInlineSnapshot(`
      [
        "SEARCH cassette_steps USING INDEX ix_steps_claim ((run_id,step_id)>(?,?) AND run_id<?)",
      ]
    `)
    expect(planOf(connection, queries.selectLeases.sql)).toMatchInlineSnapshot(`
      [
        "SEARCH cassette_steps USING INDEX ix_steps_leases ((lease_expires_at,step_id)>(?,?) AND lease_expires_at<?)",
      ]
    `)
    connection.close()
  })

  it("the end of a task's chain", () => {
    expect(thoughts.selectThoughtTail.sql).toMatchInlineSnapshot(
      `"select "hash" from "thought_records" where "task_id" = ? order by "event_position" desc limit 1"`
    )
    const connection = database()
    expect(planOf(connection, thoughts.selectThoughtTail.sql)).toEqual([
      "SEARCH thought_records USING INDEX ix_trail_position (task_id=?)"
    ])
    connection.close()
  })

  it("append", () => {
    expect(statements.insertEvent.sql).toMatchInlineSnapshot(
      `"insert into "events" ("position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash") values (?, ?, ?, ?, ?, ?, ?, ?)"`
    )
  })

  it("head", () => {
    expect(statements.selectHead.sql).toMatchInlineSnapshot(
      `"select "head"."size" as "position", "head"."hash" as "hash", "events"."recorded_at" as "recorded_at" from "head" left join "events" on "events"."position" = "head"."size""`
    )
  })
})
