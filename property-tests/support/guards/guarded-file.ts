// A kind of file whose guards are mutated: its triggers, the attacks on it and the honest writes to it, in one form for
// every kind. It says what a mutant does to the answers; whether that is right is judged elsewhere.

import type Database from "better-sqlite3"
import { refusalsIn } from "../../../migrations/testing/attack.ts"
import { mutantsOf, type Mutant } from "./mutants.ts"

/** What came of an attack: what it was answered with, and whether it left a trace. */
export interface Answer<Attack> {
  readonly attack: Attack
  readonly error: string | undefined
  readonly changed: boolean
}

/** A trigger; `selects` is true when its WHEN says what it applies instead of what it refuses. */
export interface GuardTrigger {
  readonly name: string
  readonly sql: string
  readonly selects: boolean
}

/** The triggers that a database lists; those for which `selects` is true say what they apply. */
export const guardTriggersIn = (
  database: Database.Database,
  selects: (name: string) => boolean = () => false
): ReadonlyArray<GuardTrigger> =>
  database
    .prepare<[], { readonly name: string; readonly sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
    )
    .all()
    .map((row) => Object.assign(row, { selects: selects(row.name) }))

/** What is in the database after a write, or what it is refused with; the write is taken back. */
export const outcomeOf = (
  database: Database.Database,
  write: string,
  dumpOf: (database: Database.Database) => string
): string => {
  database.exec("BEGIN")
  try {
    database.exec(write)
    return dumpOf(database)
  } catch (thrown) {
    return `refused: ${(thrown as Error).message}`
  } finally {
    database.exec("ROLLBACK")
  }
}

/** A kind of file. Everything that comes of an iterable is made when it is asked for. */
export interface GuardedFile<Attack> {
  readonly triggers: ReadonlyArray<GuardTrigger>
  readonly attacks: ReadonlyArray<Attack>
  /** Tries attacks on a file whose schema these statements have changed. */
  readonly tries: (
    attacks: ReadonlyArray<Attack>,
    statements: ReadonlyArray<string>
  ) => Iterable<Answer<Attack>>
  /** What comes of each honest write to such a file, as one text each. */
  readonly honest: (statements: ReadonlyArray<string>) => Iterable<string>
  /** Whether an SQL expression is true in the file as it stands; for files with conditions that rest on one. */
  readonly holds?: (expression: string) => boolean
}

/** How a mutant is noticed: an attack gets in, an honest write goes wrong, or other words answer; or not at all. */
export type Notice = "attack" | "honest write" | "words" | "nothing"

/** What came of a mutant. `words` are the answers that the file as it stands does not give to these attacks. */
export interface Judgement {
  readonly mutant: Mutant
  readonly notice: Notice
  readonly words: ReadonlyArray<string>
}

/** One kind of file under mutation. */
export class Mutation<Attack> {
  readonly #file: GuardedFile<Attack>
  readonly #whole: ReadonlyArray<string>
  readonly #answered: ReadonlyMap<string | undefined, ReadonlyArray<Attack>>

  constructor(file: GuardedFile<Attack>) {
    this.#file = file
    this.#whole = [...file.honest([])]
    // What gets in though every guard stands is no measure of a guard.
    const refused = [...file.tries(file.attacks, [])].filter(({ changed }) => !changed)
    this.#answered = new Map(
      [...Map.groupBy(refused, ({ error }) => error)].map(([error, tried]) => [
        error,
        tried.map(({ attack }) => attack)
      ])
    )
  }

  /** Every mutant of every trigger. */
  *mutants(): Generator<Mutant> {
    for (const { selects, sql } of this.#file.triggers) yield* mutantsOf(sql, selects)
  }

  /** What comes of this mutant. */
  judge(mutant: Mutant): Judgement {
    const words = new Set<string>()
    const selects = this.#selects(mutant)
    const honestFirst = mutant.effect !== "weaker" || (selects && mutant.refusal === undefined)
    const goesWrong = () => this.#goesWrong(mutant.statements)
    if (honestFirst && goesWrong()) return { mutant, notice: "honest write", words: [] }
    for (const message of this.#messagesFor(mutant, selects)) {
      for (const { changed, error } of this.#file.tries(this.#answeredBy(message), mutant.statements)) {
        if (changed) return { mutant, notice: "attack", words: [] }
        if (error !== message) words.add(String(error))
      }
    }
    if (!honestFirst && goesWrong()) return { mutant, notice: "honest write", words: [] }
    return { mutant, notice: words.size === 0 ? "nothing" : "words", words: [...words].toSorted() }
  }

  /**
   * Whether a mutant and a second edit together let an attack in that the second alone does not, or spoil an honest
   * write that it does not. Throws when there is no such second edit.
   */
  isNoticedBeside(mutant: Mutant, second: Pick<Mutant, "trigger" | "from" | "to">): boolean {
    const trigger = this.#file.triggers.find(({ name }) => name === second.trigger)
    const edits = (sql: string | undefined) =>
      mutantsOf(String(sql), trigger?.selects === true).filter(
        ({ from, to }) => from === second.from && to === second.to
      )
    const alone = edits(trigger?.sql)
    const beside = second.trigger === mutant.trigger ? edits(mutant.statements.at(-1)) : alone
    if (alone.length === 0 || beside.length !== alone.length) {
      throw new Error(`No mutant of ${second.trigger}: ${second.from}`)
    }
    return alone.some((edit, index) => this.#isNoticedWith(mutant, edit, beside[index]?.statements ?? []))
  }

  // One text may stand at several places of a trigger: each is a second edit.
  #isNoticedWith(mutant: Mutant, alone: Mutant, beside: ReadonlyArray<string>): boolean {
    const both = [...mutant.statements, ...beside]
    const messages = [mutant, alone].flatMap((one) => this.#messagesFor(one, this.#selects(one)))
    const attacks = messages.flatMap((message) => this.#answeredBy(message))
    for (const { attack, changed } of this.#file.tries(attacks, both)) {
      if (changed && [...this.#file.tries([attack], alone.statements)].every((tried) => !tried.changed))
        return true
    }
    return this.#goesWrong(both) && !this.#goesWrong(alone.statements)
  }

  #selects({ trigger }: Mutant): boolean {
    return this.#file.triggers.some(({ name, selects }) => name === trigger && selects)
  }

  #answeredBy(message: string): ReadonlyArray<Attack> {
    return this.#answered.get(message) ?? []
  }

  // Something weaker changes nothing but what its own refusal answered. What is not may also answer where its neighbours
  // did, its own refusal first; a trigger that applies events has none, since each applies its own. And what selects more
  // may let in what nothing selected, but not what another refuses.
  #messagesFor({ effect, refusal, table, trigger }: Mutant, selects: boolean): ReadonlyArray<string> {
    const own = refusal === undefined ? [] : [refusal]
    if (effect === "weaker" && refusal !== undefined) return own
    const near = this.#file.triggers.filter(
      ({ name, sql, ...other }) =>
        name === trigger ||
        (selects
          ? other.selects && !sql.includes("\nWHEN ")
          : effect !== "weaker" && sql.includes(` ON "${table}"`))
    )
    return [...new Set([...own, ...near.flatMap(({ sql }) => refusalsIn(sql))])]
  }

  #goesWrong(statements: ReadonlyArray<string>): boolean {
    let index = 0
    for (const text of this.#file.honest(statements)) {
      if (text !== this.#whole[index]) return true
      index += 1
    }
    return false
  }
}
