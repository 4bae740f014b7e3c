// One cassette: what its mutability promises holds for our own writes and for raw SQL, every write leaves a receipt, and
// verification finds and locates every change behind its back.
import { readFileSync, writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Mutability } from "../../domain/network/cassette.ts"
import type { Receipt } from "../../domain/network/receipt-form.ts"
import { receiptHash } from "../../domain/network/records.ts"
import { sha256 } from "../hashing/sha256.ts"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import { type Connection, openForReading } from "../sqlite/connection/better-sqlite3-host.ts"
import { withBit, withUsedPagesFree } from "../testing/doctored-pages.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { CassetteFile } from "./cassette-file.ts"
import { addReceipt, copyReceipt } from "./cassette-schema.ts"
import { verifyCassetteFile } from "./verification/cassette-verification.ts"
import { saveMemory } from "./writing/memory-writing.ts"
import { finishWriting, reindex, removeDocument, seal, sweep } from "./writing/document-writing.ts"
import { at, cassetteWith, local, newCassette, put } from "./testing/cassettes.ts"
import { maker } from "./testing/vector-cassettes.ts"
import { foldSigns, putVectors, unembedded } from "./vectors/vector-writing.ts"

const codes = (connection: Connection) =>
  verifyCassetteFile(connection, "one").findings.map(({ code }) => code)

const markdown = "# One\n\nText of one.\n\n## Two\r\n\r\nText of two: multi-agent, naïve, 漢字.\n"

describe("mutability", () => {
  const outcomes = (mutability: Mutability) => {
    const { connection } = newCassette(temporaryFolder(), "one", mutability)
    const found = [
      put(connection, "a/b.md", "first"),
      put(connection, "a/b.md", "first"),
      put(connection, "a/b.md", "second"),
      removeDocument(connection, "a/b.md"),
      removeDocument(connection, "a/none.md")
    ]
    finishWriting(connection)
    expect(codes(connection)).toEqual([])
    connection.close()
    return found
  }
  it.each([
    ["mutable", ["added", "unchanged", "replaced", "removed", "unchanged"]],
    ["read-write", ["added", "unchanged", "replaced", "removed", "unchanged"]],
    ["stable", ["added", "unchanged", "replaced", "refused", "unchanged"]],
    ["append-only", ["added", "unchanged", "replaced", "refused", "unchanged"]],
    ["immutable", ["added", "unchanged", "refused", "refused", "unchanged"]],
    ["ephemeral", ["added", "unchanged", "replaced", "removed", "unchanged"]]
  ] as const)("%s", (mutability, expected) => expect(outcomes(mutability)).toEqual(expected))

  it("stable finds the newest version alone, append-only all of them", () => {
    for (const [mutability, chunks] of [
      ["stable", 1],
      ["append-only", 2]
    ] as const) {
      const { connection } = newCassette(temporaryFolder(), "one", mutability)
      put(connection, "a/b.md", "first")
      put(connection, "a/b.md", "second")
      expect(connection.all("SELECT version FROM documents")).toEqual([{ version: 1 }, { version: 2 }])
      expect(connection.all("SELECT * FROM chunks")).toHaveLength(chunks)
      connection.close()
    }
  })

  it("a sealed cassette refuses every write", () => {
    const { connection } = newCassette(temporaryFolder(), "one", "immutable")
    put(connection, "a/b.md", "first")
    seal(connection)
    expect(put(connection, "a/c.md", "second")).toBe("refused")
    for (const sql of [
      "INSERT INTO documents VALUES (9, 'p', 1, 't', 'x', 'h', 'r', 'n', NULL)",
      "DELETE FROM documents",
      "UPDATE documents SET text = 'x'",
      "DELETE FROM chunks",
      "DELETE FROM chunk_terms",
      "DELETE FROM postings",
      "UPDATE segments SET chunks = 0",
      "INSERT INTO tail VALUES (1, 1)",
      "UPDATE network_meta SET value = '0' WHERE key = 'sealed'",
      "INSERT INTO network_meta VALUES ('x', 'y')",
      "INSERT INTO write_receipts SELECT receipt_index + 1, receipt_hash, 'add', 'r', 'r', 'h' FROM write_receipts ORDER BY 1 DESC LIMIT 1"
    ]) {
      expect(() => connection.run(sql), sql).toThrow()
    }
    expect(codes(connection)).toEqual([])
    connection.close()
  })

  it("an ephemeral cassette is swept of what has expired", () => {
    const { connection } = newCassette(temporaryFolder(), "one", "ephemeral")
    put(connection, "a/old.md", "old", at(1))
    put(connection, "a/new.md", "new", at(3))
    expect(sweep(connection, at(2).now)).toEqual(["a/old.md"])
    expect(connection.all("SELECT path FROM documents")).toEqual([{ path: "a/new.md" }])
    expect(codes(connection)).toEqual([])
    connection.close()
  })
})

