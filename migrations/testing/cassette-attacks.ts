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
  named,
  receipt,
  receiptOf,
  OTHER_TEXT,
  save,
  seal,
  segment,
  vector,
  type CassetteState,
  type Row
} from "./cassette.ts"
import { literal } from "./ledger.ts"

const SEALED = "immutable: the cassette is sealed, nothing is written to it any more"
const removal = receiptOf("remove", "record-3")
const removed = `${removal}; DELETE FROM documents WHERE document_id = 3`
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
    // A vector whose text no chunk has any more could go.
    sealed(`DELETE FROM ${table}`, table === "vectors" ? "DELETE FROM chunks" : "")
  ]),
  // A vector is never changed, in a cassette that is open either.
  ...Object.entries(derived)
    .filter(([table]) => table !== "vectors")
    .map(([table, [row]]) => sealed(changeOf(table, row)))
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

interface ReceiptedWrite {
  readonly message: string
  readonly operation: "add" | "remove"
  readonly record: string
  readonly sql: string
  /** What takes it back. */
  readonly undo: string
}

// The receipt that makes a write right is not the newest any more, or is that of another operation or record.
const withWrongReceipt = ({ message, operation, record, sql, undo }: ReceiptedWrite) => {
  const [back, other] = operation === "add" ? ["remove", "record-4x"] : ["add", "record-1"]
  const undone = `${receiptOf(operation, record)}; ${sql}; ${insert("write_receipts", receipt(8, back, record))}; ${undo}`
  return [undone, receiptOf("migrate", record), receiptOf(operation, other)].map((first) =>
    mutable(message, sql, first)
  )
}

// Memories that were there before the cassette became immutable, which no statement can bring about afterwards.
const guardOf = (name: string): string => {
  const [text = ""] = new RegExp(`CREATE TRIGGER "${name}"[^]*?\nEND;`).exec(cassetteSchema) ?? []
  return text
}
const behind = (names: ReadonlyArray<string>, sql: string): string =>
  [...names.map((name) => `DROP TRIGGER ${name}`), sql, ...names.map(guardOf)].join("; ")

const RECEIPT_GUARD = "tr_write_receipts_chain_insert"
// A receipt that no guard lets in.
const strangeReceipt = (operation: string, record: string): string =>
  behind([RECEIPT_GUARD], receiptOf(operation, record))

const receiptsOfOthers: ReadonlyArray<CassetteAttack> = [
  {
    message: "A document needs the receipt of its write",
    operation: "add" as const,
    record: "record-4",
    sql: insert("documents", document(4, "c.md", 1)),
    undo: "DELETE FROM documents WHERE document_id = 4"
  },
  {
    message: "A document is removed only with the receipt of its removal",
    operation: "remove" as const,
    record: "record-3",
    sql: "DELETE FROM documents WHERE document_id = 3",
    undo: insert("documents", document(3, "b.md", 1))
  },
  {
    message: "A memory needs the receipt of its write",
    operation: "add" as const,
    record: "memory-3",
    sql: insert("memories", memory(3)),
    undo: "DELETE FROM memories WHERE memory_id = 3"
  },
  {
    message: "A memory is removed only with the receipt of its removal",
    operation: "remove" as const,
    record: "memory-2",
    sql: "DELETE FROM memories WHERE memory_id = 2",
    undo: insert("memories", memory(2))
  },
  {
    message: "A save needs the receipt of its write",
    operation: "add" as const,
    record: "save-2",
    sql: insert("saves", save(2, 1, 2)),
    undo: "DELETE FROM saves WHERE save_id = 2"
  },
  {
    message: "A save is removed only with the receipt of its removal",
    operation: "remove" as const,
    record: "save-1",
    sql: "DELETE FROM saves",
    undo: insert("saves", save(1, 1, 1))
  }
].flatMap(withWrongReceipt)

