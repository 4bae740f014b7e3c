/**
 * Raw SQL against a cassette: what its mutability forbids, a REPLACE by any key and a write to a sealed one leave no
 * trace. Every refusal of every guard is also cut out once, and then an attack that it answered must get in: a new
 * guard without an attack fails here by itself.
 */
import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { refusalsIn } from "./testing/attack.ts"
import { insertInto, literal } from "./testing/ledger.ts"

const schema = readFileSync(new URL("snapshots/network/0001.sql", import.meta.url), "utf8")

type Mutability = "immutable" | "stable" | "mutable" | "append-only"
type Memories = "shared" | "private"
type Row = Readonly<Record<string, unknown>>

const receipt = (receipt_index: number, operation: string, record_hash: string): Row => ({
  receipt_index,
  parent_hash: receipt_index === 1 ? "0".repeat(64) : `receipt-${receipt_index - 1}`,
  operation,
  record_hash,
  rule: "rule",
  receipt_hash: `receipt-${receipt_index}`
})

const document = (document_id: number, path: string, version: number): Row => ({
  document_id,
  path,
  version,
  type: "text",
  text: "text",
  content_hash: "content",
  record_hash: `record-${document_id}`,
  added_at: "2026-01-01T00:00:00.000Z",
  expires_at: null
})

const chunk = (chunk_number: number, document_id: number, ordinal = 0): Row => ({
  chunk_number,
  chunk_id: `chunk-${chunk_number}`,
  document_id,
  memory_id: null,
  ordinal,
  hash: "hash",
  kind: "text",
  heading_path: "",
  parent_ordinal: null,
  byte_start: 0,
  byte_end: 4
})

const OWNER = "owner"

const memory = (memory_id: number, memories: Memories = "shared"): Row => ({
  memory_id,
  owner: memories === "private" ? OWNER : "",
  text: "text",
  content_hash: `content-${memory_id}`,
  record_hash: `memory-${memory_id}`
})

const save = (save_id: number, memory_id: number, save_number: number): Row => ({
  save_id,
  memory_id,
  save_number,
  agent_id: OWNER,
  saved_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  metadata: "{}",
  record_hash: `save-${save_id}`
})

/** The chunk of the first memory; a private one stands in the segment of its owner. */
const chunkOfMemory = (memories: Memories): Row => ({
  ...chunk(memories === "private" ? 4_096 : 4, 0),
  document_id: null,
  memory_id: 1
})

const segment = (number: number, owner = ""): Row => ({
  segment: number,
  owner,
  given: 0,
  chunks: 1,
  words: 1,
  lengths: "x"
})

const vector = { hash: "hash", model: "m", revision: "1", dimensions: 1, normalizer: "l2", data: "x" }

/** A row of each table that is made from the documents, and another of it. */
const derived: Readonly<Record<string, readonly [Row, Row]>> = {
  chunk_terms: [
    { chunk_number: 1, path: "a", heading: "", body: "", identifiers: "" },
    { chunk_number: 9, path: "a", heading: "", body: "", identifiers: "" }
  ],
  segments: [segment(0), segment(9)],
  postings: [
    { term: "a", segment: 1, chunks: 1, last: 1, data: "x" },
    { term: "b", segment: 1, chunks: 1, last: 1, data: "x" }
  ],
  tail: [
    { chunk_number: 1, words: 1 },
    { chunk_number: 9, words: 1 }
  ],
  vectors: [
    { vector_id: 1, ...vector },
    { vector_id: 9, ...vector, hash: "other" }
  ],
  vector_signs: [
    { segment: 1, present: "x", signs: "x" },
    { segment: 9, present: "x", signs: "x" }
  ],
  vector_tail: [{ vector_id: 1 }, { vector_id: 9 }]
}

// Blobs are written from text, which STRICT does not take as it is.
const insert = (table: string, row: Row, verb = "INSERT"): string =>
  insertInto(table, row, verb).replaceAll("'x'", "x'00'")