describe("raw SQL", () => {
  const attacks = [
    "UPDATE documents SET text = 'forged'",
    "INSERT INTO documents VALUES (9, 'p', 1, 't', 'x', 'h', 'r', 'n', NULL)",
    "INSERT OR REPLACE INTO documents SELECT document_id, path, version, type, 'forged', content_hash, record_hash, added_at, NULL FROM documents",
    "DELETE FROM documents",
    "UPDATE write_receipts SET rule = 'x'",
    "DELETE FROM write_receipts",
    "INSERT OR REPLACE INTO write_receipts SELECT * FROM write_receipts",
    "INSERT INTO write_receipts VALUES (99, 'p', 'add', 'r', 'r', 'h')",
    "UPDATE network_meta SET value = 'mutable' WHERE key = 'mutability'",
    "UPDATE network_meta SET value = 'two' WHERE key = 'cassette_id'",
    "DELETE FROM network_meta",
    "INSERT OR REPLACE INTO network_meta VALUES ('mutability', 'mutable')",
    "UPDATE chunks SET hash = 'x'"
  ]
  it.each(attacks)("%s is refused", (sql) => {
    const { connection } = newCassette(temporaryFolder(), "one", "stable")
    put(connection, "a/b.md", "first")
    connection.pragma("foreign_keys = OFF")
    expect(() => connection.run(sql)).toThrow()
    expect(codes(connection)).toEqual([])
    connection.close()
  })
})

describe("vectors", () => {
  const embed = (connection: Connection, most: number) =>
    putVectors(
      connection,
      maker(2),
      unembedded(connection, most).map(({ hash }) => ({ hash, vector: Float32Array.of(0.6, -0.8) }))
    )
  const texts = (connection: Connection) =>
    connection.all("SELECT DISTINCT c.hash FROM vectors AS v JOIN chunks AS c ON c.hash = v.hash").length
  const vectorsIn = (connection: Connection) => connection.all("SELECT * FROM vectors").length

  it.each([
    ["replaced", "mutable", (connection: Connection) => put(connection, "a/b.md", "third")],
    ["replaced and kept", "stable", (connection: Connection) => put(connection, "a/b.md", "third")],
    ["removed", "read-write", (connection: Connection) => removeDocument(connection, "a/b.md")],
    ["swept", "ephemeral", (connection: Connection) => sweep(connection, at(2).now)],
    ["indexed again", "mutable", reindex]
  ] as const)("go with the last chunk of their text, when that is %s", (_, mutability, change) => {
    for (const folded of [false, true]) {
      const { connection } = newCassette(temporaryFolder(), "one", mutability)
      put(connection, "a/b.md", markdown)
      put(connection, "a/c.md", markdown, at(3))
      put(connection, "a/d.md", "Another text.", at(3))
      put(connection, "a/e.md", "A third text.", at(1))
      embed(connection, 100)
      if (folded) connection.transaction(() => foldSigns(connection))
      expect(codes(connection)).toEqual([])
      change(connection)
      expect(codes(connection)).toEqual([])
      expect(texts(connection)).toBe(vectorsIn(connection))
      connection.close()
    }
  })

  it("may be none, or of some texts only: that is no damage", () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", markdown)
    expect(codes(connection)).toEqual([])
    embed(connection, 1)
    expect(codes(connection)).toEqual([])
    put(connection, "a/c.md", "Another text.")
    expect(codes(connection)).toEqual([])
    expect(vectorsIn(connection)).toBe(1)
    connection.close()
  })
})

