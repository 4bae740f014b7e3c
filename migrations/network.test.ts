/**
 * Raw SQL against a cassette: what its mutability forbids, a REPLACE by any key and a write to a sealed one leave no
 * trace. Every refusal of every guard is also cut out once, and then an attack that it answered must get in: a new
 * guard without an attack fails here by itself.
 */
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { refusalsIn } from "./testing/attack.ts"
import { type CassetteAttack, cassetteAttacks as attacks } from "./testing/cassette-attacks.ts"
import {
  cassetteSchema as schema,
  cassetteTables as tables,
  dumpCassette as dump,
  openCassette
} from "./testing/cassette.ts"
import { literal } from "./testing/ledger.ts"

/** What came of an attack under this schema. */
const outcome = (text: string, attack: CassetteAttack, recursiveTriggers = false) => {
  const database = openCassette(text, attack)
  database.pragma(`recursive_triggers = ${recursiveTriggers}`)
  const before = dump(database)
  let error: string | undefined
  try {
    database.exec(attack.sql)
  } catch (thrown) {
    error = (thrown as Error).message
  }
  const changed = dump(database) !== before
  database.close()
  return { error, changed }
}

const refused = ({ message }: CassetteAttack) => ({ error: message, changed: false })

describe("a cassette", () => {
  it("refuses every attack, each with its own words, and keeps no trace", () => {
    for (const recursiveTriggers of [false, true]) {
      for (const attack of attacks) {
        expect({ attack, ...outcome(schema, attack, recursiveTriggers) }).toEqual({
          attack,
          ...refused(attack)
        })
      }
    }
  })

  it("has every table attacked that it has", () => {
    const database = new Database(":memory:")
    database.exec(schema)
    const names = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'chunks_fts%' ORDER BY name"
      )
      .pluck()
      .all()
    database.close()
    expect(names).toEqual(tables.toSorted())
  })
})

const triggers = schema.split(/(?=^CREATE TRIGGER )/m).filter((text) => text.startsWith("CREATE TRIGGER "))

describe("without the refusal", () => {
  for (const text of triggers) {
    const name = /^CREATE TRIGGER "(\w+)"/.exec(text)?.[1] ?? ""
    const table = / ON "(\w+)"/.exec(text)?.[1] ?? ""
    for (const message of refusalsIn(text)) {
      it(`"${message}" of ${name}, an attack gets in`, () => {
        const lines = text.split("\n").filter((line) => !line.includes(`RAISE(ABORT, ${literal(message)})`))
        const body = lines.join("\n").replace("BEGIN\nEND", "BEGIN\n  SELECT 1;\nEND")
        const weakened = schema.replace(text, () => body)
        expect(weakened).not.toBe(schema)
        const answered = attacks.filter(
          (attack) => attack.message === message && new RegExp(`\\b${table}\\b`).test(attack.sql)
        )
        expect(answered.some((attack) => outcome(weakened, attack).changed)).toBe(true)
      })
    }
  }
})