const onMemories: ReadonlyArray<CassetteAttack> = [
  immutable(NOTHING, insert("memories", memory(3)), newMemory),
  immutable(NOTHING, insert("saves", save(2, 1, 1)), newSave),
  mutable(KNOWN, insert("memories", { ...memory(3), memory_id: 1 }, "REPLACE"), newMemory),
  mutable(
    KNOWN,
    insert("memories", { ...memory(3), content_hash: named("content-1") }, "REPLACE"),
    newMemory
  ),
  mutable(OWNED, insert("memories", memory(3, "private")), newMemory),
  inPrivate(OWNED, insert("memories", memory(3)), newMemory),
  mutable("A memory needs the receipt of its write", insert("memories", memory(3))),
  mutable("A memory is never changed: another text is another memory", "UPDATE memories SET text = 'other'"),
  ...(["stable", "append-only"] as const).map((mutability) => ({
    message: KEEPS_MEMORIES,
    mutability,
    sql: "DELETE FROM memories WHERE memory_id = 2",
    first: strangeReceipt("remove", "memory-2")
  })),
  immutable(
    KEEPS_MEMORIES,
    "DELETE FROM memories",
    behind(
      ["tr_memories_insert", RECEIPT_GUARD],
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
    first: strangeReceipt("remove", "save-1")
  })),
  immutable(
    KEEPS_SAVES,
    "DELETE FROM saves",
    behind(
      ["tr_saves_insert", RECEIPT_GUARD],
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

// What is no hash.
const strange = (hash: string) => [
  hash.toUpperCase(),
  "ab",
  `${hash}ab`,
  `${hash.slice(1)}\u0000`,
  `${hash}\u0000`,
  ...["/", ":", "`", "g"].flatMap((char) =>
    [0, 31, 63].map((index) => `${hash.slice(0, index)}${char}${hash.slice(index + 1)}`)
  )
]

const onVectors: ReadonlyArray<CassetteAttack> = [
  ...["hash = 'other'", "data = x'11'", "vector_id = 9"].map((change) =>
    mutable(
      "A vector is never changed: it is removed, and made again from its text",
      `UPDATE vectors SET ${change}`
    )
  ),
  ...[vector(1, OTHER_TEXT), vector(9)].map((row) =>
    mutable(
      "A vector is stored already under this number or for this text",
      insert("vectors", row, "REPLACE")
    )
  ),
  mutable("A vector is that of a chunk's text", insert("vectors", vector(9, "the text of nothing"))),
  ...strange(named("x")).map((vector_hash) =>
    mutable(
      "A vector's vector_hash must be 64 lower-case hex digits",
      insert("vectors", { ...vector(9, OTHER_TEXT), vector_hash })
    )
  ),
  ...["x", null].map((data) =>
    mutable(
      "A vector has four bytes for each of its dimensions",
      insert("vectors", { ...vector(9, OTHER_TEXT), data })
    )
  ),
  ...[{ model: "other" }, { revision: "2" }, { dimensions: 2, data: "two" }, { normalizer: "other" }].map(
    (maker) =>
      mutable(
        "All vectors of a cassette have one maker",
        insert("vectors", { ...vector(9, OTHER_TEXT), ...maker })
      )
  ),
  mutable("A vector goes with the last chunk of its text", "DELETE FROM vectors"),
  mutable(
    "A vector goes with the last chunk of its text",
    "DELETE FROM vectors",
    "DELETE FROM chunks WHERE chunk_number < 3"
  )
]

const unborn = (message: string, sql: string): CassetteAttack => ({ ...mutable(message, sql), unborn: true })

const next = receipt(7, "add", "record-4")
const receiptWith = (changes: Row) => insert("write_receipts", { ...next, ...changes })

const onReceipts: ReadonlyArray<CassetteAttack> = [
  ...["record_hash", "receipt_hash"].flatMap((column) =>
    strange(named("x")).map((value) =>
      mutable("A receipt's hashes must be 64 lower-case hex digits", receiptWith({ [column]: value }))
    )
  ),
  ...strange(named("x")).map((value) =>
    unborn(
      "A receipt's hashes must be 64 lower-case hex digits",
      insert("write_receipts", { ...receipt(0, "migrate", "schema"), rule: "name", parent_hash: value })
    )
  ),
  mutable("A receipt is that of migrate, add, remove or seal", receiptWith({ operation: "zap" })),
  {
    ...mutable(
      "The first receipt of a cassette is that of its migration",
      insert("write_receipts", receipt(0, "add", "record-4")),
      insert("network_meta", { key: "mutability", value: "mutable" })
    ),
    unborn: true
  },
  mutable("A receipt's rule is the cassette's mutability", receiptWith({ rule: "other" })),
  mutable("A receipt's rule is the cassette's mutability", receiptWith({ rule: "0001-cassette" })),
  ...(["stable", "mutable", "append-only", "ephemeral", "read-write"] as const).map((mutability) => ({
    message: "Only an immutable cassette is sealed",
    mutability,
    sql: receiptWith({ operation: "seal" })
  })),
  immutable(
    "Nothing follows a seal",
    insert("write_receipts", receipt(8, "add", "record-4")),
    receiptOf("seal", "none")
  ),
  ...["record-3", "memory-1", "save-1"].map((record) =>
    mutable("A record that is there already is not added", receiptOf("add", record))
  ),
  mutable(
    "A record that is there already is not added",
    insert("write_receipts", receipt(8, "add", "record-3")),
    receiptOf("migrate", "record-3")
  ),
  mutable("A record that is not there is not removed", receiptOf("remove", "record-4")),
  mutable(
    "A record that is not there is not removed",
    insert("write_receipts", receipt(8, "remove", "record-3")),
    removed
  ),
  mutable(
    "A record that is not there is not removed",
    insert("write_receipts", receipt(8, "remove", "record-4")),
    receiptOf("migrate", "record-4")
  ),
  ...(["immutable", "stable", "append-only"] as const).map((mutability) => ({
    message: "immutable, stable and append-only cassettes remove nothing",
    mutability,
    sql: removal
  })),
  mutable(
    "The newest receipt's record is missing: it is written before the next receipt",
    insert("write_receipts", receipt(8, "add", "record-5")),
    addition
  ),
  ...["record-3", "memory-2", "save-1"].map((record) =>
    mutable(
      "The record that the newest receipt removed is still there: it goes before the next receipt",
      insert("write_receipts", receipt(8, "add", "record-5")),
      receiptOf("remove", record)
    )
  )
]

const kinds = {
  documents: ["A document", { ...document(4, "c.md", 1) }, { ...document(5, "d.md", 1) }],
  memories: ["A memory", memory(3), memory(4)],
  saves: ["A save", save(2, 2, 1), save(3, 1, 2)]
} as const

const timed = { documents: "added_at", saves: "saved_at" } as const

const onRecords: ReadonlyArray<CassetteAttack> = [
  // The newest receipt has its record already, of any kind.
  ...Object.entries(kinds).flatMap(([table, [what, , second]]) =>
    Object.entries(kinds).map(([other, [, first]]) =>
      mutable(
        `${what} is stored already under the receipt of its write`,
        insert(table, { ...second, record_hash: named("once") }),
        `${receiptOf("add", "once")}; ${insert(other, { ...first, record_hash: named("once") })}`
      )
    )
  ),
  ...(["documents", "memories"] as const).flatMap((table) => {
    const [what, row] = kinds[table]
    return strange(named("x")).map((content_hash) =>
      mutable(
        `${what}'s content_hash must be 64 lower-case hex digits`,
        insert(table, { ...row, record_hash: named("once"), content_hash }),
        receiptOf("add", "once")
      )
    )
  }),
  ...(["documents", "saves"] as const).flatMap((table) => {
    const [what, row] = kinds[table]
    const at = (mutability: "mutable" | "ephemeral", changes: Row, message: string) => ({
      message,
      mutability,
      sql: insert(table, { ...row, record_hash: named("once"), ...changes }),
      first: receiptOf("add", "once")
    })
    const form = `${what} has times of the form YYYY-MM-DDTHH:MM:SS.mmmZ`
    const end = "Records of an ephemeral cassette expire, and no others"
    return [
      at("mutable", { [timed[table]]: "2026-01-01 00:00:00" }, form),
      at("ephemeral", { [timed[table]]: "2026-01-01" }, form),
      at("ephemeral", { expires_at: "2027-01-01 00:00:00" }, form),
      at("ephemeral", { expires_at: null }, end),
      at("mutable", { expires_at: "2027-01-01T00:00:00.000Z" }, end)
    ]
  })
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
  ...onReceipts,
  ...onVectors,
  ...onRecords,
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
    stable(
      CHAIN,
      insert("write_receipts", { ...receipt(8, "add", "r"), parent_hash: named("receipt-6") }, verb)
    ),
    stable(
      CHAIN,
      insert("write_receipts", { ...receipt(7, "add", "r"), parent_hash: named("receipt-5") }, verb)
    ),
    stable(CHAIN, insert("write_receipts", receipt(6, "add", "r"), verb))
  ]),
  // No receipt stands before it, as before the first.
  stable(CHAIN, insert("write_receipts", { ...receipt(8, "add", "r"), parent_hash: "0".repeat(64) })),
  stable(RECEIPTS, "UPDATE write_receipts SET rule = 'other'"),
  stable(RECEIPTS, "DELETE FROM write_receipts"),
  stable(NUMBER, insert("documents", { ...document(4, "c.md", 1), document_id: 1 }, "REPLACE"), addition),
  stable(VERSION, insert("documents", document(4, "b.md", 1), "REPLACE"), addition),
  stable(VERSION, insert("documents", document(4, "b.md", 3)), addition),
  ...(["immutable", "mutable", "ephemeral", "read-write"] as const).map((mutability) => ({
    message: "only stable and append-only cassettes keep another version of a document",
    mutability,
    sql: insert("documents", document(4, "b.md", 2)),
    first: addition
  })),
  stable("A document needs the receipt of its write", insert("documents", document(4, "c.md", 1))),
  mutable("A document needs the receipt of its write", insert("documents", document(4, "c.md", 1)), removal),
  stable("A document is never changed: another text is another record", "UPDATE documents SET text = 'x'"),
  stable(
    "A document is never changed: another text is another record",
    "UPDATE OR REPLACE documents SET document_id = 2 WHERE document_id = 1"
  ),
  ...(["immutable", "stable", "append-only"] as const).map((mutability) => ({
    message: "immutable, stable and append-only cassettes keep every document",
    mutability,
    sql: "DELETE FROM documents WHERE document_id = 3",
    first: strangeReceipt("remove", "record-3")
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