describe("verification", () => {
  const drop = (connection: Connection, ...triggers: ReadonlyArray<string>) => {
    const sql = triggers.map(
      (name) =>
        connection.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?", [name])[0]?.sql ?? ""
    )
    for (const name of triggers) connection.run(`DROP TRIGGER ${name}`)
    return () => {
      for (const text of sql) connection.run(text)
    }
  }
  const tampered = (change: string, ...triggers: ReadonlyArray<string>) => {
    const { connection } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", markdown)
    put(connection, "a/c.md", "Another text.")
    finishWriting(connection)
    // One vector has its signs in a segment, the others wait.
    for (const { hash } of unembedded(connection, 100)) {
      putVectors(connection, maker(2), [{ hash, vector: Float32Array.of(0.6, -0.8) }])
      const folded = connection.all("SELECT 1 FROM vector_signs")
      if (folded.length === 0) connection.transaction(() => foldSigns(connection))
    }
    expect(codes(connection)).toEqual([])
    const restore = drop(connection, ...triggers)
    connection.pragma("foreign_keys = OFF")
    connection.run(change)
    restore()
    const { findings } = verifyCassetteFile(connection, "one")
    connection.close()
    return findings
  }
  it.each([
    [
      "CONTENT_HASH_MISMATCH",
      "UPDATE documents SET text = replace(text, 'one', 'One') WHERE path = 'a/b.md'",
      "tr_documents_update"
    ],
    ["RECORD_HASH_MISMATCH", "UPDATE documents SET type = 'x' WHERE path = 'a/b.md'", "tr_documents_update"],
    [
      "RECEIPT_CHAIN_BROKEN",
      "UPDATE write_receipts SET rule = 'x' WHERE receipt_index = 2",
      "tr_write_receipts_append_only_update"
    ],
    ["RECORD_MISSING", "UPDATE documents SET record_hash = 'x' WHERE path = 'a/b.md'", "tr_documents_update"],
    [
      "RECORD_WITHOUT_RECEIPT",
      "UPDATE documents SET record_hash = 'x' WHERE path = 'a/b.md'",
      "tr_documents_update"
    ],
    ["CHUNK_DIFFERS", "UPDATE chunks SET hash = 'x' WHERE ordinal = 1", "tr_chunks_update"],
    [
      "TERMS_DIFFER",
      "UPDATE chunk_terms SET body = 'x' WHERE chunk_number = 0",
      "tr_chunk_terms_sealed_update"
    ],
    ["POSTINGS_DIFFER", "DELETE FROM postings WHERE term = 'text'", "tr_postings_sealed_delete"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET chunk_id = 'x'", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET ordinal = ordinal + 7", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET kind = 'x'", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET heading_path = 'x'", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET parent_ordinal = 7", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET byte_start = byte_start + 1", "tr_chunks_update"],
    ["CHUNK_DIFFERS", "UPDATE chunks SET byte_end = byte_end - 1", "tr_chunks_update"],
    [
      "CHUNK_DIFFERS",
      "INSERT INTO chunks SELECT 3000, chunk_id, 77, NULL, 9, hash, kind, '', NULL, 0, 3 FROM chunks LIMIT 1",
      "tr_chunks_insert"
    ],
    ["CHUNK_DIFFERS", "DELETE FROM segments", "tr_segments_sealed_delete"],
    ["TERMS_DIFFER", "INSERT INTO chunk_terms VALUES (3000, '', '', '', '')", "tr_chunk_terms_sealed_insert"],
    ["POSTINGS_DIFFER", "UPDATE postings SET last = last + 1", "tr_postings_sealed_update"],
    ["POSTINGS_DIFFER", "INSERT INTO postings VALUES ('x', 9, 1, 0, x'0101')", "tr_postings_sealed_insert"],
    ["POSTINGS_DIFFER", "INSERT INTO tail VALUES (3000, 1)", "tr_tail_sealed_insert"],
    ["POSTINGS_DIFFER", "UPDATE segments SET segment = 9", "tr_segments_owner_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET given = 0", "tr_segments_sealed_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET chunks = chunks + 1", "tr_segments_sealed_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET words = words - 1", "tr_segments_sealed_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET lengths = x'00'", "tr_segments_sealed_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET lengths = x'0100000001000000'", "tr_segments_sealed_update"],
    ["POSTINGS_DIFFER", "UPDATE segments SET lengths = zeroblob(20000)", "tr_segments_sealed_update"],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = 'two' WHERE key = 'cassette_id'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = 'none' WHERE key = 'mutability'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = 'none' WHERE key = 'memories'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = '2.0' WHERE key = 'schema_version'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = '0' WHERE key = 'ttl_ms'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = '1' WHERE key = 'reindexing'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = '1' WHERE key = 'sealed'",
      "tr_network_meta_update"
    ],
    ["DESCRIPTION_INVALID", "DELETE FROM network_meta WHERE key = 'memories'", "tr_network_meta_delete"],
    ["DESCRIPTION_INVALID", "INSERT INTO network_meta VALUES ('x', 'y')", "tr_network_meta_insert"],
    [
      "RULE_BROKEN",
      "UPDATE network_meta SET value = 'stable' WHERE key = 'mutability'",
      "tr_network_meta_update"
    ],
    ["RULE_BROKEN", "UPDATE documents SET expires_at = added_at", "tr_documents_update"],
    ["RECORD_HASH_MISMATCH", "UPDATE documents SET expires_at = added_at", "tr_documents_update"],
    [
      "RECORD_HASH_MISMATCH",
      "UPDATE documents SET added_at = '2026-01-01T00:00:00.001Z'",
      "tr_documents_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = value + 1 WHERE key = 'ttl_ms'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = 'private' WHERE key = 'memories'",
      "tr_network_meta_update"
    ],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = 'read-write' WHERE key = 'mutability'",
      "tr_network_meta_update"
    ],
    [
      "RULE_BROKEN",
      "UPDATE write_receipts SET operation = 'x' WHERE receipt_index = 2",
      "tr_write_receipts_append_only_update"
    ],
    [
      "FULL_TEXT_DIFFERS",
      "UPDATE chunk_terms SET body = 'x' WHERE chunk_number = 0",
      "tr_chunk_terms_sealed_update"
    ],
    ["VECTOR_INVALID", "UPDATE vectors SET data = x'0000803f0000803f'", "tr_vectors_update"],
    ["VECTOR_INVALID", "UPDATE vectors SET dimensions = 3", "tr_vectors_update"],
    ["VECTOR_INVALID", "UPDATE vectors SET dimensions = 9007199254740993", "tr_vectors_update"],
    ["VECTOR_INVALID", "UPDATE vectors SET revision = vector_id", "tr_vectors_update"],
    ["VECTOR_HASH_MISMATCH", "UPDATE vectors SET data = x'cdcc4cbf9a99193f'", "tr_vectors_update"],
    ["VECTOR_HASH_MISMATCH", "UPDATE vectors SET revision = '2'", "tr_vectors_update"],
    ["VECTOR_HASH_MISMATCH", "UPDATE vectors SET hash = 'x' WHERE vector_id = 1", "tr_vectors_update"],
    ["VECTOR_WITHOUT_CHUNK", "UPDATE vectors SET hash = 'x' WHERE vector_id = 1", "tr_vectors_update"],
    ["VECTOR_WITHOUT_CHUNK", "DELETE FROM chunks WHERE ordinal = 1", "tr_chunks_insert"],
    ["VECTOR_MISSING", "DELETE FROM vectors WHERE vector_id = 1", "tr_vectors_delete"],
    ["VECTOR_MISSING", "UPDATE network_meta SET value = '0' WHERE key = 'vectors'", "tr_network_meta_insert"],
    [
      "DESCRIPTION_INVALID",
      "UPDATE network_meta SET value = '1.0' WHERE key = 'vectors'",
      "tr_chunks_insert"
    ],
    ["SIGNS_DIFFER", "DELETE FROM vector_tail", "tr_vector_tail_sealed_delete"],
    ["SIGNS_DIFFER", "INSERT INTO vector_tail VALUES (9)", "tr_vector_tail_sealed_insert"],
    ["SIGNS_DIFFER", "UPDATE vector_signs SET signs = x'0000000003000000'", "tr_vector_signs_sealed_update"],
    ["SIGNS_DIFFER", "UPDATE vector_signs SET present = x'0000'", "tr_vector_signs_sealed_update"],
    ["SIGNS_DIFFER", "UPDATE vector_signs SET signs = x'0100000001000000'", "tr_vector_signs_sealed_update"],
    ["SCHEMA_EXTRA", "CREATE TABLE extra (a)", "tr_chunks_update"],
    ["TRIGGER_MISSING", "DROP TRIGGER tr_documents_update", "tr_chunks_update"]
  ])("finds %s", (code, change, trigger) => {
    expect(tampered(change, trigger).map((finding) => finding.code)).toContain(code)
  })

  it.each([
    ["adds what is there", "add", "mutable", "(SELECT record_hash FROM documents)"],
    ["removes what is not there", "remove", "mutable", "'x'"],
    ["removes what is kept", "remove", "stable", "(SELECT record_hash FROM documents)"],
    ["seals", "seal", "mutable", "'x'"]
  ] as const)("finds a receipt that %s, though its hash is right", (_, operation, mutability, record) => {
    const { connection } = newCassette(temporaryFolder(), "one", mutability)
    put(connection, "a/b.md", markdown)
    finishWriting(connection)
    const [row] = connection.all<{ record: string }>(`SELECT ${record} AS record`)
    const restore = drop(connection, "tr_write_receipts_chain_insert")
    connection.transaction(() => addReceipt(connection, operation, row?.record ?? "", mutability))
    restore()
    expect(codes(connection)).toContain("RULE_BROKEN")
    connection.close()
  })

  // A turned bit in the header of a row makes a text a blob, a number another one or nothing.
  it.each([
    ["documents", "text", "x'6162'"],
    ["documents", "expires_at", "9e999"],
    ["memories", "record_hash", "NULL"],
    ["saves", "agent_id", "x'6162'"],
    ["write_receipts", "operation", "x'6162'"],
    ["chunk_terms", "body", "5"],
    ["segments", "lengths", "NULL"],
    ["vectors", "dimensions", "9e999"],
    ["vector_signs", "present", "NULL"],
    ["network_meta", "value", "x'6162'"]
  ] as const)("finds a cell of %s %s that holds %s", (table, column, value) => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", markdown)
    saveMemory(connection, { text: "a memory", agent_id: "a", metadata: "{}" }, at(1))
    finishWriting(connection)
    const [first] = unembedded(connection, 1)
    putVectors(connection, maker(2), [{ hash: first!.hash, vector: Float32Array.of(0.6, -0.8) }])
    connection.transaction(() => foldSigns(connection))
    connection.close()
    const raw = new Database(file).unsafeMode()
    const schema = raw.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE name = ?").pluck()
    const own = schema.get(table)!
    const guards = raw
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
      )
      .all()
    const define = (sql: string, more: string) => {
      raw.pragma("writable_schema = ON")
      raw.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?").run(sql, table)
      raw.pragma("writable_schema = RESET")
      raw.exec(more)
    }
    define(
      own
        .replace(" strict", "")
        .replace(/,? ?without rowid$/, " without rowid")
        .replaceAll(/ (?:not null|text|integer|blob)(?=[ ,)])/g, ""),
      [...guards.map(({ name }) => `DROP TRIGGER ${name}`), `UPDATE ${table} SET ${column} = ${value}`].join(
        ";"
      )
    )
    define(own, guards.map(({ sql }) => sql).join(";"))
    raw.close()
    const damaged = openForReading(file)
    const { findings } = verifyCassetteFile(damaged, "one")
    damaged.close()
    // Each cell is told once, by its row: SQLite's own line, which tells the column alone, gives way to it.
    expect(findings.length).toBeGreaterThan(0)
    for (const { code, message, where } of findings) {
      expect(code).toBe("INTEGRITY")
      expect(where).toMatch(new RegExp(`^one ${table} \\S+ ${column}$`))
      expect(message).toMatch(/^the value is of type \w+, the column holds \w+$/)
    }
    expect(new Set(findings.map(({ where }) => where)).size).toBe(findings.length)
  })

  it("lets nothing be written behind a receipt whose hash is false, or whose record is missing", () => {
    const behind = (hashOf: (receipt: Receipt) => string) => {
      const { connection } = newCassette(temporaryFolder(), "one")
      put(connection, "a/b.md", markdown)
      const [end] = connection.all<{ receipt_index: number; receipt_hash: string }>(
        "SELECT receipt_index, receipt_hash FROM write_receipts ORDER BY receipt_index DESC LIMIT 1"
      )
      const next = {
        receipt_index: end!.receipt_index + 1,
        parent_hash: end!.receipt_hash,
        operation: "add",
        record_hash: sha256("nothing"),
        rule: "mutable"
      }
      copyReceipt(connection, { ...next, receipt_hash: hashOf(next) })
      const before = codes(connection)
      let refusal = ""
      try {
        put(connection, "a/c.md", "Another text.")
      } catch (error) {
        refusal = error instanceof DatabaseDamaged ? error.code : (error as Error).message
      }
      expect(codes(connection)).toEqual(before)
      connection.close()
      return { before, refusal }
    }
    expect(behind(() => sha256("false"))).toEqual({
      before: ["RECEIPT_CHAIN_BROKEN", "RECORD_MISSING"],
      refusal: "RECEIPT_CHAIN_BROKEN"
    })
    expect(behind((receipt) => receiptHash(sha256, receipt))).toEqual({
      before: ["RECORD_MISSING"],
      refusal: "The newest receipt's record is missing: it is written before the next receipt"
    })
  })

  it("names the document", () => {
    const change = "UPDATE documents SET text = 'x' WHERE path = 'a/b.md'"
    expect(tampered(change, "tr_documents_update")[0]?.where).toBe("one documents a/b.md")
  })

  it("finds words that the full-text index holds and does not find any more", () => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    // More words than one page of that index holds.
    put(connection, "a/b.md", Array.from({ length: 3_000 }, (_, n) => `word${n * 7_919}`).join(" "))
    finishWriting(connection)
    connection.close()
    const raw = new Database(file).unsafeMode()
    raw.exec("DELETE FROM chunks_fts_idx")
    raw.close()
    const damaged = openForReading(file)
    expect(codes(damaged)).toEqual(["FULL_TEXT_DIFFERS"])
    damaged.close()
  })

  it.each([
    "DELETE FROM chunks_fts_idx",
    "UPDATE chunks_fts_idx SET pgno = pgno + 2",
    "INSERT INTO chunks_fts_idx VALUES (9, x'', 2)",
    "UPDATE chunks_fts_config SET v = 5",
    "INSERT INTO chunks_fts_config VALUES ('rank', 'bm25(1)')",
    "DELETE FROM chunks_fts_config"
  ])("finds lists of a small full-text index that no question shows to be changed: %s", (change) => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", markdown)
    finishWriting(connection)
    connection.close()
    const raw = new Database(file).unsafeMode()
    raw.exec(change)
    raw.close()
    const damaged = openForReading(file)
    expect(codes(damaged)).toContain("FULL_TEXT_DIFFERS")
    damaged.close()
  })

  it("ends with findings wherever a page is overwritten", () => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", markdown)
    finishWriting(connection)
    connection.pragma("journal_mode = DELETE")
    connection.close()
    const bytes = readFileSync(file)
    for (let page = 2; page <= bytes.length / 4_096; page++) {
      const harmed = Buffer.from(bytes)
      harmed.fill(0xff, (page - 1) * 4_096, page * 4_096)
      writeFileSync(file, harmed)
      const damaged = openForReading(file)
      expect(
        damaged.snapshot(() => codes(damaged).length > 0),
        `page ${page}`
      ).toBe(true)
      damaged.close()
    }
  })

  it("finds a flipped bit in the file", () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", "marker of this text")
    finishWriting(connection)
    const restore = drop(connection, "tr_documents_update")
    connection.run("UPDATE documents SET text = replace(text, 'marker', 'narker')")
    restore()
    expect(codes(connection)).toContain("CONTENT_HASH_MISMATCH")
    connection.close()
  })
})

