// Statements whose values are found by name: `:name` in their text is a hole. Those of the ledger, of thoughts and of expansions are
// built with Kysely and compiled into the folders `compiled`, so that no program loads it. The text never changes, so that the host
// keeps it prepared.
import type { SqlHost, SqlValue } from "./sql-host.ts"

// Statements that run often and compare a column with a text or a number write `CAST(:name AS TEXT)` or `CAST(:name AS INTEGER)`: SQLite
// with STAT4, as the driver has it, makes the plan of `column = ?` again with every other value
// (https://sqlite.org/c3ref/prepare.html), which costs many times as much as looking up one row.

/** Values by the names of holes. */
export type Arguments = { readonly [name: string]: SqlValue }

/** A statement with its holes in order. */
export interface Statement<Args extends Arguments, Row> {
  readonly sql: string
  readonly names: ReadonlyArray<string>
  readonly all: (host: SqlHost, args: Args) => Array<Row>
  readonly first: (host: SqlHost, args: Args) => Row | undefined
  /** The number of rows that the statement itself wrote. */
  readonly run: (host: SqlHost, args: Args) => number
}

/** A statement of a text with `?` for each hole, and the names of the holes in order. */
export const statementOf = <Args extends Arguments, Row>(
  text: string,
  names: ReadonlyArray<string>
): Statement<Args, Row> => {
  const bind = (args: Args): ReadonlyArray<SqlValue> => names.map((name) => args[name] ?? null)
  return {
    sql: text,
    names,
    all: (host, args) => host.all<Row>(text, bind(args)),
    first: (host, args) => host.all<Row>(text, bind(args))[0],
    run: (host, args) => host.run(text, bind(args))
  }
}

type Before<Text extends string, End extends string> = Text extends `${infer Name}${End}${string}`
  ? Name
  : Text

type HoleNames<Text extends string> = Text extends `${string}:${infer Rest}`
  ? Before<Before<Before<Before<Rest, " ">, ")">, ",">, "\n"> | HoleNames<Rest>
  : never

/** What a statement of this text must be given; a colon at the end of a literal is none. */
type ArgumentsOf<Text extends string> = {
  readonly [Name in Exclude<HoleNames<Text>, `'${string}`>]: SqlValue
}

const named = <Text extends string, Row>(text: Text): Statement<ArgumentsOf<Text>, Row> => {
  const names: Array<string> = []
  const positional = text.replace(/:([a-z_]+)/g, (_, name: string) => {
    names.push(name)
    return "?"
  })
  return statementOf(positional, names)
}

/** A statement that gives rows; their type is said beside the text. */
export const query =
  <Row>() =>
  <const Text extends string>(text: Text): Statement<ArgumentsOf<Text>, Row> =>
    named(text)

/** A statement that writes. */
export const command = <const Text extends string>(text: Text): Statement<ArgumentsOf<Text>, never> =>
  named(text)
