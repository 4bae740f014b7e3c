/**
 * How SQLite runs the statements that are named: each fits the schema of a cassette and reaches its rows by an index or a key,
 * or says here that it reads a table from one end to the other.
 */
import { afterAll, describe, expect, it } from "vitest"
import { openBytes } from "../sqlite/connection/better-sqlite3-host.ts"
import * as cartridges from "./cartridges/cartridge-statements.ts"
import { cassetteSteps } from "./schema-snapshots.ts"
import * as reading from "./index/memory-statements.ts"
import * as vectors from "./vectors/vector-statements.ts"
import * as verification from "./verification/verification-statements.ts"
import * as carrying from "./writing/carrying-statements.ts"
import * as documents from "./writing/document-statements.ts"
import * as indexes from "./writing/index-statements.ts"
import * as memories from "./writing/memory-statements.ts"

const database = openBytes(Buffer.alloc(0))
for (const step of cassetteSteps()) for (const text of step.statements) database.run(text)
afterAll(() => database.close())

const statements = Object.entries({
  ...cartridges,
  ...carrying,
  ...documents,
  ...reading,
  ...verification,
  ...vectors,
  ...indexes,
  ...memories
}).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
  "sql" in value
    ? [[name, value.sql]]
    : Object.entries(value).map(([kind, { sql }]) => [`${name}.${kind}`, sql] as const)
)

/** What reads a table or an index from one end to the other. */
const scans: Readonly<Record<string, string>> = {
  // An export and the beginning of a reindex read all there is.
  "selectReceiptsOf.document": "SCAN r",
  "selectReceiptsOf.memory": "SCAN r",
  "selectReceiptsOf.save": "SCAN r",
  countVisibleRecords: "SCAN documents USING COVERING INDEX ix_documents_content",
  selectMemoryIds: "SCAN memories",
  "selectCarried.all": "SCAN documents USING INDEX sqlite_autoindex_documents_1",
  "selectCarried.newest": "SCAN d USING INDEX sqlite_autoindex_documents_1",
  selectRemembered: "SCAN memories USING COVERING INDEX sqlite_autoindex_memories_1",
  countRemembered:
    "SCAN m USING COVERING INDEX ix_memories_record; SCAN m USING COVERING INDEX ix_memories_record",
  countHeld:
    "SCAN documents USING COVERING INDEX ix_documents_content; SCAN saves USING COVERING INDEX sqlite_autoindex_saves_1",
  selectPaths: "SCAN documents USING COVERING INDEX sqlite_autoindex_documents_1",
  "selectSearched.all": "SCAN documents USING COVERING INDEX sqlite_autoindex_documents_1",
  "selectSearched.newest": "SCAN d USING COVERING INDEX sqlite_autoindex_documents_1",
  // One row, from the end.
  selectNewestReceipt: "SCAN write_receipts",
  selectNewestReceiptHash: "SCAN write_receipts",
  // What a cassette says of all its records.
  selectRecordHashes: "SCAN documents USING COVERING INDEX ix_documents_record",
  selectTypes: "SCAN documents",
  countFiles: "SCAN documents USING INDEX sqlite_autoindex_documents_1",
  // Verification reads everything; the lists of a segment are looked for among those of all.
  selectReceipts: "SCAN write_receipts",
  selectDocumentIds: "SCAN documents USING COVERING INDEX sqlite_autoindex_documents_1",
  countMatches: "SCAN chunks_fts VIRTUAL TABLE INDEX 0:M4",
  countStray: "SCAN chunks USING COVERING INDEX ix_chunks_document; SCAN chunk_terms",
  selectSegmentNumbers:
    "SCAN segments; SCAN postings USING COVERING INDEX ix_postings_term; SCAN chunk_terms",
  selectPostingsOf: "SCAN postings",
  selectWaiting: "SCAN t",
  selectAllSigns: "SCAN vector_signs",
  selectTailNumbers: "SCAN vector_tail",
  selectStrayVectors: "SCAN v USING COVERING INDEX sqlite_autoindex_vectors_1",
  // Who made the vectors stands beside each; asked once for an index run or a save.
  selectMakers: "SCAN vectors",
  // Texts without a vector are looked for along the index of hashes.
  selectUnembedded: "SCAN c USING INDEX ix_chunks_hash",
  // Few rows: a cassette has few memories, and tails are folded when they are long.
  selectUnembeddedOfMemory: "SCAN memories USING COVERING INDEX sqlite_autoindex_memories_1",
  selectMeta: "SCAN network_meta",
  countTail: "SCAN tail",
  selectTail: "SCAN t",
  deleteTail: "SCAN tail",
  countVectorTail: "SCAN vector_tail",
  selectVectorTail: "SCAN t",
  deleteVectorTail: "SCAN vector_tail",
  // A sweep, and a memory that is forgotten, look at everything.
  selectExpiredDocuments: "SCAN documents USING INDEX sqlite_autoindex_documents_1",
  selectExpiredMemories: "SCAN m",
  deleteEmptyPostings: "SCAN postings"
}

describe("the statement", () => {
  it.each(statements)("%s reaches its rows by a key or an index", (name, sql) => {
    const holes = Array.from({ length: sql.split("?").length - 1 }, () => null)
    const plan = database
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, holes)
      .map(({ detail }) => detail)
      .filter((detail) => detail.startsWith("SCAN ") && !/^SCAN (?:CONSTANT ROW|json_each)/.test(detail))
    expect(plan.join("; ")).toBe(scans[name] ?? "")
  })
})
