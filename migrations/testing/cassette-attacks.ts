/**
 * Raw SQL against a cassette: what its mutability forbids, a REPLACE by any key and a write to a sealed one. Each is
 * answered by one refusal, whose words it names; that none of them leaves a trace is for the tests to see.
 */
import {
  cassetteSchema,
  chunk,
  chunkOfMemory,
  derived,
  document,
  insert,
  memory,
  receipt,
  receiptOf,
  save,
  seal,
  segment,
  type CassetteState,
  type Row
} from "./cassette.ts"
import { literal } from "./ledger.ts"

const SEALED = "immutable: the cassette is sealed, nothing is written to it any more"
const removal = receiptOf("remove", "record-3")
const addition = receiptOf("add", "record-4")

/** A statement that a cassette must refuse with this message, and nothing of it may stay. */
export interface CassetteAttack extends CassetteState {
  readonly message: string
  readonly sql: string
}

const sealed = (sql: string, first = ""): CassetteAttack => ({
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

const onSealed: ReadonlyArray<CassetteAttack> = [
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
const stable = (message: string, sql: string, first?: string): CassetteAttack => ({
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
const mutable = (message: string, sql: string, first = ""): CassetteAttack => ({
  message,
  mutability: "mutable",
  sql,
  first
})
const immutable = (message: string, sql: string, first: string): CassetteAttack => ({
  ...mutable(message, sql, first),
  mutability: "immutable"
})
const inPrivate = (message: string, sql: string, first = ""): CassetteAttack => ({
  ...mutable(message, sql, first),
  memories: "private"
})

const newMemory = receiptOf("add", "memory-3")
const newSave = receiptOf("add", "save-2")
const ofAnother = `${newMemory}; ${insert("memories", { ...memory(3, "private"), owner: "stranger" })}`

// The receipt that makes a write right, and what makes it the receipt of something else.
const wrongReceipts = (operation: string, record: string): ReadonlyArray<string> => [
  `${receiptOf(operation, record)}; ${insert("write_receipts", receipt(8, operation, "other"))}`,
  receiptOf(operation === "add" ? "remove" : "add", record),
  receiptOf(operation, "other")
]

const withWrongReceipt = (message: string, operation: string, record: string, sql: string) =>
  wrongReceipts(operation, record).map((first) => mutable(message, sql, first))

// Memories that were there before the cassette became immutable, which no statement can bring about afterwards.
const guardOf = (name: string): string => {
  const [text = ""] = new RegExp(`CREATE TRIGGER "${name}"[^]*?\nEND;`).exec(cassetteSchema) ?? []
  return text
}
const behind = (name: string, sql: string): string => `DROP TRIGGER ${name}; ${sql}; ${guardOf(name)}`

const receiptsOfOthers: ReadonlyArray<CassetteAttack> = [
  ...withWrongReceipt(
    "A document needs the receipt of its write",
    "add",
    "record-4",
    insert("documents", document(4, "c.md", 1))
  ),
  ...withWrongReceipt(
    "A document is removed only with the receipt of its removal",
    "remove",
    "record-3",
    "DELETE FROM documents WHERE document_id = 3"
  ),
  ...withWrongReceipt(
    "A memory needs the receipt of its write",
    "add",
    "memory-3",
    insert("memories", memory(3))
  ),
  ...withWrongReceipt(
    "A memory is removed only with the receipt of its removal",
    "remove",
    "memory-2",
    "DELETE FROM memories WHERE memory_id = 2"
  ),
  ...withWrongReceipt(
    "A save needs the receipt of its write",
    "add",
    "save-2",
    insert("saves", save(2, 1, 2))
  ),
  ...withWrongReceipt(
    "A save is removed only with the receipt of its removal",
    "remove",
    "save-1",
    "DELETE FROM saves"
  )
]

const onMemories: ReadonlyArray<CassetteAttack> = [
  immutable(NOTHING, insert("memories", memory(3)), newMemory),
  immutable(NOTHING, insert("saves", save(2, 1, 1)), newSave),
  mutable(KNOWN, insert("memories", { ...memory(3), memory_id: 1 }, "REPLACE"), newMemory),
  mutable(KNOWN, insert("memories", { ...memory(3), content_hash: "content-1" }, "REPLACE"), newMemory),
  mutable(OWNED, insert("memories", memory(3, "private")), newMemory),
  inPrivate(OWNED, insert("memories", memory(3)), newMemory),
  mutable("A memory needs the receipt of its write", insert("memories", memory(3))),
  mutable("A memory is never changed: another text is another memory", "UPDATE memories SET text = 'other'"),
  ...(["stable", "append-only"] as const).map((mutability) => ({
    message: KEEPS_MEMORIES,
    mutability,
    sql: "DELETE FROM memories WHERE memory_id = 2",
    first: receiptOf("remove", "memory-2")
  })),
  immutable(
    KEEPS_MEMORIES,
    "DELETE FROM memories",
    behind(
      "tr_memories_insert",
      `${newMemory}; ${insert("memories", memory(3))}; ${insert("write_receipts", receipt(8, "remove", "memory-3"))}`
    )
  ),
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
  inPrivate(
    "Only its owner saves a memory of a private cassette",
    insert("saves", { ...save(2, 1, 2), agent_id: null }),
    newSave
  ),
  inPrivate(
    "Only its owner saves a memory of a private cassette",
    insert("saves", save(2, 3, 1)),
    `${ofAnother}; ${insert("write_receipts", receipt(8, "add", "save-2"))}`
  ),
  mutable("A save needs the receipt of its write", insert("saves", save(2, 1, 2))),
  mutable("A save is never changed", "UPDATE saves SET metadata = '[]'"),
  ...(["stable", "append-only"] as const).map((mutability) => ({
    message: KEEPS_SAVES,
    mutability,
    sql: "DELETE FROM saves",
    first: receiptOf("remove", "save-1")
  })),
  immutable(
    KEEPS_SAVES,
    "DELETE FROM saves",
    behind(
      "tr_saves_insert",
      `${newSave}; ${insert("saves", save(2, 1, 1))}; ${insert("write_receipts", receipt(8, "remove", "save-2"))}`
    )
  ),
  mutable("A save is removed only with the receipt of its removal", "DELETE FROM saves"),
  inPrivate(OWN_SEGMENT, insert("chunks", { ...chunkOfMemory("shared"), ordinal: 1 })),
  inPrivate(OWN_SEGMENT, insert("chunks", chunk(4_097, 3, 1))),
  inPrivate(OWN_SEGMENT, insert("chunks", chunk(99 * 4_096, 3, 1))),
  inPrivate(
    OWN_SEGMENT,
    insert("chunks", { ...chunkOfMemory("private"), chunk_number: 4_097, memory_id: 3 }),
    ofAnother
  ),
  mutable("A segment keeps its number and its owner", "UPDATE segments SET segment = 7"),
  inPrivate(
    "A segment keeps its number and its owner",
    "UPDATE segments SET owner = 'thief' WHERE segment = 1"
  ),
  inPrivate("A segment is there already", insert("segments", segment(1, "thief"), "REPLACE")),
  mutable("Everybody sees a shared cassette", insert("segments", segment(9, "thief")))
]

// These are asked when a cassette is born.
const onBirth: ReadonlyArray<CassetteAttack> = [
  {
    ...stable(
      "mutability must be immutable, stable, mutable, append-only, ephemeral or read-write",
      insert("network_meta", { key: "mutability", value: "free" })
    ),
    unborn: true
  },
  {
    ...stable(
      "memories must be shared or private",
      insert("network_meta", { key: "memories", value: "secret" })
    ),
    unborn: true
  }
]

/** The whole suite. A new guard gets its attacks here. */
export const cassetteAttacks: ReadonlyArray<CassetteAttack> = [
  ...onSealed,
  ...onMemories,
  ...receiptsOfOthers,
  ...onBirth,
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
  // No receipt stands before it, as before the first.
  stable(CHAIN, insert("write_receipts", { ...receipt(8, "add", "r"), parent_hash: "0".repeat(64) })),
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
  // Another path has a version beyond its own.
  stable(
    "A stable cassette withdraws the chunks of replaced documents alone",
    "DELETE FROM chunks WHERE document_id = 3"
  ),
  {
    message: "An append-only cassette keeps every chunk",
    mutability: "append-only",
    sql: "DELETE FROM chunks WHERE document_id = 1"
  }
]
