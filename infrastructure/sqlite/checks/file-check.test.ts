/**
 * The judgement of a database's file, on every kind and version of ours: as it was made and after VACUUM, which moves views
 * behind all tables; a page that nothing uses, a page that is used and free, wrong counts, indexes that are not their tables'.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { pageSizeIn, withBit, withPage, withUsedPagesFree } from "../../testing/doctored-pages.ts"
import { storeKinds } from "../../testing/store-kinds.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { openForReading } from "../connection/better-sqlite3-host.ts"
import { fileFindings, openingFindings } from "./file-check.ts"
import type { SchemaStep } from "./schema-steps.ts"
import { lookThrough } from "../files/wal-leftovers.ts"

/** A database of these steps, after more statements. */
const made = (steps: ReadonlyArray<SchemaStep>, ...statements: ReadonlyArray<string>): string => {
  const file = join(temporaryFolder(), "made.db")
  const database = new Database(file)
  database.pragma("journal_mode = MEMORY")
  database.pragma("synchronous = OFF")
  for (const step of steps) for (const statement of step.statements) database.exec(statement)
  for (const statement of statements) database.exec(statement)
  database.close()
  return file
}

const judged = (bytes: Buffer, judge = fileFindings): ReadonlyArray<DatabaseFinding> => {
  const file = join(temporaryFolder(), "judged.db")
  writeFileSync(file, bytes)
  return lookThrough(openForReading(file), judge)
}

const messages = (findings: ReadonlyArray<DatabaseFinding>): string =>
  findings.map(({ message, where }) => `${where}: ${message}`).join("\n")

/** SQLite's own check alone. */
const ownCheck = (bytes: Buffer): string => {
  const file = join(temporaryFolder(), "own.db")
  writeFileSync(file, bytes)
  const database = new Database(file, { readonly: true })
  const [row] = database.pragma("integrity_check") as ReadonlyArray<{ integrity_check: string }>
  database.close()
  return row?.integrity_check ?? ""
}

/** What a free page needs to be there: a table, filled and dropped. */
const FREED = ["CREATE TABLE freed (a)", "INSERT INTO freed SELECT randomblob(9000)", "DROP TABLE freed"]

describe.for(Object.entries(storeKinds))("the pages of a %s", ([, { steps }]) => {
  describe.for([
    ["as it was made", []],
    ["with free pages", FREED],
    ["after VACUUM", ["VACUUM"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<string>]>)("%s", ([, statements]) => {
    const sound = () => readFileSync(made(steps(), ...statements))

    it("are each used once", () => {
      expect(judged(sound())).toEqual([])
      expect(judged(sound(), openingFindings)).toEqual([])
    })

    it("are found where one belongs to nothing", () => {
      expect(judged(withPage(sound()))).not.toEqual([])
    })

    it("are found where pages in use are free too", () => {
      expect(judged(withUsedPagesFree(sound(), [3, 4]))).not.toEqual([])
      expect(messages(judged(withUsedPagesFree(sound(), [3, 4]), openingFindings))).not.toBe("")
    })

    it("are found where the count of free ones is another", () => {
      expect(judged(withBit(sound(), 39, 0))).not.toEqual([])
      expect(judged(withBit(sound(), 39, 0), openingFindings)).not.toEqual([])
    })
  })

  it.each(["FULL", "INCREMENTAL"])(
    "are not judged sound with auto_vacuum = %s: no file of ours has pages of pointers",
    (kind) => {
      const bytes = readFileSync(made(steps(), `PRAGMA auto_vacuum = ${kind}`, "VACUUM"))
      for (const judge of [fileFindings, openingFindings]) {
        expect(messages(judged(bytes, judge))).toContain("auto_vacuum")
      }
    }
  )

  it("SQLite's own account is complete: no view or virtual table comes first in its list", () => {
    expect(ownCheck(withPage(readFileSync(made(steps()))))).toContain("never used")
  })

  it("one name in the list of free pages changed is found, though every count agrees", () => {
    const sound = readFileSync(made(steps(), ...FREED, "VACUUM", ...FREED))
    const trunk = (sound.readUInt32BE(32) - 1) * pageSizeIn(sound)
    expect(sound.readUInt32BE(trunk + 4)).toBeGreaterThan(0)
    const changed = Buffer.from(sound)
    changed.writeUInt32BE(3, trunk + 8)
    expect(messages(judged(changed))).toMatch(/page 3|Page/)
  })
})
