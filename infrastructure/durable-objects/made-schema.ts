// What the ledger's statements make of an empty database, told without one: an object can make no second database to look. SQLite
// keeps the text of a statement from the name on, and makes an index for some constraints; a test compares this with SQLite.
import type { DatabaseHeader, MadeDatabase, SchemaObject } from "../sqlite/connection/sql-host.ts"

/** A database of an object, where no program sets anything in the header. */
export const OBJECT_HEADER: DatabaseHeader = { encoding: "UTF-8", application_id: 0, user_version: 0 }

/** How many indexes SQLite makes by itself for the constraints of a table. */
const CONSTRAINT_INDEXES: Readonly<Record<string, number>> = {
  cassette_messages: 2,
  cassette_steps: 1,
  cassette_receipts: 1,
  cassette_meta: 1,
  thought_records: 3
}

const creation = /^create ((?:unique )?(table|view|index|trigger)) "?(\w+)"?([\s\S]*)$/i

const objectOf = (statement: string): readonly [SchemaObject] | undefined => {
  const [, words = "", type = "", name = "", rest = ""] = creation.exec(statement) ?? []
  if (type === "") return undefined
  const [, table = name] = /^(?:index|trigger)$/i.test(type) ? (/\bon "?(\w+)"?/i.exec(rest) ?? []) : []
  const sql = `CREATE ${words.toUpperCase()}${statement.slice("create ".length + words.length)}`
  return [{ type: type.toLowerCase(), name, table, sql }]
}

const constraintIndexes = (table: string): ReadonlyArray<SchemaObject> =>
  Array.from({ length: CONSTRAINT_INDEXES[table] ?? 0 }, (_, index) => ({
    type: "index",
    name: `sqlite_autoindex_${table}_${index + 1}`,
    table,
    sql: null
  }))

const removal = /^drop (table|view|index|trigger) "?(\w+)"?$/i

/** The objects after one more statement: a later version may take away what an earlier one made. */
const after = (objects: ReadonlyArray<SchemaObject>, statement: string): ReadonlyArray<SchemaObject> => {
  const [, type = "", name = ""] = removal.exec(statement) ?? []
  if (type === "") return [...objects, ...(objectOf(statement) ?? [])]
  const isTable = type.toLowerCase() === "table"
  return objects.filter(
    (object) =>
      !(object.type === type.toLowerCase() && object.name === name) && !(isTable && object.table === name)
  )
}

/** What statements make of an empty database of an object. */
export const madeInObject = (statements: ReadonlyArray<string>): MadeDatabase => {
  const objects = statements.reduce<ReadonlyArray<SchemaObject>>(after, [])
  const indexes = objects.flatMap(({ name, type }) => (type === "table" ? constraintIndexes(name) : []))
  return { schema: [...objects, ...indexes], header: OBJECT_HEADER }
}