// Nothing is remembered in an immutable cassette; the receipts are there all the same, so that the next is the same.
const remembered = (mutability: Mutability, memories: Memories): ReadonlyArray<string> => {
  const rows = [
    ["memories", memory(1, memories)],
    ["saves", save(1, 1, 1)],
    ["memories", memory(2, memories)]
  ] as const
  const written: Array<string> = []
  for (const [index, [table, row]] of rows.entries()) {
    written.push(insert("write_receipts", receipt(4 + index, "add", String(row["record_hash"]))))
    if (mutability !== "immutable") written.push(insert(table, row))
  }
  return mutability === "immutable" ? written : [...written, insert("chunks", chunkOfMemory(memories))]
}

/**
 * A cassette with two versions of a.md, one b.md, a memory that was saved and one that was not, chunks of all but the
 * last, and one row in every other table.
 */
const setup = (mutability: Mutability, memories: Memories): ReadonlyArray<string> => [
  insert("cassette_migrations", { version: 1, name: "0001-cassette", checksum: "c" }),
  ...Object.entries({
    cassette_id: "one",
    mutability,
    memories,
    schema_version: "1.0",
    ttl_ms: "0",
    next_chunk: "4",
    reindexing: "0",
    sealed: "0"
  }).map(([key, value]) => insert("network_meta", { key, value })),
  insert("write_receipts", receipt(1, "add", "record-1")),
  insert("documents", document(1, "a.md", 1)),
  insert("write_receipts", receipt(2, "add", "record-2")),
  insert("documents", document(2, "a.md", 2)),
  insert("write_receipts", receipt(3, "add", "record-3")),
  insert("documents", document(3, "b.md", 1)),
  ...Object.entries(derived).map(([table, [row]]) => insert(table, row)),
  ...(memories === "private" ? [insert("segments", segment(1, OWNER))] : []),
  ...[1, 2, 3].map((number) => insert("chunks", chunk(number, number))),
  ...remembered(mutability, memories)
]

const SEALED = "immutable: the cassette is sealed, nothing is written to it any more"
/** The receipt that comes next. */
const receiptOf = (operation: string, record_hash: string): string =>
  insert("write_receipts", receipt(7, operation, record_hash))
const removal = receiptOf("remove", "record-3")
const addition = receiptOf("add", "record-4")

interface Attack {
  readonly message: string
  readonly mutability: Mutability
  /** Who sees its memories; everybody when left out. */
  readonly memories?: Memories
  readonly sql: string
  /** What comes first and succeeds. */
  readonly first?: string
}

const seal = "UPDATE network_meta SET value = '1' WHERE key = 'sealed'"

const sealed = (sql: string, first = ""): Attack => ({
  message: SEALED,
  mutability: "immutable",
  sql,
  first: `${first}; ${seal}`
})

const changeOf = (table: string, row: Row): string => {
  const column = Object.keys(row).at(-1) ?? ""
  const value = typeof row[column] === "number" ? "9" : row[column] === "x" ? "x'11'" : "'changed'"
  return `UPDATE ${table} SET ${column} = ${value}`
}

const onSealed: ReadonlyArray<Attack> = [
  sealed(insert("network_meta", { key: "extra", value: "1" })),
  sealed("UPDATE network_meta SET value = '0' WHERE key = 'sealed'"),
  sealed(addition),
  sealed(insert("documents", document(4, "c.md", 1)), addition),
  sealed(insert("chunks", chunk(9, 3, 1))),
  sealed("DELETE FROM chunks"),
  sealed(insert("cassette_migrations", { version: 2, name: "0002", checksum: "c" })),
  sealed("UPDATE cassette_migrations SET checksum = 'changed'"),
  sealed("DELETE FROM cassette_migrations"),
  ...Object.entries(derived).flatMap(([table, [row, other]]) => [
    sealed(insert(table, other)),
    sealed(
      insert(
        table,
        {
          ...row,
          ...(table === "vector_tail" ? { vector_id: 8 } : {}),
          ...(table === "segments" ? { segment: 8 } : {})
        },
        "REPLACE"
      )
    ),
    sealed(changeOf(table, row)),
    sealed(`DELETE FROM ${table}`)
  ])
]

