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
import type { SqlHost, SqlValue } from "./sql-host.ts"

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

/** A hole in a query, filled by name when the query runs. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

type Arguments = { readonly [name: string]: SqlValue }

/** Makes the hole called `name`, typed as its value. */
export type Parameters<Args extends Arguments> = <Name extends keyof Args & string>(
  name: Name
) => RawBuilder<Args[Name]>

/** A compiled query with its holes in order. */
export interface CompiledQuery<Args extends Arguments, Row> {
  readonly sql: string
  readonly all: (host: SqlHost, args: Args) => Array<Row>
  readonly first: (host: SqlHost, args: Args) => Row | undefined
  /** The number of rows that the statement itself wrote. */
  readonly run: (host: SqlHost, args: Args) => number
}

/** Compiles a query; values that are no holes are kept as constants of the statement. */
export const compileQuery = <Args extends Arguments, Row = never>(
  build: (parameter: Parameters<Args>) => Compilable
): CompiledQuery<Args, Row> => {
  const compiled = build((name) => sql.val(new Parameter(name) as never)).compile()
  const holes = compiled.parameters as ReadonlyArray<Parameter | SqlValue>
  // Sorted out once: this runs several times for every command.
  const names = holes.map((hole) => (hole instanceof Parameter ? hole.name : undefined))
  const bind = (args: Args): ReadonlyArray<SqlValue> =>
    names.map((name, index) => (name === undefined ? (holes[index] as SqlValue) : (args[name] ?? null)))
  return {
    sql: compiled.sql,
    all: (host, args) => host.all<Row>(compiled.sql, bind(args)),
    first: (host, args) => host.all<Row>(compiled.sql, bind(args))[0],
    run: (host, args) => host.run(compiled.sql, bind(args))
  }
}
