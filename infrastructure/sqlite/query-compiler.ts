// Kysely as a typed compiler of SQL text: a query is built and compiled once, with named parameters as holes, and
// run as a cached statement ever after. Kysely never executes anything here and has no connection.
import {
  type Compilable,
  DummyDriver,
  Kysely,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler
} from "kysely"
import type { SqlValue } from "./sql-host.ts"
import { type Arguments, Hole, type Statement, statementOf } from "./statement.ts"

/** A query builder for a set of tables, without a database. */
export const queryBuilder = <Tables>(): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler()
    }
  })

/** Makes the hole called `name`, typed as its value. */
export type Parameters<Args extends Arguments> = <Name extends keyof Args & string>(
  name: Name
) => RawBuilder<Args[Name]>

/** Compiles a query; values that are no holes are kept as constants of the statement. */
export const compileQuery = <Args extends Arguments, Row = never>(
  build: (parameter: Parameters<Args>) => Compilable
): Statement<Args, Row> => {
  const compiled = build((name) => sql.val(new Hole(name) as never)).compile()
  return statementOf(compiled.sql, compiled.parameters as ReadonlyArray<Hole | SqlValue>)
}
