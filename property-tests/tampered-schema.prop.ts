// Tampering campaign, schema: every trigger is dropped, and made again with nothing in it; every index is dropped, made
// for other rows and left without its entries; every view and table gets another definition; and objects are added.
// The rung of the structure alone must find and name each.

import Database from "better-sqlite3"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaigns/campaign-ledger.ts"
import { CampaignScore } from "./support/campaigns/campaign-score.ts"

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

let ledger: CampaignLedger
let objects: ReadonlyArray<SchemaObject>
beforeAll(async () => {
  ledger = await makeCampaignLedger()
  const database = new Database(Buffer.from(ledger.bytes))
  objects = database
    .prepare<[], SchemaObject>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    )
    .all()
  database.close()
})
afterAll(() => ledger.close())

const after = (change: (database: Database.Database) => void): Buffer => {
  const database = new Database(Buffer.from(ledger.bytes))
  try {
    database.pragma("foreign_keys = OFF")
    change(database)
    return database.serialize()
  } finally {
    database.close()
  }
}

/** Another text in the schema, without any change of what it describes. */
const redefined = (database: Database.Database, { name, type }: SchemaObject, sql: string): void => {
  database.unsafeMode(true)
  database.pragma("writable_schema = ON")
  database.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = ? AND name = ?").run(sql, type, name)
  database.pragma("writable_schema = RESET")
}

const emptied = (sql: string): string => {
  const body = sql.indexOf("\nBEGIN\n")
  if (body === -1) throw new Error(`there is no body in ${sql}`)
  return `${sql.slice(0, body)}\nBEGIN\n  SELECT 1;\nEND`
}

type Changes = Readonly<Record<string, (database: Database.Database) => void>>

const changesOf = (object: SchemaObject): Changes => {
  const { name, sql, type } = object
  const drop = `DROP ${type} "${name}"`
  switch (type) {
    case "trigger":
      return {
        dropped: (database) => database.exec(drop),
        "made empty": (database) => database.exec(`${drop}; ${emptied(sql)}`)
      }
    case "index":
      return {
        dropped: (database) => database.exec(drop),
        "made for no row": (database) => database.exec(`${drop}; ${sql.split(" where ")[0]} where 0`),
        "made unique": (database) =>
          redefined(database, object, sql.replace(/create index/i, "create unique index"))
      }
    case "view":
      return {
        altered: (database) => redefined(database, object, `${sql} limit 1`),
        "made to show nothing": (database) =>
          redefined(database, object, sql.replace(/"size" \+ 1/, '"size" + 2'))
      }
    case "table":
      return {
        "without a rule": (database) => redefined(database, object, sql.replace(" not null", "")),
        "with a default": (database) =>
          redefined(database, object, sql.replace(" not null", " not null default 1"))
      }
    default:
      throw new Error(`${type} belongs to the campaign`)
  }
}

const additions = {
  "trigger added": "CREATE TRIGGER added BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END",
  "index added": "CREATE INDEX added ON events (hash)",
  "view added": "CREATE VIEW added AS SELECT * FROM head",
  "table added": "CREATE TABLE added (x)"
} as const

describe("an object of the schema", () => {
  it("that is dropped or changed is found and named", async () => {
    const score = new CampaignScore("schema")
    for (const object of objects) {
      const place = `${object.type} ${object.name}`
      for (const [kind, change] of Object.entries(changesOf(object))) {
        await score.judge(`${place} ${kind}`, ledger.verify(after(change), { rungs: ["structure"] }), [place])
      }
    }
    for (const [place, sql] of Object.entries(additions)) {
      const bytes = after((database) => database.exec(sql))
      await score.judge(place, ledger.verify(bytes, { rungs: ["structure"] }), [place])
    }
    score.end(2 * objects.length)
  })

  it("that is an index without its entries is found and named", async () => {
    const score = new CampaignScore("indexes without entries")
    const indexes = objects.filter(({ type }) => type === "index")
    for (const index of indexes) {
      const { name, sql } = index
      const bytes = after((database) => {
        database.exec(`DROP INDEX "${name}"; ${sql.split(" where ")[0]} where 0`)
        redefined(database, index, sql)
      })
      const report = await ledger.verify(bytes)
      const told = report.findings.filter(
        ({ code, message }) => code === "INTEGRITY" && message.includes(name)
      )
      await score.judge(`index ${name} emptied`, Promise.resolve({ ...report, findings: told }), ["database"])
    }
    score.end(indexes.length)
  })
})
