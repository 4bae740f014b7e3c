/**
 * The cassettes that are attacked: the rows of each table, and a small cassette of each kind, made by the statements of
 * an honest writer. Everything is fixed, as for the ledger. It must never check what it writes: the guards do.
 */
import { createHash } from "node:crypto"
import Database from "better-sqlite3"
import { dumpBy } from "./attack.ts"
import { insertInto } from "./ledger.ts"
import { schema as cassetteSchema } from "../snapshots/network/0001.ts"

/** The statements that make a cassette. */
export { cassetteSchema }

/** What may happen to what a cassette holds. */
export type Mutability = "immutable" | "stable" | "mutable" | "append-only" | "ephemeral" | "read-write"
/** Who sees the memories of a cassette. */
export type Memories = "shared" | "private"
/** A row, by its columns. */
export type Row = Readonly<Record<string, unknown>>

/** The hash that is called so here. */
export const named = (name: string): string => createHash("sha256").update(name).digest("hex")

/** Stands for the cassette's own mutability in a row. */
const OWN_RULE = "own rule"
/** Stands for a time in an ephemeral cassette, and for none in any other. */
export const OWN_END = "own end"

/** A receipt of a write, in its place in the chain behind that of the migration, which is number 0. */
export const receipt = (number: number, operation: string, record: string): Row => ({
  receipt_index: number + 1,
  parent_hash: number === 0 ? named("description") : named(`receipt-${number - 1}`),
  operation,
  record_hash: named(record),
  rule: OWN_RULE,
  receipt_hash: named(`receipt-${number}`)
})

/** A document; its receipt names the record that its number gives. */
export const document = (document_id: number, path: string, version: number): Row => ({
  document_id,
  path,
  version,
  type: "text",
  text: "text",
  content_hash: named("content"),
  record_hash: named(`record-${document_id}`),
  added_at: "2026-01-01T00:00:00.000Z",
  expires_at: OWN_END
})

/** Hash of the text of a chunk that has no vector. */
export const OTHER_TEXT = "other text"

