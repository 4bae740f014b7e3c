/**
 * Everything that a database says, and nothing of its pages: two files with the same dump are the same ledger.
 */
import Database from "better-sqlite3"

/** The whole content of a closed file as one text: its schema and every row of every table. */
export const dumpOf = (filename: string): string => {
  const database = new Database(filename, { readonly: true })
  const schema = database
    .prepare<[], { type: string; name: string }>(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    )
    .all()
  const rows = schema
    .filter(({ type }) => type === "table")
    .map(({ name }) => database.prepare(`SELECT * FROM "${name}" NOT INDEXED ORDER BY 1`).all())
  database.close()
  return JSON.stringify([schema, rows])
}
