// Cartridges: every kind of cassette comes back as it was, bit for bit, every change of one is found and named
// with its line, and nothing that an enemy hands over is followed, believed, or left half done.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import {
  entryHash,
  manifestHash,
  type CartridgeDocument,
  type CartridgeManifest,
  type CartridgeMemory,
  type CartridgeReceipt,
  type CartridgeSave
} from "../../../domain/network/cartridges/cartridge.ts"
import type { Mutability } from "../../../domain/network/cassette.ts"
import { memoryRecordHash, receiptHash, saveRecordHash } from "../../../domain/network/records.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { CassetteFile } from "../cassette-file.ts"
import { verifyCassetteFile } from "../verification/cassette-verification.ts"
import { finishWriting, removeDocument, seal } from "../writing/document-writing.ts"
import { saveMemory } from "../writing/memory-writing.ts"
import {
  exported,
  filesOf,
  hasPython,
  imported,
  manifestOf,
  refusalOf,
  secondVerdicts,
  verdictOf
} from "../testing/cartridges.ts"
import { at, local, newCassette, put } from "../testing/cassettes.ts"

const texts = [
  "\ufeffone\r\n",
  "two: cafe\u0301, 漢字 🚀",
  '\u0001\u001f"\\/ \u2028',
  "three\n\n# Head\n\nfour"
]

/** A cassette with a history: additions, changes, removals, an addition again. */
const withHistory = (folder: string, mutability: Mutability): string => {
  const { connection, file } = newCassette(folder, "one", mutability)
  for (const [index, text] of texts.entries()) put(connection, `docs/${index}.md`, text)
  put(connection, "docs/0.md", "changed", at(2))
  removeDocument(connection, "docs/1.md")
  put(connection, "docs/1.md", texts[1]!, at(3))
  removeDocument(connection, "docs/2.md")
  for (const [index, text] of ["remembered\r\n", "twice", "twice"].entries()) {
    const memory = { text, agent_id: index === 0 ? null : "ada", metadata: `{"n":${index}}` }
    expect(saveMemory(connection, memory, at(4)).outcome).toBe(
      mutability === "immutable" ? "refused" : "saved"
    )
  }
  if (mutability === "immutable") seal(connection)
  else finishWriting(connection)
  connection.close()
  return file
}

/** What a cassette holds, and what it finds. */
const contentOf = (file: string) => {
  const cassette = new CassetteFile(file, "one")
  const read = cassette.read(({ connection }) => ({
    documents: connection.all(
      "SELECT path, version, type, text, content_hash, record_hash, added_at, expires_at FROM documents ORDER BY path, version"
    ),
    memories: connection.all(
      "SELECT owner, text, content_hash, record_hash FROM memories ORDER BY owner, text"
    ),
    saves: connection.all(
      "SELECT save_number, agent_id, saved_at, expires_at, metadata, record_hash FROM saves ORDER BY record_hash"
    ),
    receipts: connection.all("SELECT * FROM write_receipts ORDER BY receipt_index"),
    meta: connection.all("SELECT * FROM network_meta ORDER BY key"),
    chunks: connection.all("SELECT chunk_id, hash, heading_path, byte_start FROM chunks ORDER BY chunk_id"),
    findings: verifyCassetteFile(connection, "one").findings
  }))
  cassette.close()
  if (!("value" in read)) throw new Error(read.reason)
  return read.value
}

const kinds = ["mutable", "read-write", "stable", "append-only", "immutable", "ephemeral"] as const