const KEEPS = "network_meta keeps every key"
const FIXED = "A cassette keeps its id, its mutability, its time to live and who sees its memories"
const CHAIN =
  "write_receipts is a chain: receipt_index must be the next, parent_hash the newest receipt's hash"
const RECEIPTS = "write_receipts is append-only: no receipt is ever changed or deleted"
const NUMBER = "A document is stored already under this number"
const VERSION = "A document's version must be one more than the newest of its path"
const CHUNK = "A chunk is stored already under this number or in this place"
const stable = (message: string, sql: string, first?: string): Attack => ({
  message,
  mutability: "stable",
  sql,
  ...(first === undefined ? {} : { first })
})

const NOTHING = "immutable: nothing is remembered in an immutable cassette"
const KNOWN = "A memory is stored already under this number, or with this text for the same owner"
const OWNED = "A memory has an owner in a private cassette, and none in a shared one"
const SAVE_NUMBER = "save_number must be one more than the memory's newest"
const KEEPS_MEMORIES = "immutable, stable and append-only cassettes keep every memory"
const KEEPS_SAVES = "immutable, stable and append-only cassettes keep every save"
const OWN_SEGMENT = "A chunk stands in a segment of its owner"
const mutable = (message: string, sql: string, first = ""): Attack => ({
  message,
  mutability: "mutable",
  sql,
  first
})
const immutable = (message: string, sql: string, first: string): Attack => ({
  ...mutable(message, sql, first),
  mutability: "immutable"
})
const inPrivate = (message: string, sql: string, first = ""): Attack => ({
  ...mutable(message, sql, first),
  memories: "private"
})

const newMemory = receiptOf("add", "memory-3")
const newSave = receiptOf("add", "save-2")

const onMemories: ReadonlyArray<Attack> = [
  immutable(NOTHING, insert("memories", memory(3)), newMemory),
  immutable(NOTHING, insert("saves", save(2, 1, 1)), newSave),
  mutable(KNOWN, insert("memories", { ...memory(3), memory_id: 1 }, "REPLACE"), newMemory),
  mutable(KNOWN, insert("memories", { ...memory(3), content_hash: "content-1" }, "REPLACE"), newMemory),
  mutable(OWNED, insert("memories", memory(3, "private")), newMemory),
  inPrivate(OWNED, insert("memories", memory(3)), newMemory),
  mutable("A memory needs the receipt of its write", insert("memories", memory(3))),
  mutable("A memory is never changed: another text is another memory", "UPDATE memories SET text = 'other'"),
  {
    ...mutable(KEEPS_MEMORIES, "DELETE FROM memories WHERE memory_id = 2", receiptOf("remove", "memory-2")),
    mutability: "stable"
  },
  mutable(
    "A memory is removed after all of its saves",
    "DELETE FROM memories WHERE memory_id = 1",
    receiptOf("remove", "memory-1")
  ),
  mutable(
    "A memory is removed only with the receipt of its removal",
    "DELETE FROM memories WHERE memory_id = 2"
  ),
  mutable(
    "A save is stored already under this number",
    insert("saves", { ...save(2, 2, 1), save_id: 1 }, "REPLACE"),
    newSave
  ),
  mutable(SAVE_NUMBER, insert("saves", save(2, 1, 1), "REPLACE"), newSave),
  mutable(SAVE_NUMBER, insert("saves", save(2, 1, 3)), newSave),
  inPrivate(
    "Only its owner saves a memory of a private cassette",
    insert("saves", { ...save(2, 1, 2), agent_id: "thief" }),
    newSave
  ),
  mutable("A save needs the receipt of its write", insert("saves", save(2, 1, 2))),
  mutable("A save is never changed", "UPDATE saves SET metadata = '[]'"),
  { ...mutable(KEEPS_SAVES, "DELETE FROM saves", receiptOf("remove", "save-1")), mutability: "append-only" },
  mutable("A save is removed only with the receipt of its removal", "DELETE FROM saves"),
  inPrivate(OWN_SEGMENT, insert("chunks", { ...chunkOfMemory("shared"), ordinal: 1 })),
  inPrivate(OWN_SEGMENT, insert("chunks", chunk(4_097, 3, 1))),
  mutable("A segment keeps its number and its owner", "UPDATE segments SET segment = 7"),
  inPrivate(
    "A segment keeps its number and its owner",
    "UPDATE segments SET owner = 'thief' WHERE segment = 1"
  ),
  inPrivate("A segment is there already", insert("segments", segment(1, "thief"), "REPLACE")),
  mutable("Everybody sees a shared cassette", insert("segments", segment(9, "thief")))
]

