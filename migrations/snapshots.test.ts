/**
 * The snapshots are what databases are made of and checked against; the builders are how they were written. This
 * test holds the two together. Set UPDATE_SNAPSHOT=1 to write the snapshot of a version that is not released.
 */
import { createHash } from "node:crypto"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { corpusMigrations } from "./corpus/index.ts"
import { migrations } from "./index.ts"
import { networkMigrations } from "./network/index.ts"
import { builders, refuse, refuseFirst, statement, trigger } from "./statements.ts"

/**
 * The SHA-256 of every schema text that is frozen. A change of one of these files is a new version beside it: nothing here may
 * ever be replaced, only added.
 */
const frozen: Readonly<Record<string, string>> = {
  "0002": "138be86b7a2f1be4d9457db1e37b33f819a83c7242aaf73cecf03faea33efb44",
  "corpus/0001": "a919e2a68e7ba3b9607bc3f35a924c30287635bec577e0421dd43d0f1ae5d4a8",
  "network/0001": "fe55e5915573f90e9f9942f677731d7b8016ae3725dfd1697a26143b61edbb7b"
}

const histories = { "": migrations, "corpus/": corpusMigrations, "network/": networkMigrations }

const fileOf = (folder: string, version: number) =>
  new URL(`snapshots/${folder}${String(version).padStart(4, "0")}.ts`, import.meta.url)

const emitted = (statements: ReadonlyArray<string>) => statements.map((text) => `${text};\n\n`).join("")

/** A snapshot is a module, so that it goes wherever the program goes, also into one file. */
const moduleOf = (text: string) =>
  "// Written by migrations/snapshots.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.\n" +
  `export const schema = \`${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\`\n`

const snapshotOf = async (folder: string, version: number): Promise<string> =>
  ((await import(fileOf(folder, version).href)) as { readonly schema: string }).schema

describe("snapshots", () => {
  for (const [folder, history] of Object.entries(histories)) {
    for (const { name, statements, version } of history) {
      it(`${name}: the builders emit the snapshot, byte for byte`, async () => {
        const text = emitted(statements())
        if (process.env["UPDATE_SNAPSHOT"] === "1") writeFileSync(fileOf(folder, version), moduleOf(text))
        expect(readFileSync(fileOf(folder, version), "utf8")).toBe(moduleOf(text))
        expect(await snapshotOf(folder, version)).toBe(text)
      })
    }

    it(`each version in ${folder || "the folder itself"} is the one that was frozen`, async () => {
      for (const { version } of history) {
        const name = `${folder}${String(version).padStart(4, "0")}`
        const text = await snapshotOf(folder, version)
        expect({ [name]: createHash("sha256").update(text).digest("hex") }).toEqual({ [name]: frozen[name] })
      }
    })

    it(`there is one for each version in ${folder || "the folder itself"}`, () => {
      const names = readdirSync(new URL(`snapshots/${folder}`, import.meta.url))
      expect(names.filter((name) => name.endsWith(".ts"))).toEqual(
        history.map(({ version }) => `${String(version).padStart(4, "0")}.ts`)
      )
    })
  }

  it("no folder is forgotten, and a ledger starts from its own", async () => {
    const entries = readdirSync(new URL("snapshots/", import.meta.url), { withFileTypes: true })
    expect(entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`)).toEqual(
      Object.keys(histories).filter((folder) => folder !== "")
    )
    const database = new Database(":memory:")
    for (const { version } of migrations) {
      database.exec(await snapshotOf("", version))
    }
    expect(database.prepare("SELECT * FROM head").all()).toEqual([{ one: 1, size: 0, hash: "0".repeat(64) }])
    database.close()
  })

  it("no statement calls a table old or new, whose columns SQLite would take for the row's", () => {
    for (const history of Object.values(histories)) {
      for (const { statements } of history) {
        for (const text of statements()) {
          expect(text).not.toMatch(/\b(?:as|from|join)\s+["`[]?(?:old|new)\b(?!["`\]]?\s*\.)/i)
          expect(text).not.toMatch(
            /\b(?:from|join)\s+["`[]?\w+["`\]]?\s+(?:as\s+)?["`[]?(?:old|new)\b(?!["`\]]?\s*\.)/i
          )
        }
      }
    }
  })

  it("versions ascend, and a name begins with its version", () => {
    for (const history of Object.values(histories)) {
      const versions = history.map(({ version }) => version)
      expect(versions).toEqual(versions.toSorted((a, b) => a - b))
      expect(new Set(versions).size).toBe(versions.length)
      for (const { name, version } of history) {
        expect(name.startsWith(`${String(version).padStart(4, "0")}-`)).toBe(true)
      }
    }
  })
})

describe("statements", () => {
  const db = builders<{ t: { a: number } }>()

  it("refuses a parameter that is left, wherever it stands", () => {
    const bound = sql`a IS ${1}`
    expect(() => statement(db.selectFrom("t").select("a").where("a", "=", 1))).toThrow(
      "cannot bind parameters"
    )
    expect(() => statement(refuse("no", bound))).toThrow("cannot bind parameters")
    const spec = { name: "x", timing: "BEFORE", event: "DELETE", on: "t", body: [refuse("no")] } as const
    expect(() => trigger({ ...spec, when: bound })).toThrow("cannot bind parameters")
    expect(() => trigger({ ...spec, body: [db.insertInto("t").values({ a: 1 })] })).toThrow(
      "cannot bind parameters"
    )
  })

  it("judges several rules in order over one row", () => {
    const rules = [
      ["first", sql`NEW.a IS 1`],
      ["it's second", sql`NEW.b IS x.b`]
    ] as const
    expect(statement(refuseFirst(rules, sql`(SELECT 1) LEFT JOIN x`))).toBe(
      "SELECT CASE\n" +
        "    WHEN NEW.a IS 1 THEN RAISE(ABORT, 'first')\n" +
        "    WHEN NEW.b IS x.b THEN RAISE(ABORT, 'it''s second')\n" +
        "  END FROM (SELECT 1) LEFT JOIN x"
    )
  })

  it("writes a message with an apostrophe as SQL does", () => {
    expect(statement(refuse("it's"))).toBe("SELECT RAISE(ABORT, 'it''s')")
  })
})
