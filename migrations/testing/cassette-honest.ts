/**
 * Writes to a cassette that are allowed, so that a guard that is too strict refuses one: first what makes a cassette of
 * each kind, then what may follow in it. None of them may depend on another.
 */
import {
  chunk,
  chunkOfMemory,
  derived,
  document,
  insert,
  memory,
  named,
  OWNER,
  receipt,
  receiptOf,
  save,
  seal,
  segment,
  vector,
  type CassetteState,
  type Memories,
  type Mutability
} from "./cassette.ts"

/** Every kind of cassette. */
export const honestStates: ReadonlyArray<CassetteState & { readonly memories: Memories }> = [
  ...(["immutable", "stable", "mutable", "append-only", "ephemeral", "read-write"] as const).map(
    (mutability) => ({ mutability, memories: "shared" as const })
  ),
  { mutability: "mutable", memories: "private" }
]

const reindexing = "UPDATE network_meta SET value = '1' WHERE key = 'reindexing'"

const always: ReadonlyArray<string> = [
  "UPDATE network_meta SET value = '9' WHERE key = 'next_chunk'",
  insert("network_meta", { key: "extra", value: "1" }),
  // Other keys may say what a mutability, or who sees the memories, may not be.
  insert("network_meta", { key: "extra", value: "free" }),
  `${receiptOf("add", "record-4")}; ${insert("documents", document(4, "c.md", 1))}`,
  insert("chunks", chunk(9, 3, 1)),
  // The same ordinal in another document.
  insert("chunks", chunk(9, 4)),
  "UPDATE segments SET words = 7",
  insert("cassette_migrations", { version: 2, name: "0002", checksum: "c" }),
  "UPDATE cassette_migrations SET checksum = 'changed'",
  "DELETE FROM cassette_migrations",
  ...Object.entries(derived).flatMap(([table, [, other]]) => [
    insert(table, other),
    table === "vectors" ? `${reindexing}; DELETE FROM vectors` : `DELETE FROM ${table}`
  ]),
  // The first vector is that of its maker.
  `${reindexing}; DELETE FROM vectors; ${insert("vectors", { ...vector(9), model: "another" })}`,
  // A cassette that is filled from another's receipts gets only the records that are still there.
  `${reindexing}; ${receiptOf("add", "record-4")}; ${insert("write_receipts", receipt(8, "add", "record-5"))}`,
  ...Object.entries(derived)
    .filter(([table]) => table !== "vectors")
    .map(([table, [row]]) => `UPDATE ${table} SET ${Object.keys(row)[0]} = ${Object.keys(row)[0]}`),
  `${reindexing}; DELETE FROM chunks`,
  seal
]

const onMemories = (memories: Memories): ReadonlyArray<string> => [
  `${receiptOf("add", "memory-3")}; ${insert("memories", memory(3, memories))}`,
  `${receiptOf("add", "save-2")}; ${insert("saves", save(2, 1, 2))}`,
  `${receiptOf("add", "save-2")}; ${insert("saves", save(2, 2, 1))}`,
  insert("chunks", {
    ...chunkOfMemory(memories),
    chunk_number: memories === "private" ? 4_097 : 9,
    ordinal: 1
  })
]

const next = (number: number, operation: string, record: string): string =>
  insert("write_receipts", receipt(number, operation, record))
const removed = `${receiptOf("remove", "record-3")}; DELETE FROM documents WHERE document_id = 3`

const removals: ReadonlyArray<string> = [
  removed,
  // What was removed may come again, and go again.
  `${removed}; ${next(8, "add", "record-3")}; ${insert("documents", document(3, "b.md", 1))}; ${next(9, "remove", "record-3")}`,
  `${removed}; ${next(8, "add", "record-4")}; ${insert("documents", document(4, "c.md", 1))}; ${next(9, "migrate", "schema")}`,
  `${receiptOf("remove", "memory-2")}; DELETE FROM memories WHERE memory_id = 2`,
  `${receiptOf("remove", "save-1")}; DELETE FROM saves`,
  "DELETE FROM chunks",
  // A vector goes with the last chunk of its text.
  "DELETE FROM chunks WHERE hash = 'hash'; DELETE FROM vectors",
  // A migration may name the hash of a record: that takes nothing away.
  `${receiptOf("migrate", "record-3")}; ${next(8, "remove", "record-3")}; DELETE FROM documents WHERE document_id = 3`
]

const thirdVersion = `${receiptOf("add", "record-4")}; ${insert("documents", document(4, "a.md", 3))}`

const ofMutability: Readonly<Record<Mutability, ReadonlyArray<string>>> = {
  immutable: ["DELETE FROM chunks", receiptOf("seal", "none")],
  stable: ["DELETE FROM chunks WHERE document_id = 1", thirdVersion],
  mutable: removals,
  "append-only": [thirdVersion],
  ephemeral: removals,
  "read-write": removals
}

const inShared = `${receiptOf("add", "save-2")}; ${insert("saves", { ...save(2, 1, 2), agent_id: "another" })}`

// A text that its owner has remembered already.
const ofAnother = `${receiptOf("add", "memory-3")}; ${insert("memories", { ...memory(3, "private"), owner: "stranger", content_hash: named("content-1") })}`

/** What may follow in a cassette of this kind. */
export const honestWrites = ({
  memories,
  mutability
}: CassetteState & { readonly memories: Memories }): ReadonlyArray<string> => [
  ...always,
  ...ofMutability[mutability],
  ...(mutability === "immutable" ? [] : onMemories(memories)),
  ...(mutability === "immutable" || memories === "private" ? [] : [inShared]),
  ...(memories === "private" ? [insert("segments", segment(9, OWNER)), ofAnother] : [])
]