const attacks: ReadonlyArray<Attack> = [
  ...onSealed,
  ...onMemories,
  ...["cassette_id", "mutability", "memories", "ttl_ms", "schema_version"].map((key) =>
    stable(FIXED, `UPDATE network_meta SET value = 'mutable' WHERE key = ${literal(key)}`)
  ),
  stable(FIXED, "UPDATE network_meta SET key = 'other' WHERE key = 'next_chunk'"),
  stable(FIXED, "UPDATE OR REPLACE network_meta SET key = 'mutability' WHERE key = 'next_chunk'"),
  stable(KEEPS, "DELETE FROM network_meta"),
  stable(KEEPS, insert("network_meta", { key: "mutability", value: "mutable" }, "REPLACE")),
  stable(
    KEEPS,
    `${insert("network_meta", { key: "next_chunk", value: "0" })} ON CONFLICT DO UPDATE SET value = '0'`
  ),
  ...["INSERT", "REPLACE"].flatMap((verb) => [
    stable(CHAIN, insert("write_receipts", { ...receipt(8, "add", "r"), parent_hash: "receipt-6" }, verb)),
    stable(CHAIN, insert("write_receipts", { ...receipt(7, "add", "r"), parent_hash: "receipt-5" }, verb)),
    stable(CHAIN, insert("write_receipts", { ...receipt(6, "add", "r"), rule: "other" }, verb))
  ]),
  stable(RECEIPTS, "UPDATE write_receipts SET rule = 'other'"),
  stable(RECEIPTS, "DELETE FROM write_receipts"),
  stable(NUMBER, insert("documents", { ...document(4, "c.md", 1), document_id: 1 }, "REPLACE"), addition),
  stable(VERSION, insert("documents", document(4, "b.md", 1), "REPLACE"), addition),
  stable(VERSION, insert("documents", document(4, "b.md", 3)), addition),
  stable("A document needs the receipt of its write", insert("documents", document(4, "c.md", 1))),
  stable("A document needs the receipt of its write", insert("documents", document(4, "c.md", 1)), removal),
  stable("A document is never changed: another text is another record", "UPDATE documents SET text = 'x'"),
  stable(
    "A document is never changed: another text is another record",
    "UPDATE OR REPLACE documents SET document_id = 2 WHERE document_id = 1"
  ),
  ...(["immutable", "stable", "append-only"] as const).map((mutability) => ({
    message: "immutable, stable and append-only cassettes keep every document",
    mutability,
    sql: "DELETE FROM documents WHERE document_id = 3",
    first: removal
  })),
  {
    message: "A document is removed only with the receipt of its removal",
    mutability: "mutable",
    sql: "DELETE FROM documents WHERE document_id = 3"
  },
  {
    message: "A document is removed only with the receipt of its removal",
    mutability: "mutable",
    sql: "DELETE FROM documents WHERE document_id = 2",
    first: removal
  },
  ...(["stable", "append-only", "mutable"] as const).flatMap((mutability) => [
    { message: CHUNK, mutability, sql: insert("chunks", chunk(3, 3, 1), "REPLACE") },
    { message: CHUNK, mutability, sql: insert("chunks", chunk(9, 3), "INSERT OR REPLACE") },
    {
      message: CHUNK,
      mutability,
      sql: insert("chunks", { ...chunkOfMemory("shared"), chunk_number: 9 }, "REPLACE")
    },
    {
      message: CHUNK,
      mutability,
      sql: `${insert("chunks", { ...chunk(3, 3), hash: "other" })} ON CONFLICT DO UPDATE SET hash = excluded.hash`
    }
  ]),
  stable("A chunk is never changed", "UPDATE chunks SET hash = 'other'"),
  stable(
    "A stable cassette withdraws the chunks of replaced documents alone",
    "DELETE FROM chunks WHERE document_id = 2"
  ),
  {
    message: "An append-only cassette keeps every chunk",
    mutability: "append-only",
    sql: "DELETE FROM chunks WHERE document_id = 1"
  }
]