/** A chunk of a document. */
export const chunk = (chunk_number: number, document_id: number, ordinal = 0): Row => ({
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

/** Who owns the memories of a private cassette. */
export const OWNER = "owner"

/** A memory, of the owner when memories are private. */
export const memory = (memory_id: number, memories: Memories = "shared"): Row => ({
  memory_id,
  owner: memories === "private" ? OWNER : "",
  text: "text",
  content_hash: named(`content-${memory_id}`),
  record_hash: named(`memory-${memory_id}`)
})

/** A save of a memory by the owner. */
export const save = (save_id: number, memory_id: number, save_number: number): Row => ({
  save_id,
  memory_id,
  save_number,
  agent_id: OWNER,
  saved_at: "2026-01-01T00:00:00.000Z",
  expires_at: OWN_END,
  metadata: "{}",
  record_hash: named(`save-${save_id}`)
})

/** The chunk of the first memory; a private one stands in the segment of its owner. */
export const chunkOfMemory = (memories: Memories): Row => ({
  ...chunk(memories === "private" ? 4_096 : 4, 0),
  document_id: null,
  memory_id: 1
})

/** A segment of chunks. */
export const segment = (number: number, owner = ""): Row => ({
  segment: number,
  owner,
  given: 0,
  chunks: 1,
  words: 1,
  lengths: "x"
})

/** A vector of one number; the text of `chunk` has the first. */
export const vector = (vector_id: number, hash = "hash"): Row => ({
  vector_id,
  hash,
  model: "m",
  revision: "1",
  dimensions: 1,
  normalizer: "l2",
  data: "f",
  vector_hash: named("vector")
})

/** A row of each table that is made from the documents, and another of it. */
export const derived: Readonly<Record<string, readonly [Row, Row]>> = {
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
  vectors: [vector(1), vector(9, OTHER_TEXT)],
  vector_signs: [
    { segment: 1, present: "x", signs: "x" },
    { segment: 9, present: "x", signs: "x" }
  ],
  vector_tail: [{ vector_id: 1 }, { vector_id: 9 }]
}

const mutabilityIs = `SELECT "value" FROM "network_meta" WHERE "key" = 'mutability'`

/** The text of an INSERT; blobs are written from text, which STRICT does not take as it is. */
export const insert = (table: string, row: Row, verb = "INSERT"): string =>
  insertInto(table, row, verb)
    .replaceAll("'x'", "x'00'")
    .replaceAll("'f'", "x'0000803f'")
    .replaceAll("'two'", "x'0000803f00000000'")
    .replaceAll(`'${OWN_RULE}'`, `(${mutabilityIs})`)
    .replaceAll(`'${OWN_END}'`, `(SELECT '2027-01-01T00:00:00.000Z' WHERE (${mutabilityIs}) IS 'ephemeral')`)

// Nothing is remembered in an immutable cassette; as many receipts are there all the same, so that the next is the same.
const remembered = (mutability: Mutability, memories: Memories): ReadonlyArray<string> => {
  const rows = [
    ["memories", memory(1, memories)],
    ["saves", save(1, 1, 1)],
    ["memories", memory(2, memories)]
  ] as const
  const written: Array<string> = []
  for (const [index, [table, row]] of rows.entries()) {
    written.push(
      insert("write_receipts", {
        ...receipt(4 + index, mutability === "immutable" ? "migrate" : "add", ""),
        record_hash: row["record_hash"]
      })
    )
    if (mutability !== "immutable") written.push(insert(table, row))
  }
  return mutability === "immutable" ? written : [...written, insert("chunks", chunkOfMemory(memories))]
}

/** True where a changed text is another version beside the one before. */
export const keepsVersions = (mutability: Mutability): boolean =>
  mutability === "stable" || mutability === "append-only"

/**
 * A cassette with two versions of a.md where it keeps them, else with 0.md and a.md, one b.md, a memory that was saved and one that was not, chunks of all but the
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
    indexing: "complete",
    reindexing: "0",
    sealed: "0",
    vectors: "1"
  }).map(([key, value]) => insert("network_meta", { key, value })),
  insert("write_receipts", { ...receipt(0, "migrate", "schema"), rule: "0001-cassette" }),
  insert("write_receipts", receipt(1, "add", "record-1")),
  insert("documents", document(1, "a.md", 1)),
  insert("write_receipts", receipt(2, "add", "record-2")),
  insert("documents", keepsVersions(mutability) ? document(2, "a.md", 2) : document(2, "0.md", 1)),
  insert("write_receipts", receipt(3, "add", "record-3")),
  insert("documents", document(3, "b.md", 1)),
  insert("segments", segment(0)),
  ...(memories === "private" ? [insert("segments", segment(1, OWNER))] : []),
  ...[1, 2, 3].map((number) => insert("chunks", chunk(number, number))),
  insert("chunks", { ...chunk(5, 3, 5), hash: OTHER_TEXT }),
  ...Object.entries(derived)
    .filter(([table]) => table !== "segments")
    .map(([table, [row]]) => insert(table, row)),
  ...remembered(mutability, memories)
]

/** The receipt that comes next. */
export const receiptOf = (operation: string, record_hash: string): string =>
  insert("write_receipts", receipt(7, operation, record_hash))
/** What seals a cassette. */
export const seal = "UPDATE network_meta SET value = '1' WHERE key = 'sealed'"

/** Which cassette it is, and what comes first and succeeds. */
export interface CassetteState {
  readonly mutability: Mutability
  /** Who sees its memories; everybody when left out. */
  readonly memories?: Memories
  readonly first?: string
  /** It has its tables and guards, and no row yet. */
  readonly unborn?: boolean
}

const columnsOf = (table: string): ReadonlyArray<string> => {
  const database = new Database(":memory:")
  database.exec(cassetteSchema)
  const names = database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table)
  database.close()
  return names
}

/** The files of the states under the schema that was asked for last. */
const made = { schema: "", files: new Map<string, Buffer>() }

const fileOf = (text: string, { memories = "shared", mutability, unborn = false }: CassetteState): Buffer => {
  if (made.schema !== text) Object.assign(made, { schema: text, files: new Map() })
  const state = `${mutability} ${memories} ${unborn}`
  const known = made.files.get(state)
  if (known !== undefined) return known
  const database = new Database(":memory:")
  try {
    database.pragma("foreign_keys = OFF")
    database.exec(text)
    for (const statement of unborn ? [] : setup(mutability, memories)) database.exec(statement)
    made.files.set(state, database.serialize())
  } finally {
    database.close()
  }
  return fileOf(text, { memories, mutability, unborn })
}

/** A new cassette under this schema, with what every attack and honest write finds in it. Throws what SQLite throws. */
export const openCassette = (text: string, state: CassetteState): Database.Database => {
  const database = new Database(fileOf(text, state))
  database.pragma("foreign_keys = OFF")
  database.exec(state.first ?? "")
  return database
}

/** The tables of a cassette that hold what is written, without those of the search engine. */
export const cassetteTables = [
  "cassette_migrations",
  "network_meta",
  "write_receipts",
  "documents",
  "memories",
  "saves",
  "chunks",
  ...Object.keys(derived)
]

/** Everything that is in a cassette, as one text. */
export const dumpCassette = dumpBy(
  cassetteTables.map((table) => {
    const names = columnsOf(table).map((name) => `quote("${name}")`)
    return `SELECT ${names.join(" || '|' || ")} FROM "${table}"`
  })
)