describe("indexes", () => {
  it("are made again from the documents, and then say the same", () => {
    const { connection } = newCassette(temporaryFolder(), "one", "stable")
    put(connection, "a/b.md", markdown)
    put(connection, "a/b.md", `${markdown}more\n`)
    put(connection, "a/c.md", "Another text.")
    const picture = () =>
      connection.all("SELECT chunk_id, hash, byte_start, byte_end FROM chunks ORDER BY chunk_id")
    const before = picture()
    expect(reindex(connection)).toBe(before.length)
    expect(picture()).toEqual(before)
    expect(codes(connection)).toEqual([])
    connection.close()
  })

  it("agree with the documents through replacing and removing, folded and not", () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    for (let round = 0; round < 3; round++) {
      for (let name = 0; name < 4; name++) put(connection, `a/${name}.md`, `${markdown}${round} ${name}\n`)
      expect(codes(connection)).toEqual([])
      removeDocument(connection, `a/${round}.md`)
      expect(codes(connection)).toEqual([])
      finishWriting(connection)
      expect(codes(connection)).toEqual([])
    }
    connection.close()
  })

  it("keep texts byte for byte", async () => {
    const text = "\ufeff# T\r\n\r\ncafe\u0301 \u2028 x\t\n"
    const file = cassetteWith(temporaryFolder(), "one", { "a/b.md": text })
    const stored = new CassetteFile(file, "one")
    const read = stored.read(({ connection }) => connection.all("SELECT text FROM documents"))
    stored.close()
    expect(read).toEqual({ value: [{ text }] })
    const cassette = local("one", file)
    const [hit] = await Effect.runPromise(cassette.query("café", 1))
    expect(text).toContain(hit?.content)
    await Effect.runPromise(cassette.close)
  })
})