const open = (text: string, { first = "", memories = "shared", mutability }: Attack): Database.Database => {
  const database = new Database(":memory:")
  database.pragma("foreign_keys = OFF")
  database.exec(text)
  for (const statement of setup(mutability, memories)) database.exec(statement)
  database.exec(first)
  return database
}

const tables = [
  "cassette_migrations",
  "network_meta",
  "write_receipts",
  "documents",
  "memories",
  "saves",
  "chunks",
  ...Object.keys(derived)
]

const dump = (database: Database.Database): string =>
  JSON.stringify(tables.map((table) => database.prepare(`SELECT * FROM ${table}`).raw().all()))

/** What came of an attack under this schema. */
const outcome = (text: string, attack: Attack, recursiveTriggers = false) => {
  const database = open(text, attack)
  database.pragma(`recursive_triggers = ${recursiveTriggers}`)
  const before = dump(database)
  let error: string | undefined
  try {
    database.exec(attack.sql)
  } catch (thrown) {
    error = (thrown as Error).message
  }
  const changed = dump(database) !== before
  database.close()
  return { error, changed }
}

const refused = ({ message }: Attack) => ({ error: message, changed: false })

describe("a cassette", () => {
  it("refuses every attack, each with its own words, and keeps no trace", () => {
    for (const recursiveTriggers of [false, true]) {
      for (const attack of attacks) {
        expect({ attack, ...outcome(schema, attack, recursiveTriggers) }).toEqual({
          attack,
          ...refused(attack)
        })
      }
    }
  })

  it("has every table attacked that it has", () => {
    const database = new Database(":memory:")
    database.exec(schema)
    const names = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'chunks_fts%' ORDER BY name"
      )
      .pluck()
      .all()
    database.close()
    expect(names).toEqual(tables.toSorted())
  })

  it("takes only a mutability, and only memories, that there are", () => {
    const database = new Database(":memory:")
    database.exec(schema)
    expect(() => database.exec(insert("network_meta", { key: "mutability", value: "free" }))).toThrow(
      "mutability must be immutable, stable, mutable, append-only, ephemeral or read-write"
    )
    expect(() => database.exec(insert("network_meta", { key: "memories", value: "secret" }))).toThrow(
      "memories must be shared or private"
    )
    database.close()
  })
})

const triggers = schema.split(/(?=^CREATE TRIGGER )/m).filter((text) => text.startsWith("CREATE TRIGGER "))

// These are asked when a cassette is born, before there is anything to attack; their own test is above.
const OF_BIRTH = new Set([
  "mutability must be immutable, stable, mutable, append-only, ephemeral or read-write",
  "memories must be shared or private"
])

describe("without the refusal", () => {
  for (const text of triggers) {
    const name = /^CREATE TRIGGER "(\w+)"/.exec(text)?.[1] ?? ""
    const table = / ON "(\w+)"/.exec(text)?.[1] ?? ""
    for (const message of refusalsIn(text).filter((refusal) => !OF_BIRTH.has(refusal))) {
      it(`"${message}" of ${name}, an attack gets in`, () => {
        const lines = text.split("\n").filter((line) => !line.includes(`RAISE(ABORT, ${literal(message)})`))
        const body = lines.join("\n").replace("BEGIN\nEND", "BEGIN\n  SELECT 1;\nEND")
        const weakened = schema.replace(text, () => body)
        expect(weakened).not.toBe(schema)
        const answered = attacks.filter(
          (attack) => attack.message === message && new RegExp(`\\b${table}\\b`).test(attack.sql)
        )
        expect(answered.some((attack) => outcome(weakened, attack).changed)).toBe(true)
      })
    }
  }
})
