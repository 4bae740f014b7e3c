// A process that forgets a memory, carries a cassette into another file or indexes many documents is killed (SIGKILL) at any
// moment. What is there afterwards verifies, with receipts that agree; forgetting and carrying are done or not, an index run has
// its first transactions; and the same thing done again comes to its end.

import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { CassetteFile } from "../infrastructure/network/cassette-file.ts"
import { verifyCassetteFile } from "../infrastructure/network/verification/cassette-verification.ts"
import { isUnfinished } from "../infrastructure/network/writing/index-state.ts"
import { metaOf } from "../infrastructure/network/writing/index-writing.ts"
import { fileIn, ID, operate, type Operation, prepare } from "./support/processes/cassette-operations.ts"
import { startScript } from "./support/processes/child-process.ts"
import { propParameters } from "./support/configuration.ts"

const root = mkdtempSync(join(tmpdir(), "cassette-kills-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Told {
  readonly did: "begin" | "end"
  readonly millis: number
}

const start = (folder: string, operation: Operation) => startScript<Told>("operation", [folder, operation])

/** What a cassette holds. */
const stateOf = (folder: string) => {
  const cassette = new CassetteFile(fileIn(folder), ID)
  const read = cassette.read(({ connection }) => {
    expect(verifyCassetteFile(connection, ID).findings).toEqual([])
    const rows = (sql: string) => connection.all<{ row: string }>(sql).map(({ row }) => row)
    return {
      mutability: metaOf(connection).get("mutability"),
      receipts: rows("SELECT receipt_hash AS row FROM write_receipts ORDER BY receipt_index"),
      documents: rows("SELECT path || ' ' || content_hash AS row FROM documents ORDER BY path"),
      saves: rows("SELECT record_hash AS row FROM saves ORDER BY save_number"),
      unfinished: isUnfinished(connection)
    }
  })
  cassette.close()
  if (!("value" in read)) throw new Error(`${read.status}: ${read.reason}`)
  return read.value
}
type State = ReturnType<typeof stateOf>

interface Prepared {
  readonly folder: string
  readonly before: State
  readonly after: State
  /** How long it takes undisturbed (milliseconds). */
  readonly millis: number
}

let folders = 0
const copyOf = (folder: string): string => {
  const copy = join(root, `${(folders += 1)}`)
  cpSync(folder, copy, { recursive: true })
  return copy
}

const prepared = async (operation: Operation): Promise<Prepared> => {
  const folder = join(root, operation)
  await prepare(folder, operation)
  const before = stateOf(folder)
  const whole = copyOf(folder)
  const child = start(whole, operation)
  const { how, stderr } = await child.ended
  expect(how, stderr).toBe(0)
  const after = stateOf(whole)
  expect(after.receipts).not.toEqual(before.receipts)
  return { folder, before, after, millis: child.told.at(-1)!.millis }
}

/** An index run leaves its first transactions, and says that it has not come to its end. */
const isBetween = ({ after, before }: Prepared, found: State): void => {
  expect(found.receipts.slice(0, before.receipts.length)).toEqual(before.receipts)
  const known = new Set([...before.documents, ...after.documents])
  expect(found.documents.filter((document) => !known.has(document))).toEqual([])
  const isDone = `${found.documents}` === `${after.documents}`
  const isBegun = found.receipts.length > before.receipts.length
  if (isBegun && !isDone) expect(found.unfinished).toBe(true)
  if (!isBegun) expect(found).toEqual(before)
}

/** Kills it after this share of the time that it takes, looks, and does it again. */
const killed = async (operation: Operation, whole: Prepared, share: number): Promise<void> => {
  const { after, before, folder, millis } = whole
  const copy = copyOf(folder)
  const child = start(copy, operation)
  try {
    await child.lines(1)
    await sleep(millis * share)
  } finally {
    child.kill()
  }
  const { how, stderr } = await child.ended
  expect([0, "SIGKILL"], stderr).toContain(how)
  const found = stateOf(copy)
  const isAcknowledged = child.told.some(({ did }) => did === "end")
  if (operation === "index") {
    isBetween(whole, found)
    if (isAcknowledged) expect(found.documents).toEqual(after.documents)
  } else expect(isAcknowledged ? [after] : [before, after]).toContainEqual(found)
  await operate(copy, operation)
  const again = stateOf(copy)
  expect({ ...again, receipts: [] }).toEqual({ ...after, receipts: [] })
  expect(readdirSync(join(copy, "CORTEX")).filter((name) => /\.new|\.partial/.test(name))).toEqual([])
  rmSync(copy, { recursive: true })
}

describe("a process that is killed while it", () => {
  it.each([
    ["forgets a memory", "forget"],
    ["indexes many documents", "index"],
    ["carries a cassette into another file", "migrate"]
  ] as const)("%s leaves all of it or nothing, and receipts that agree", async (_, operation) => {
    const whole = await prepared(operation)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 120 }), (percent) => killed(operation, whole, percent / 100)),
      propParameters(0.05)
    )
  })
})
