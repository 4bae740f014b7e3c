// Power cuts on a cassette of the network: its write-ahead log ends anywhere. What is opened afterwards has a prefix of
// the documents' writes with everything that was answered by then, and verifies: words, postings and receipts agree.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verifyCassetteFile } from "../infrastructure/network/verification/cassette-verification.ts"
import {
  finishWriting,
  prepareDocument,
  putDocuments,
  removeDocument
} from "../infrastructure/network/writing/document-writing.ts"
import { at, newCassette } from "../infrastructure/network/testing/cassettes.ts"
import {
  configureForWriting,
  type Connection,
  openForWriting
} from "../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { propParameters } from "./support/configuration.ts"
import { framesOf } from "./support/damage/wal-file.ts"

const ID = "one"
const WRITES = 40

const folder = mkdtempSync(join(tmpdir(), "cassette-cut-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The log's length (bytes) when so many writes had been answered. */
interface Mark {
  readonly writes: number
  readonly bytes: number
}

const receiptsOf = (connection: Connection): ReadonlyArray<string> =>
  connection
    .all<{ readonly receipt_hash: string }>("SELECT receipt_hash FROM write_receipts ORDER BY receipt_index")
    .map(({ receipt_hash }) => receipt_hash)

const note = (n: number) => ({
  path: `notes/${n % 5 === 4 ? n - 4 : n}.md`,
  type: "notes",
  text: `# Note ${n}\n\nWords of ${"many ".repeat(n)}kinds.\n`
})

/** One of several writes, of one document or of a group; folding into segments is what a cassette does now and then. */
const write = (connection: Connection, n: number): void => {
  if (n % 7 === 6) removeDocument(connection, `notes/${n - 3}.md`)
  else {
    const group = Array.from({ length: 1 + (n % 4) }, (_, number) => note(n + number * WRITES))
    putDocuments(connection, group.map(prepareDocument), at(1))
  }
  if (n % 10 === 9) finishWriting(connection)
}

let base = ""
let born = 0
let wal = Buffer.alloc(0)
let receipts: ReadonlyArray<string> = []
const answers: Array<Mark> = []

beforeAll(() => {
  const { connection: birth, file } = newCassette(folder, ID)
  born = receiptsOf(birth).length
  birth.close()
  base = `${file}-base`
  copyFileSync(file, base)
  // A reading transaction that is open from the beginning keeps every checkpoint from moving anything.
  const reader = new Database(file)
  reader.exec("BEGIN; SELECT count(*) FROM documents")
  const connection = openForWriting(file)
  configureForWriting(connection, "full")
  for (let n = 0; n < WRITES; n++) {
    write(connection, n)
    answers.push({ writes: receiptsOf(connection).length, bytes: statSync(`${file}-wal`).size })
  }
  wal = readFileSync(`${file}-wal`)
  receipts = receiptsOf(connection)
  connection.close()
  reader.close()
})

let files = 0

/** Holds what is opened after a cut against the run. */
const holds = (cut: Buffer): void => {
  const filename = join(folder, `${(files += 1)}.db`)
  copyFileSync(base, filename)
  writeFileSync(`${filename}-wal`, cut)
  const connection = openForWriting(filename)
  try {
    const whole = framesOf(cut).findLast(({ commits }) => commits)?.end ?? 0
    const found = receiptsOf(connection)
    // Exactly whole groups, after any cut.
    expect([born, ...answers.map(({ writes }) => writes)]).toContain(found.length)
    expect(found).toStrictEqual(receipts.slice(0, found.length))
    expect(found.length).toBeGreaterThanOrEqual(answers.findLast(({ bytes }) => bytes <= whole)?.writes ?? 0)
    expect(found.length).toBeLessThanOrEqual(answers.find(({ bytes }) => bytes >= whole)?.writes ?? 0)
    expect(verifyCassetteFile(connection, ID).findings).toStrictEqual([])
  } finally {
    connection.close()
    for (const part of ["", "-wal", "-shm"]) rmSync(`${filename}${part}`, { force: true })
  }
}

describe("a cassette after a power cut", () => {
  it("has a run to lose", () => {
    expect(receipts.length).toBeGreaterThan(WRITES / 2)
    expect(framesOf(wal).at(-1)?.end).toBe(wal.length)
  })

  it("at the end of any transaction has its first writes and verifies", () => {
    for (const { commits, end } of framesOf(wal)) {
      if (commits) holds(wal.subarray(0, end))
    }
  })

  it("at any byte has its first writes and verifies", () => {
    fc.assert(
      fc.property(fc.nat(), (number) => holds(wal.subarray(0, number % wal.length))),
      propParameters(0.5)
    )
  })
})
