/**
 * Turns Kysely builders into statement texts, and adds the two forms Kysely has no builder for: a trigger and
 * a refusal inside one. A statement of a migration is stored in the database as it stands, so a parameter that
 * is left in one is an error here. This file must never execute anything.
 */
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type Compilable,
  type RawBuilder
} from "kysely"

/** One version of the schema: `statements` builds its texts, in the order in which they are executed. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: () => ReadonlyArray<string>
}

/** A Kysely instance that can compile queries on `Tables` and has no database behind it. */
export const builders = <Tables>(): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler()
    }
  })

const rawCompiler = builders<unknown>()

/** A condition or a value inside a trigger. */
export type Fragment = RawBuilder<unknown>

/** What a statement can be written with: a Kysely builder, or a `sql` template. */
export type Statement = Compilable | Fragment

/** The text of one statement, without a semicolon. Throws when a parameter is left: DDL can bind none. */
export const statement = (source: Statement): string => {
  const { sql: text, parameters } =
    "isRawBuilder" in source ? source.compile(rawCompiler) : (source as Compilable).compile()
  if (parameters.length > 0) {
    throw new Error(`A statement of a migration cannot bind parameters, write sql.lit(...): ${text}`)
  }
  return text
}

/** What a trigger watches, when it acts, and what it does. */
export interface Trigger {
  readonly name: string
  readonly timing: "BEFORE" | "AFTER" | "INSTEAD OF"
  readonly event: "INSERT" | "UPDATE" | "DELETE"
  readonly of?: ReadonlyArray<string>
  readonly on: string
  readonly when?: Fragment
  readonly body: ReadonlyArray<Statement>
}

/** The text of CREATE TRIGGER, one line for each statement of its body. Throws when a parameter is left. */
export const trigger = (spec: Trigger): string => {
  const columns = spec.of === undefined ? "" : ` OF ${spec.of.map((column) => `"${column}"`).join(", ")}`
  const when = spec.when === undefined ? "" : `\nWHEN ${statement(spec.when)}`
  const body = spec.body.map((source) => `  ${statement(source)};\n`).join("")
  return `CREATE TRIGGER "${spec.name}" ${spec.timing} ${spec.event}${columns} ON "${spec.on}"${when}\nBEGIN\n${body}END`
}

/**
 * A statement for the body of a trigger: when the condition is true, the whole outer statement is undone and
 * fails with the message. ABORT is the one conflict word that no OR clause of the outer statement weakens.
 */
export const refuse = (message: string, when?: Fragment): Statement =>
  when === undefined
    ? sql`SELECT RAISE(ABORT, ${sql.lit(message)})`
    : sql`SELECT RAISE(ABORT, ${sql.lit(message)}) WHERE ${when}`

/** One rule of a guard: what it says, and the condition under which it refuses. */
export type Rule = readonly [message: string, when: Fragment]

/**
 * Several refusals as one statement, judged in order over one row of `from`: what the rules have in common is
 * looked up once. `from` must give exactly one row in every state, or the rules refuse nothing.
 */
export const refuseFirst = (rules: ReadonlyArray<Rule>, from: Fragment): Statement =>
  sql`SELECT CASE\n${sql.join(
    rules.map(([message, when]) => sql`    WHEN ${when} THEN RAISE(ABORT, ${sql.lit(message)})\n`),
    sql``
  )}  END FROM ${from}`
