// Statements that an index run makes for every document or term: what they compare with a parameter is a row's own number, or
// the parameter is cast. SQLite would plan any other again for each value, which costs many times the look-up.
import { expect, it } from "vitest"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { finishWriting, prepareDocument, putDocuments, removeDocuments } from "./document-writing.ts"
import { at, newCassette } from "../testing/cassettes.ts"

const DOCUMENTS = 50

/** The statements that were made at least once for each document while documents were added, replaced and removed. */
const frequentStatements = (connection: Connection): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  const noted = (sql: string): string => {
    counts.set(sql, (counts.get(sql) ?? 0) + 1)
    return sql
  }
  const counting: Connection = {
    ...connection,
    all: (sql, parameters) => connection.all(noted(sql), parameters),
    run: (sql, parameters) => connection.run(noted(sql), parameters)
  }
  const documents = (round: number) =>
    Array.from({ length: DOCUMENTS }, (_, number) => ({
      path: `notes/${number}.md`,
      type: "notes",
      text: `# Note ${number}\n\nsubject${number} of orchard${round}\n`
    }))
  for (const round of [1, 2]) putDocuments(counting, documents(round).map(prepareDocument), at(round))
  finishWriting(counting)
  removeDocuments(
    counting,
    documents(2).map(({ path }) => path)
  )
  return [...counts].filter(([, count]) => count >= DOCUMENTS).map(([sql]) => sql)
}

/** The columns that are the number of their row. */
const rowNumbers = (connection: Connection): ReadonlySet<string> =>
  new Set(
    connection
      .all<{ name: string }>(
        "SELECT c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.pk = 1 AND c.type = 'INTEGER' AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE pk = 2)"
      )
      .map(({ name }) => name)
  )

it("are planned once", () => {
  const { connection } = newCassette(temporaryFolder(), "one")
  const statements = frequentStatements(connection)
  const numbers = rowNumbers(connection)
  const compared = statements.flatMap((sql) =>
    [...sql.matchAll(/(\w+) = (\?|CAST\(\? AS \w+\))(?=\s|\)|$)/g)]
      .filter(({ index }) => /\bWHERE\b/.test(sql.slice(0, index)))
      .map(([, column = "", value]) => ({ column, isCast: value !== "?" }))
  )
  const cast = compared.filter(({ isCast }) => isCast).map(({ column }) => column)
  expect(cast).toEqual(expect.arrayContaining(["path", "document_id", "term", "segment"]))
  expect(compared.filter(({ column, isCast }) => !isCast && !numbers.has(column))).toEqual([])
  connection.close()
})