describe("a cassette that is only read", () => {
  it.each([
    ["whose header miscounts its free pages", (bytes: Buffer) => withBit(bytes, 39, 0)],
    ["whose list of free pages names pages in use", (bytes: Buffer) => withUsedPagesFree(bytes, [3, 4])],
    ["whose header has a value that no writer gives it", (bytes: Buffer) => withBit(bytes, 80, 3)]
  ] as const)("and %s is damaged, as for a writer, and verification tells all of it", (_, change) => {
    const file = cassetteWith(temporaryFolder(), "one", { "a/b.md": markdown })
    const bytes = change(readFileSync(file))
    writeFileSync(file, bytes)
    const asked = new CassetteFile(file, "one")
    expect(asked.read(() => "read")).toMatchObject({
      status: "error",
      reason: expect.stringMatching(/^the file is damaged .*cortex network verify/)
    })
    asked.close()
    const verifying = new CassetteFile(file, "one", { asFound: true })
    const verified = verifying.read(({ connection }) => verifyCassetteFile(connection, "one"))
    verifying.close()
    expect(verified).toMatchObject({ value: { facts: { documents: 1 } } })
    const { findings } = (verified as { readonly value: ReturnType<typeof verifyCassetteFile> }).value
    expect(findings.map(({ code }) => code)).toContain("INTEGRITY")
    expect(readFileSync(file)).toEqual(bytes)
  })
})