describe("export, import, export", () => {
  it.each(kinds)("gives the same bytes and the same cassette: %s", async (mutability) => {
    const folder = temporaryFolder()
    const file = withHistory(folder, mutability)
    await exported("one", file, join(folder, "first"))
    await exported("one", file, join(folder, "first.tar"), "tar")
    for (const [from, to] of [
      ["first", "of-folder.db"],
      ["first.tar", "of-tar.db"]
    ] as const) {
      const made = await imported(join(folder, from), join(folder, to))
      expect(Result.isSuccess(made)).toBe(true)
      expect(contentOf(join(folder, to))).toEqual(contentOf(file))
      expect(contentOf(join(folder, to)).findings).toEqual([])
      await exported("one", join(folder, to), join(folder, `${from}-again`))
      expect(filesOf(join(folder, `${from}-again`))).toEqual(filesOf(join(folder, "first")))
      await exported("one", join(folder, to), join(folder, `${from}-again.tar`), "tar")
      expect(
        readFileSync(join(folder, `${from}-again.tar`)).equals(readFileSync(join(folder, "first.tar")))
      ).toBe(true)
    }
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([])
    if (hasPython) {
      const paths = ["first", "first.tar"].map((name) => join(folder, name))
      expect(secondVerdicts(paths)).toEqual(["whole", "whole"])
    }
  })

  it("keeps hash and guards: a sealed cassette stays sealed, a stable one keeps its versions", async () => {
    const folder = temporaryFolder()
    const file = withHistory(folder, "immutable")
    await exported("one", file, join(folder, "out"))
    await imported(join(folder, "out"), join(folder, "back.db"))
    const handshakes = await Promise.all(
      [file, join(folder, "back.db")].map((each) => Effect.runPromise(local("one", each).handshake))
    )
    expect(handshakes[1]).toEqual(handshakes[0])
    const { connection } = newCassette(folder, "back", "immutable")
    expect(() => connection.run("DELETE FROM documents")).toThrow()
    connection.close()
  })

  it("names the properties of a cartridge", async () => {
    const folder = temporaryFolder()
    const { manifest } = await exported("one", withHistory(folder, "stable"), join(folder, "out"))
    expect(manifest).toMatchObject({
      id_scheme: "content-hash",
      encoding: "utf-8",
      normalization: "NFC",
      export_format: "cartridge",
      receipt_chain: "merkle",
      mutability: "stable",
      sealed: false
    })
    const [first] = filesOf(join(folder, "out"))["receipts.jsonl"]!.split("\n")
    expect(manifest.migration_receipt).toBe(
      `sha256:${(JSON.parse(first!) as { receipt_hash: string }).receipt_hash}`
    )
    expect(manifestOf(join(folder, "out"))).toEqual(manifest)
  })

  it("is of one moment while others write, and the same stays the same", async () => {
    const folder = temporaryFolder()
    const { connection, file } = newCassette(folder, "one")
    put(connection, "a/b.md", "first")
    expect((await exported("one", file, join(folder, "out"))).created).toBe(true)
    expect((await exported("one", file, join(folder, "out"))).created).toBe(false)
    put(connection, "a/c.md", "second")
    await expect(exported("one", file, join(folder, "out"))).rejects.toThrow(/exists and is not the same/)
    await expect(exported("one", file, join(folder, "none", "out"))).rejects.toThrow(/there is no folder/)
    connection.close()
  })

  it("does not export what does not agree with its hashes", async () => {
    const folder = temporaryFolder()
    const { connection, file } = newCassette(folder, "one")
    put(connection, "a/b.md", "first")
    connection.run("DROP TRIGGER tr_documents_update")
    connection.run("UPDATE documents SET text = 'second'")
    connection.close()
    await expect(exported("one", file, join(folder, "out"))).rejects.toThrow(/damaged \(documents a\/b\.md/)
    expect(readdirSync(folder).filter((name) => name.includes("out"))).toEqual([])
  })
})

describe("a cassette in which each agent has its own memories", () => {
  /** What these agents saved, among shared documents, in this order. */
  const written = (agents: ReadonlyArray<string>, mutability: Mutability = "mutable") => {
    const folder = temporaryFolder()
    const { connection, file } = newCassette(folder, "one", mutability, "private")
    put(connection, "docs/a.md", "of everybody", at(1))
    const steps = [
      ["ada", "a secret of ada", "{}"],
      ["bob", "a secret of bob", '{"kind":"bob-only"}'],
      ["ada", "common", "{}"],
      ["bob", "common", "{}"],
      ["ada", "a secret of ada", '{"again":true}']
    ] as const
    for (const [index, [agent_id, text, metadata]] of steps.entries()) {
      if (!agents.includes(agent_id)) continue
      saveMemory(connection, { text, agent_id, metadata }, at(index + 2))
    }
    put(connection, "docs/b.md", "of everybody too", at(8))
    connection.close()
    return { folder, file }
  }

  it.each(["mutable", "stable", "append-only", "ephemeral"] as const)(
    "is exported as if only the caller had ever written: %s",
    async (mutability) => {
      const both = written(["ada", "bob"], mutability)
      const alone = written(["ada"], mutability)
      await exported("one", both.file, join(both.folder, "out"), "folder", "ada")
      await exported("one", alone.file, join(alone.folder, "out"), "folder", "ada")
      expect(filesOf(join(both.folder, "out"))).toEqual(filesOf(join(alone.folder, "out")))
      expect(manifestOf(join(both.folder, "out"))).toMatchObject({
        agent_id: "ada",
        memories: "private",
        counts: { records: 7, receipts: 8 }
      })
      expect(JSON.stringify(filesOf(join(both.folder, "out")))).not.toMatch(/bob/)
    }
  )

  it("comes back for the same agent, bit for bit, and holds nothing of others", async () => {
    const { file, folder } = written(["ada", "bob"])
    await exported("one", file, join(folder, "out"), "folder", "ada")
    const made = await imported(join(folder, "out"), join(folder, "new.db"))
    expect(Result.isSuccess(made)).toBe(true)
    expect(contentOf(join(folder, "new.db")).findings).toEqual([])
    await exported("one", join(folder, "new.db"), join(folder, "again"), "folder", "ada")
    expect(filesOf(join(folder, "again"))).toEqual(filesOf(join(folder, "out")))
    await exported("one", file, join(folder, "nobody"))
    for (const agent of [null, "bob"]) {
      await exported("one", join(folder, "new.db"), join(folder, `for-${agent}`), "folder", agent)
      expect(manifestOf(join(folder, `for-${agent}`)).counts).toEqual({ records: 2, receipts: 3 })
    }
    expect(filesOf(join(folder, "for-null"))).toEqual(filesOf(join(folder, "nobody")))
    if (hasPython) {
      const paths = ["out", "nobody", "for-bob"].map((name) => join(folder, name))
      expect(secondVerdicts(paths)).toEqual(["whole", "whole", "whole"])
    }
  })
})

describe("an import", () => {
  it("never changes what is there, a log beside it included", async () => {
    const folder = temporaryFolder()
    const file = withHistory(folder, "mutable")
    await exported("one", file, join(folder, "out"))
    const before = readFileSync(file)
    for (const ending of ["", "-wal", "-journal"]) {
      const place = join(folder, "there.db")
      writeFileSync(`${place}${ending}`, "")
      const made = await imported(join(folder, "out"), place)
      expect(Result.isFailure(made) && made.failure._tag).toBe("CassetteFileExists")
      rmSync(`${place}${ending}`)
    }
    expect(Result.isFailure(await imported(join(folder, "out"), file))).toBe(true)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it("of two at once makes one cassette", async () => {
    const folder = temporaryFolder()
    await exported("one", withHistory(folder, "mutable"), join(folder, "out"))
    const place = join(folder, "below", "new.db")
    const made = await Promise.all([1, 2, 3].map(() => imported(join(folder, "out"), place)))
    expect(made.filter(Result.isSuccess)).toHaveLength(1)
    expect(contentOf(place).findings).toEqual([])
    expect(readdirSync(join(folder, "below"))).toEqual(["new.db"])
  })

  it("that fails leaves nothing", async () => {
    const folder = temporaryFolder()
    await exported("one", withHistory(folder, "mutable"), join(folder, "out"))
    truncateSync(
      join(folder, "out", "records.jsonl"),
      statSync(join(folder, "out", "records.jsonl")).size - 1
    )
    mkdirSync(join(folder, "below"))
    const made = await imported(join(folder, "out"), join(folder, "below", "new.db"))
    expect(Result.isFailure(made) && made.failure).toMatchObject({
      code: "LINE_CUT_OFF",
      file: "records.jsonl"
    })
    expect(readdirSync(join(folder, "below"))).toEqual([])
  })
})

describe("a hostile cartridge", () => {
  const kept = keptFolder()
  beforeAll(async () => {
    const { connection, file } = newCassette(kept.folder, "one")
    for (const name of ["a", "b", "c"]) put(connection, `docs/${name}.md`, `text of ${name}`)
    connection.close()
    await exported("one", file, join(kept.folder, "out"))
  })
  afterAll(kept.remove)
  /** Every cartridge with what was found, for the second checker. */
  const judged: Array<readonly [path: string, verdict: string]> = []
  const judge = (path: string): string => {
    const verdict = verdictOf(path)
    judged.push([path, verdict])
    return verdict
  }
  /** A fresh cartridge of three records in the folder `out`, with a change. */
  const changed = async (change: (folder: string) => void) => {
    const folder = join(kept.folder, `${judged.length}`)
    mkdirSync(folder)
    cpSync(join(kept.folder, "out"), join(folder, "out"), { recursive: true })
    change(join(folder, "out"))
    const verdict = judge(join(folder, "out"))
    const made = await imported(join(folder, "out"), join(folder, "new.db"))
    expect(existsSync(join(folder, "new.db"))).toBe(Result.isSuccess(made))
    return verdict
  }
  const edit = (name: string, change: (text: string) => string) => (folder: string) => {
    const file = join(folder, name)
    writeFileSync(file, change(readFileSync(file, "utf8")))
  }
  const lines = (name: string, change: (lines: Array<string>) => ReadonlyArray<string>) =>
    edit(name, (text) =>
      change(text.trimEnd().split("\n"))
        .map((line) => `${line}\n`)
        .join("")
    )
  /** Changes a record's fields and makes its own hashes right again. */
  const forge = (index: number, fields: object) =>
    lines("records.jsonl", (all) => {
      const record = { ...(JSON.parse(all[index]!) as CartridgeDocument), ...fields }
      all[index] = jcsText({ ...record, entry_hash: entryHash(sha256, record) })
      return all
    })
  const forgeManifest = (fields: object) =>
    edit("manifest.json", (text) => {
      const manifest = { ...(JSON.parse(text) as CartridgeManifest), ...fields }
      return `${jcsText({ ...manifest, manifest_hash: manifestHash(sha256, manifest) })}\n`
    })
  const outside = (folder: string) => join(folder, "..", "outside")

  it.each<[string, string, (folder: string) => void]>([
    ["unchanged", "whole", () => {}],
    ["a surplus file", "FILE_EXTRA extra null", (folder) => writeFileSync(join(folder, "extra"), "")],
    [
      "a folder instead of a file",
      "FILE_KIND records.jsonl null",
      (folder) => {
        rmSync(join(folder, "records.jsonl"))
        mkdirSync(join(folder, "records.jsonl"))
      }
    ],
    [
      "a missing file",
      "FILE_MISSING receipts.jsonl null",
      (folder) => rmSync(join(folder, "receipts.jsonl"))
    ],
    [
      "a link",
      "FILE_KIND records.jsonl null",
      (folder) => {
        renameSync(join(folder, "records.jsonl"), outside(folder))
        symlinkSync(outside(folder), join(folder, "records.jsonl"))
      }
    ],
    ["an empty manifest", "FIELD_INVALID manifest.json 1", edit("manifest.json", () => "")],
    ["two manifests", "FIELD_INVALID manifest.json 2", edit("manifest.json", (text) => text + text)],
    [
      "another version",
      "VERSION_UNSUPPORTED manifest.json 1",
      edit("manifest.json", (text) =>
        text.replace('"cartridge_version":"1.0"', '"cartridge_version":"2.0","new":1').replace(/,"new":1/, "")
      )
    ],
    [
      "another id",
      "MANIFEST_HASH_MISMATCH manifest.json 1",
      edit("manifest.json", (text) => text.replace('"cassette_id":"one"', '"cassette_id":"two"'))
    ],
    ["another root", "ROOT_MISMATCH records.jsonl null", forgeManifest({ records_root: "0".repeat(64) })],
    [
      "another count",
      "COUNT_MISMATCH receipts.jsonl null",
      forgeManifest({ counts: { receipts: 9, records: 3 } })
    ],
    ["another db_hash", "MANIFEST_DIFFERS manifest.json null", forgeManifest({ db_hash: "0".repeat(16) })],
    ["a false seal", "MANIFEST_DIFFERS manifest.json null", forgeManifest({ sealed: true })],
    ["another mutability", "RECEIPT_CHAIN_BROKEN receipts.jsonl 1", forgeManifest({ mutability: "stable" })],
    ["another time to live", "RECEIPT_CHAIN_BROKEN receipts.jsonl 1", forgeManifest({ ttl_ms: 1 })],
    ["another name", "RECEIPT_CHAIN_BROKEN receipts.jsonl 1", forgeManifest({ cassette_id: "two" })],
    [
      "a duplicate key",
      "LINE_MALFORMED records.jsonl 2",
      lines("records.jsonl", (all) => all.with(1, all[1]!.replace("{", '{"kind":"document",')))
    ],
    [
      "a blank",
      "LINE_MALFORMED receipts.jsonl 3",
      lines("receipts.jsonl", (all) => all.with(2, `${all[2]} `))
    ],
    ["an empty line", "LINE_MALFORMED receipts.jsonl 5", edit("receipts.jsonl", (text) => `${text}\n`)],
    [
      "deep JSON",
      "LINE_MALFORMED records.jsonl 1",
      lines("records.jsonl", (all) => ["[".repeat(1e6), ...all])
    ],
    ["another value", "FIELD_INVALID records.jsonl 1", lines("records.jsonl", (all) => ["[1]", ...all])],
    ["a further field", "FIELD_INVALID records.jsonl 1", forge(0, { zzz: 1 })],
    [
      "bad UTF-8",
      "LINE_MALFORMED records.jsonl 4",
      (folder) => appendFileSync(join(folder, "records.jsonl"), Uint8Array.of(0xff, 0x0a))
    ],
    [
      "a byte order mark",
      "LINE_MALFORMED receipts.jsonl 1",
      edit("receipts.jsonl", (text) => `\ufeff${text}`)
    ],
    [
      "half a pair",
      "LINE_MALFORMED records.jsonl 1",
      lines("records.jsonl", (all) => all.with(0, all[0]!.replace("text of a", "\\ud800")))
    ],
    ["a zero", "FIELD_INVALID records.jsonl 1", forge(0, { text: "\u0000" })],
    [
      "a huge line",
      "LINE_TOO_LONG receipts.jsonl 5",
      (folder) => appendFileSync(join(folder, "receipts.jsonl"), Buffer.alloc(4_000_000, 0x61))
    ],
    ["another text", "CONTENT_HASH_MISMATCH records.jsonl 2", forge(1, { text: "other" })],
    ["another path", "RECORD_HASH_MISMATCH records.jsonl 2", forge(1, { path: "docs/z.md" })],
    ["a path that escapes", "FIELD_INVALID records.jsonl 2", forge(1, { path: "../../z.md" })],
    ["an absolute path", "FIELD_INVALID records.jsonl 2", forge(1, { path: "/etc/passwd" })],
    [
      "another hash of a line",
      "ENTRY_HASH_MISMATCH records.jsonl 2",
      lines("records.jsonl", (all) =>
        all.with(1, all[1]!.replace(/"entry_hash":"[^"]*/, `"entry_hash":"${"0".repeat(64)}`))
      )
    ],
    ["another root", "ROOT_MISMATCH records.jsonl null", forgeManifest({ records_root: "0".repeat(64) })],
    [
      "another time",
      "RECORD_HASH_MISMATCH records.jsonl 2",
      lines("records.jsonl", (all) => all.with(1, all[1]!.replace("2026-01-01T", "2026-01-02T")))
    ],
    [
      "another time, hashed",
      "RECORD_HASH_MISMATCH records.jsonl 2",
      forge(1, { added_at: "2026-01-02T00:00:00.000Z" })
    ],
    ["no such day", "FIELD_INVALID records.jsonl 2", forge(1, { added_at: "2026-02-30T00:00:00.000Z" })],
    ["an end", "RECORD_HASH_MISMATCH records.jsonl 2", forge(1, { expires_at: "2026-01-02T00:00:00.000Z" })],
    [
      "records in another order",
      "ORDER_WRONG records.jsonl 2",
      lines("records.jsonl", ([a, b, c]) => [b!, a!, c!])
    ],
    [
      "a record twice",
      "ORDER_WRONG records.jsonl 2",
      lines("records.jsonl", ([a, b, c]) => [a!, a!, b!, c!])
    ],
    [
      "a record of no receipt",
      "RECORD_WITHOUT_RECEIPT records.jsonl 4",
      lines("records.jsonl", (all) => {
        const record = { ...(JSON.parse(all[2]!) as CartridgeDocument), receipt_index: 5 }
        return [...all, jcsText({ ...record, entry_hash: entryHash(sha256, record) })]
      })
    ],
    [
      "a receipt of no record",
      "RECORD_MISSING receipts.jsonl 3",
      lines("records.jsonl", ([a, , c]) => [a!, c!])
    ],
    [
      "receipts in another order",
      "RECEIPT_CHAIN_BROKEN receipts.jsonl 2",
      lines("receipts.jsonl", ([m, a, b, c]) => [m!, b!, a!, c!])
    ],
    [
      "a changed receipt",
      "RECEIPT_HASH_MISMATCH receipts.jsonl 2",
      lines("receipts.jsonl", (all) => all.with(1, all[1]!.replace('"rule":"mutable"', '"rule":"stable"')))
    ],
    [
      "a cut chain",
      "RECORD_WITHOUT_RECEIPT records.jsonl 3",
      lines("receipts.jsonl", (all) => all.slice(0, 3))
    ],
    [
      "nothing at all",
      "COUNT_MISMATCH receipts.jsonl null",
      (folder) => {
        for (const name of ["receipts.jsonl", "records.jsonl"]) truncateSync(join(folder, name), 0)
      }
    ]
  ])("%s", async (_, expected, change) => {
    expect(await changed(change)).toBe(expected)
  })

  /** A cartridge of one memory with two saves, with a change. */
  const changedMemories = async (change: (folder: string) => void) => {
    const folder = join(kept.folder, `${judged.length}`)
    mkdirSync(folder)
    const { connection, file } = newCassette(folder, "one", "mutable", "private")
    for (const metadata of ["{}", '{"n":2}']) {
      saveMemory(connection, { text: "secret", agent_id: "ada", metadata }, at(1))
    }
    connection.close()
    await exported("one", file, join(folder, "out"), "folder", "ada")
    change(join(folder, "out"))
    return judge(join(folder, "out"))
  }
  /** What stands in the lines of memories and their saves. */
  type Remembered = Omit<CartridgeMemory, "kind"> & Omit<CartridgeSave, "kind"> & { kind: "memory" }
  /** Changes a record and everything that follows from it but the roots. */
  const forgeRecord = (index: number, fields: object) => (folder: string) => {
    const read = (name: string) =>
      readFileSync(join(folder, name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as CartridgeReceipt & Remembered)
    const write = (name: string, values: ReadonlyArray<object>) =>
      writeFileSync(join(folder, name), values.map((value) => `${jcsText(value)}\n`).join(""))
    const records = read("records.jsonl")
    const record = { ...records[index]!, ...fields }
    const text = index === 0 ? { content_hash: sha256(record.text) } : {}
    const content = { ...record, ...text }
    const record_hash = index === 0 ? memoryRecordHash(sha256, content) : saveRecordHash(sha256, content)
    const entry = { ...content, record_hash }
    write("records.jsonl", records.with(index, { ...entry, entry_hash: entryHash(sha256, entry) }))
    let parent_hash = ""
    write(
      "receipts.jsonl",
      read("receipts.jsonl").map((receipt, at) => {
        const change = at === record.receipt_index - 1 ? { record_hash } : {}
        const named = Object.assign({}, receipt, at === 0 ? {} : { parent_hash }, change)
        parent_hash = receiptHash(sha256, named)
        return Object.assign(named, { receipt_hash: parent_hash })
      })
    )
  }

  it.each<[string, string, (folder: string) => void]>([
    ["unchanged", "whole", () => {}],
    ["for no agent", "RULE_BROKEN records.jsonl 1", forgeManifest({ agent_id: null })],
    ["of an agent, shared", "RULE_BROKEN manifest.json 1", forgeManifest({ memories: "shared" })],
    ["of another owner", "RULE_BROKEN records.jsonl 1", forgeRecord(0, { owner: "bob" })],
    ["with a huge text", "LIMIT_EXCEEDED records.jsonl 1", forgeRecord(0, { text: "x".repeat(1_048_577) })],
    ["saved by another", "RULE_BROKEN records.jsonl 2", forgeRecord(1, { agent_id: "bob" })],
    ["saved without an agent", "RULE_BROKEN records.jsonl 3", forgeRecord(2, { agent_id: null })],
    [
      "saved a third time without a second",
      "RULE_BROKEN records.jsonl 3",
      forgeRecord(2, { save_number: 3 })
    ],
    ["saved for something else", "RULE_BROKEN records.jsonl 3", forgeRecord(2, { memory: "0".repeat(64) })],
    [
      "saved with what expires",
      "RULE_BROKEN records.jsonl 2",
      forgeRecord(1, { expires_at: "2026-01-02T00:00:00.000Z" })
    ],
    ["with metadata that is none", "FIELD_INVALID records.jsonl 2", forgeRecord(1, { metadata: "[]" })],
    [
      "with metadata in another form",
      "FIELD_INVALID records.jsonl 3",
      forgeRecord(2, { metadata: '{ "n":2}' })
    ],
    [
      "with huge metadata",
      "LIMIT_EXCEEDED records.jsonl 2",
      forgeRecord(1, { metadata: `{"n":"${"x".repeat(16_384)}"}` })
    ],
    [
      "with other metadata",
      "RECORD_HASH_MISMATCH records.jsonl 3",
      lines("records.jsonl", (all) => all.with(2, all[2]!.replace('\\"n\\":2', '\\"n\\":3')))
    ],
    [
      "of no kind",
      "FIELD_INVALID records.jsonl 1",
      lines("records.jsonl", (all) => all.with(0, all[0]!.replace('"memory"', '"dream"')))
    ],
    [
      "without a save",
      "RULE_BROKEN records.jsonl null",
      (folder) => {
        lines("records.jsonl", (all) => all.slice(0, 1))(folder)
        lines("receipts.jsonl", (all) => all.slice(0, 2))(folder)
      }
    ],
    [
      "with its saves elsewhere",
      "RULE_BROKEN receipts.jsonl 4",
      lines("records.jsonl", ([a, , c]) => [a!, c!])
    ]
  ])("a memory %s", async (_, expected, change) => {
    expect(await changedMemories(change)).toBe(expected)
  })

  it("as a tar: every change of the archive itself is refused", async () => {
    const folder = join(kept.folder, "archives")
    mkdirSync(folder)
    const { connection, file } = newCassette(folder, "one")
    put(connection, "a/b.md", "first")
    connection.close()
    await exported("one", file, join(folder, "whole.tar"), "tar")
    const bytes = readFileSync(join(folder, "whole.tar"))
    const link = Buffer.from(bytes)
    link[156] = 0x32
    const second = bytes.indexOf("receipts.jsonl")
    const padded = Buffer.from(bytes)
    padded[second - 1] = 1
    for (const [index, [code, changedBytes]] of (
      [
        ["whole", bytes],
        ["ARCHIVE_MALFORMED", bytes.subarray(0, 100)],
        ["ARCHIVE_MALFORMED", bytes.subarray(0, bytes.length - 1)],
        ["ARCHIVE_MALFORMED", Buffer.concat([bytes, Buffer.alloc(512)])],
        ["ARCHIVE_MALFORMED", new Uint8Array(0)],
        ["ARCHIVE_MALFORMED", bytes.subarray(second)],
        ["ARCHIVE_MALFORMED", padded],
        ["ARCHIVE_MALFORMED", link]
      ] as const
    ).entries()) {
      const path = join(folder, `${index}.tar`)
      writeFileSync(path, changedBytes)
      expect(judge(path).split(" ")[0], path).toBe(code)
    }
    expect(judge(join(folder, "none"))).toMatch(/^FILE_MISSING /)
    expect(judge("/dev/null")).toMatch(/^FILE_KIND /)
  })

  it.skipIf(!hasPython)("is judged by the second checker in the same words", () => {
    expect(secondVerdicts(judged.map(([path]) => path))).toEqual(judged.map(([, verdict]) => verdict))
  })

  it("is found wherever one bit is turned", async () => {
    const folder = temporaryFolder()
    const { connection, file } = newCassette(folder, "one")
    put(connection, "a/b.md", "first")
    put(connection, "a/c.md", "second")
    connection.close()
    await exported("one", file, join(folder, "out"))
    for (const name of readdirSync(join(folder, "out"))) {
      const path = join(folder, "out", name)
      const whole = readFileSync(path)
      // A property, cartridges, turns any bit.
      for (let index = 0; index < whole.length; index += 11) {
        const turned = Buffer.from(whole)
        turned[index]! ^= 1 << (index % 8)
        writeFileSync(path, turned)
        const refusal = refusalOf(join(folder, "out"))
        expect(refusal, `${name} byte ${index}`).toMatchObject({ file: name })
        expect(refusal?.line).toBe(whole.subarray(0, index).toString("latin1").split("\n").length)
      }
      writeFileSync(path, whole)
    }
    cpSync(join(folder, "out"), join(folder, "copy"), { recursive: true })
    expect(refusalOf(join(folder, "copy"))).toBe(undefined)
  })
})
