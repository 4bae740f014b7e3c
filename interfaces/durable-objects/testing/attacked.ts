// Attacks on the database of an object, which cannot be copied: each is tried inside a transaction that is rolled back, and what it
// left is looked at before that.
import type { ObjectStorage } from "../../../infrastructure/durable-objects/durable-object-host.ts"

export interface AttackJob {
  /** Settings of the connection. */
  readonly first: ReadonlyArray<string>
  readonly statements: ReadonlyArray<string>
  readonly state: ReadonlyArray<string>
  readonly dump_queries: ReadonlyArray<string>
  readonly attacks: ReadonlyArray<{ readonly setup: string; readonly sql: string; readonly after: string }>
}

export interface AttackReport {
  readonly dump: string
  readonly outcomes: ReadonlyArray<{ readonly error: string | null; readonly changed: boolean }>
}

class RolledBack extends Error {}

/** Runs work and takes back what it has done. */
const undone = <A>(storage: ObjectStorage, work: () => A): A => {
  let result: { readonly value: A } | undefined
  try {
    storage.transactionSync(() => {
      result = { value: work() }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  if (result === undefined) throw new Error("the work gave nothing")
  return result.value
}

/** Everything that is in the database, as one text. */
const dumpOf = ({ sql }: ObjectStorage, queries: ReadonlyArray<string>): string =>
  queries
    .map((query) =>
      sql
        .exec(query)
        .toArray()
        .map((row) => Object.values(row)[0])
        .join("\n")
    )
    .join("\n\n")

/** What grows with every row that the connection has changed, and with what the schema holds. */
const changesOf = ({ sql }: ObjectStorage): string =>
  JSON.stringify(sql.exec("SELECT total_changes() AS rows, count(*) AS objects FROM sqlite_schema").toArray())

/** Makes a state, unless it is there already, and tries attacks on it. Where SQLite counts no change there is nothing to compare. */
export const attacked = (
  storage: ObjectStorage,
  { attacks, dump_queries, first, state, statements }: AttackJob
): AttackReport => {
  const { sql } = storage
  sql.exec("PRAGMA foreign_keys = OFF")
  if (sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'events'").toArray().length === 0) {
    for (const statement of [...statements, ...state]) sql.exec(statement)
  }
  for (const statement of first) sql.exec(statement)
  const prepared = new Map<string, string>()
  const outcomes = attacks.map(({ after, setup, sql: attack }) =>
    undone(storage, () => {
      if (setup !== "") sql.exec(setup)
      const before = prepared.get(setup) ?? dumpOf(storage, dump_queries)
      prepared.set(setup, before)
      const changes = changesOf(storage)
      let error: string | null = null
      try {
        sql.exec(attack)
      } catch (thrown) {
        error = (thrown as Error).message
      }
      const counted = changesOf(storage) !== changes
      if (after !== "") sql.exec(after)
      return { error, changed: counted && dumpOf(storage, dump_queries) !== before }
    })
  )
  return { dump: dumpOf(storage, dump_queries), outcomes }
}
