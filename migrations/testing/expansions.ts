/**
 * Raw SQL against the table of expansions: with any conflict word or hidden key in a statement, a stored row stays as
 * it is and no false one gets in. Each attack is answered by one guard; beside them stands what is allowed.
 */
import Database from "better-sqlite3"
import { insertInto } from "./ledger.ts"
import { schema as corpusSchema } from "../snapshots/corpus/0001.ts"

/** The statements that make a corpus database. */
export { corpusSchema }

/** A hash as the guards want one. */
export const hash = "ab".repeat(32)

const row = {
  run_id: "r1",
  symbol_id: "@DOCS/readme",
  slice: "lines[0:1]",
  section_id: "s1",
  section_content_hash: hash,
  payload: "é\n",
  payload_hash: hash,
  bytes_expanded: 3,
  created_at: "2026-01-02T03:04:05.678Z",
  expansion_hash: hash
}

/** The text of an INSERT of the one expansion, changed in these columns. */
export const insertExpansion = (changes: Readonly<Record<string, unknown>>, words = "INSERT"): string =>
  insertInto("expansions", { ...row, ...changes }, words)

/** A database with one expansion, stored after these statements. */
export const storedExpansion = (...statements: ReadonlyArray<string>): Database.Database => {
  const database = new Database(":memory:")
  database.exec(corpusSchema)
  for (const text of statements) database.exec(text)
  database.exec(insertExpansion({}))
  return database
}

/** Every expansion with its rowid, as one text. */
export const dumpExpansions = (database: Database.Database): string =>
  JSON.stringify(database.prepare("SELECT rowid, * FROM expansions ORDER BY rowid").raw().all())

// The neighbours of the digits, and only one of them at the beginning, in the middle or at the end.
const strangeHashes = ["/", ":", "`", "g"].flatMap((char) =>
  [0, 31, 63].map((index) => `${hash.slice(0, index)}${char}${hash.slice(index + 1)}`)
)

const appendOnly = "expansions is append-only: "

/** The guard that an attack is for, what it answers, and the attack. */
export const expansionAttacks: ReadonlyArray<readonly [trigger: string, message: string, sql: string]> = [
  ["update", `${appendOnly}no row is ever changed`, "UPDATE expansions SET payload = 'x'"],
  ["update", `${appendOnly}no row is ever changed`, "UPDATE OR REPLACE expansions SET rowid = 7"],
  ["delete", `${appendOnly}no row is ever deleted`, "DELETE FROM expansions"],
  [
    "insert",
    `${appendOnly}this key is stored already`,
    insertExpansion({ payload: "abc" }, "INSERT OR REPLACE")
  ],
  ["insert", `${appendOnly}this key is stored already`, insertExpansion({ payload: "abc" }, "REPLACE")],
  [
    "insert",
    `${appendOnly}this key is stored already`,
    `${insertExpansion({ payload: "abc" })} ON CONFLICT DO UPDATE SET payload = 'abc'`
  ],
  [
    "insert",
    `${appendOnly}a row cannot choose its rowid`,
    insertExpansion({ run_id: "r2", rowid: 1 }, "REPLACE")
  ],
  ["insert", `${appendOnly}a row cannot choose its rowid`, insertExpansion({ run_id: "r2", rowid: 9 })],
  ["rowid", `${appendOnly}a row cannot choose its rowid`, insertExpansion({ run_id: "r2", rowid: -1 })],
  ["rowid", `${appendOnly}a row cannot choose its rowid`, insertExpansion({ run_id: "r2", rowid: -5 })],
  ...["run_id", "symbol_id", "slice", "section_id"].map(
    (column) =>
      [
        "insert",
        "An expansion needs a run_id, a symbol_id, a slice and a section_id that are not empty",
        insertExpansion({ run_id: "r2", [column]: "" })
      ] as const
  ),
  ...["section_content_hash", "payload_hash", "expansion_hash"].flatMap((column) =>
    [hash.toUpperCase(), "ab", `${hash}ab`, `${hash.slice(1)}\u0000`, `${hash}\u0000`, ...strangeHashes].map(
      (value) =>
        [
          "insert",
          "An expansion's hashes must be 64 lower-case hex digits",
          insertExpansion({ run_id: "r2", [column]: value })
        ] as const
    )
  ),
  [
    "insert",
    "An expansion's bytes_expanded must be the number of UTF-8 bytes of its payload",
    insertExpansion({ run_id: "r2", bytes_expanded: 2 })
  ],
  [
    "insert",
    "An expansion's created_at must be a time",
    insertExpansion({ run_id: "r2", created_at: "2026-01-02 03:04:05" })
  ]
]

/** Expansions that are new in one part of the key. */
export const honestExpansions: ReadonlyArray<string> = Object.entries({
  run_id: "r2",
  symbol_id: "@DOCS/other",
  slice: "head(1)",
  section_content_hash: "cd".repeat(32)
}).map(([column, value]) => insertExpansion({ [column]: value }))