describe("the handshake", () => {
  it("names content, not the file's bytes", async () => {
    const shake = async (documents: Readonly<Record<string, string>>) => {
      const cassette = local("one", cassetteWith(temporaryFolder(), "one", documents))
      const handshake = await Effect.runPromise(cassette.handshake)
      await Effect.runPromise(cassette.close)
      return handshake
    }
    const documents = { "research/a.md": "# A\n\ntext", "fixture/b.ts": "export const b = 1\n" }
    const handshake = await shake(documents)
    expect(handshake).toEqual({
      cassette_id: "one",
      db_path: "one.db",
      db_hash: handshake.db_hash,
      capabilities: ["fts", "research", "ast", "fixtures"],
      schema_version: "1.0",
      protocol: "SNP",
      protocol_version: "1.0",
      embedding_model: null,
      mutability: "mutable",
      stats: { total_chunks: 2, with_vectors: 0, files: 2, content_types: ["fixture", "research"] }
    })
    expect(handshake.db_hash).toMatch(/^[0-9a-f]{16}$/)
    const reordered = Object.fromEntries(Object.entries(documents).toReversed())
    expect((await shake(reordered)).db_hash).toBe(handshake.db_hash)
    expect((await shake({ ...documents, "research/a.md": "other" })).db_hash).not.toBe(handshake.db_hash)
  })
})
