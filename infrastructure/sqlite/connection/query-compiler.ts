// Kysely as a typed compiler of SQL text: a query is built once, with named parameters as holes, and its text is kept in a folder
// `compiled` (compiled-statements.test.ts). Kysely never executes anything, has no connection, and is loaded by no program.
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
import { type Arguments, type Statement, statementOf } from "./statement.ts"

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

/** A hole in a statement, filled by name when it runs. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Makes the hole called `name`, typed as its value. */
export type Parameters<Args extends Arguments> = <Name extends keyof Args & string>(
  name: Name
) => RawBuilder<Args[Name]>

/** Compiles a query; each of its values is a hole, and what is constant is written with `sql.lit`. */
export const compileQuery = <Args extends Arguments, Row = never>(
  build: (parameter: Parameters<Args>) => Compilable
): Statement<Args, Row> => {
  const { parameters, sql: text } = build((name) => sql.val(new Hole(name) as never)).compile()
  return statementOf(
    text,
    parameters.map((parameter) => {
      if (parameter instanceof Hole) return parameter.name
      throw new Error(`a value that is no hole is bound in ${text}`)
    })
  )
}
