/**
 * Raw SQL against the table of expansions: whatever conflict word or hidden key a statement uses, a stored row stays
 * as it is and no false one gets in. Each guard is also taken out once, and then an attack must get in: a guard
 * without which nothing changes guards nothing.
 */
import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { refusalsIn } from "./testing/attack.ts"

const schema = readFileSync(new URL("snapshots/corpus/0001.sql", import.meta.url), "utf8")

const hash = "ab".repeat(32)

const row = {
  run_id: "r1",
  symbol_id: "@DOCS/readme",
  slice: "lines[0:1]",
  section_id: "s1",
  section_content_hash: hash,
  payload: "é\n",
  payload_hash: hash,
  bytes_expanded: 3,
  created_at: "2026-01-02T03:04:05.678Z"
}

type Row = { readonly [column: string]: string | number }

const literal = (value: string | number) =>
  typeof value === "number" ? `${value}` : `'${value.replaceAll("'", "''")}'`

const insert = (changes: Row, words = "INSERT") => {
  const values = { ...row, ...changes }
  return `${words} INTO expansions (${Object.keys(values).join(", ")}) VALUES (${Object.values(values).map(literal).join(", ")})`
}

/** A database with one expansion. */
const stored = (...mutations: ReadonlyArray<string>) => {
  const database = new Database(":memory:")
  database.exec(schema)
  for (const mutation of mutations) database.exec(mutation)
  database.exec(insert({}))
  return database
}

const rowsOf = (database: Database.Database) =>
  database.prepare("SELECT rowid, * FROM expansions ORDER BY rowid").all()

/** What a statement is refused with; undefined when it changes something. */
const refusal = (statement: string, ...mutations: ReadonlyArray<string>) => {
  const database = stored(...mutations)
  const before = rowsOf(database)
  try {
    database.exec(statement)
  } catch (error) {
    expect(rowsOf(database)).toEqual(before)
    return (error as Error).message
  } finally {
    database.close()
  }
  return undefined
}

const appendOnly = "expansions is append-only: "

const attacks: ReadonlyArray<readonly [trigger: string, message: string, statement: string]> = [
  ["update", `${appendOnly}no row is ever changed`, "UPDATE expansions SET payload = 'x'"],
  ["update", `${appendOnly}no row is ever changed`, "UPDATE OR REPLACE expansions SET rowid = 7"],
  ["delete", `${appendOnly}no row is ever deleted`, "DELETE FROM expansions"],
  ["insert", `${appendOnly}this key is stored already`, insert({ payload: "abc" }, "INSERT OR REPLACE")],
  ["insert", `${appendOnly}this key is stored already`, insert({ payload: "abc" }, "REPLACE")],
  [
    "insert",
    `${appendOnly}this key is stored already`,
    `${insert({ payload: "abc" })} ON CONFLICT DO UPDATE SET payload = 'abc'`
  ],
  ["insert", `${appendOnly}a row cannot choose its rowid`, insert({ run_id: "r2", rowid: 1 }, "REPLACE")],
  ["insert", `${appendOnly}a row cannot choose its rowid`, insert({ run_id: "r2", rowid: 9 })],
  ["rowid", `${appendOnly}a row cannot choose its rowid`, insert({ run_id: "r2", rowid: -1 })],
  ...["run_id", "symbol_id", "slice", "section_id"].map(
    (column) =>
      [
        "insert",
        "An expansion needs a run_id, a symbol_id, a slice and a section_id that are not empty",
        insert({ run_id: "r2", [column]: "" })
      ] as const
  ),
  ...["section_content_hash", "payload_hash"].flatMap((column) =>
    [hash.toUpperCase(), "ab", `${hash}ab`].map(
      (value) =>
        [
          "insert",
          "An expansion's hashes must be 64 lower-case hex digits",
          insert({ run_id: "r2", [column]: value })
        ] as const
    )
  ),
  [
    "insert",
    "An expansion's bytes_expanded must be the number of UTF-8 bytes of its payload",
    insert({ run_id: "r2", bytes_expanded: 2 })
  ],
  [
    "insert",
    "An expansion's created_at must be a time",
    insert({ run_id: "r2", created_at: "2026-01-02 03:04:05" })
  ]
]

describe("expansions", () => {
  for (const [index, [trigger, message, statement]] of attacks.entries()) {
    it(`${message} (${index}): refused, and only by its guard`, () => {
      expect(refusal(statement)).toBe(message)
      expect(refusal(statement, `DROP TRIGGER tr_expansions_append_only_${trigger}`)).not.toBe(message)
    })
  }

  it("have an attack for every refusal", () => {
    const refusals = new Set(refusalsIn(schema))
    expect(new Set(attacks.map(([, message]) => message))).toEqual(refusals)
  })

  it("take what is new in any part of the key, and one key once", () => {
    const database = stored()
    for (const [column, value] of Object.entries({
      run_id: "r2",
      symbol_id: "@DOCS/other",
      slice: "head(1)",
      section_content_hash: "cd".repeat(32)
    })) {
      database.exec(insert({ [column]: value }))
    }
    expect(rowsOf(database).length).toBe(5)
    database.close()
  })

  it("have the columns, the key and the indexes that others rely on", () => {
    const database = stored()
    expect(database.prepare("SELECT name, pk FROM pragma_table_info('expansions')").raw().all()).toEqual([
      ["run_id", 1],
      ["symbol_id", 2],
      ["slice", 3],
      ["section_id", 0],
      ["section_content_hash", 4],
      ["payload", 0],
      ["payload_hash", 0],
      ["bytes_expanded", 0],
      ["created_at", 0]
    ])
    expect(
      database
        .prepare(
          "SELECT list.name, info.name FROM pragma_index_list('expansions') AS list, pragma_index_info(list.name) AS info WHERE list.origin = 'c' ORDER BY 1"
        )
        .raw()
        .all()
    ).toEqual([
      ["idx_expansions_section", "section_id"],
      ["idx_expansions_symbol", "symbol_id"]
    ])
    database.close()
  })
})
