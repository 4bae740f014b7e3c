// Attacks on the database of an object, which cannot be copied: each is tried inside a transaction that is rolled back, and what it
// left is looked at before that.
import type { ObjectStorage } from "../../../infrastructure/durable-objects/durable-object-host.ts"

export interface AttackJob {
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

/** Makes a state, unless it is there already, and tries attacks on it. */
export const attacked = (
  storage: ObjectStorage,
  { attacks, dump_queries, state, statements }: AttackJob
): AttackReport => {
  const { sql } = storage
  const dump = () =>
    dump_queries
      .map((query) =>
        sql
          .exec(query)
          .toArray()
          .map((row) => Object.values(row)[0])
          .join("\n")
      )
      .join("\n\n")
  sql.exec("PRAGMA foreign_keys = OFF")
  if (sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'events'").toArray().length === 0) {
    for (const statement of [...statements, ...state]) sql.exec(statement)
  }
  const outcomes = attacks.map(({ after, setup, sql: attack }) =>
    undone(storage, () => {
      if (setup !== "") sql.exec(setup)
      const before = dump()
      let error: string | null = null
      try {
        sql.exec(attack)
      } catch (thrown) {
        error = (thrown as Error).message
      }
      if (after !== "") sql.exec(after)
      return { error, changed: dump() !== before }
    })
  )
  return { dump: dump(), outcomes }
}
