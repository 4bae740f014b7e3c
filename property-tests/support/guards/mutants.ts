/**
 * Every small change of a trigger that takes one of its conditions away, or moves it a little. Each is one edit of the
 * trigger's text at a place that the parser has found, so that it is valid SQL and the rest of the trigger stands as
 * it was. It must never choose: what is written down here is made at every place where it fits.
 */
import { refusalsIn } from "../../../migrations/testing/attack.ts"
import {
  triggerParts,
  type BodyStatement,
  type Comparison,
  type Expression,
  type Select,
  type Span
} from "./trigger-conditions.ts"

/**
 * What an edit does to the guard: it lets more through, or refuses more. Of a condition that only chooses the row
 * which is compared, neither can be said: that is `other`.
 */
export type Effect = "weaker" | "stricter" | "other"

/** One edited trigger. */
export interface Mutant {
  readonly trigger: string
  readonly table: string
  /** The refusal in which the edit stands; undefined where the edit is in the trigger's own WHEN, or outside of refusals. */
  readonly refusal: string | undefined
  readonly effect: Effect
  /** What stood there, and what stands there now. */
  readonly from: string
  readonly to: string
  /** The statements that put the mutant in the trigger's place. */
  readonly statements: ReadonlyArray<string>
}

interface Edit extends Span {
  readonly to: string
  readonly effect: Effect
  readonly refusal: string | undefined
}

/** What a condition does when it is true. */
type Sense = "refuses" | "allows" | "chooses"

const opposite: Readonly<Record<Sense, Sense>> = {
  refuses: "allows",
  allows: "refuses",
  chooses: "chooses"
}

const effectOf = (sense: Sense, becomes: "TRUE" | "FALSE"): Effect =>
  sense === "chooses" ? "other" : (sense === "allows") === (becomes === "TRUE") ? "weaker" : "stricter"

// The comparison that is true less often, and the one that is true more often.
const narrower: Readonly<Record<string, string>> = { "<=": "<", ">=": ">" }
const wider: Readonly<Record<string, string>> = { "<": "<=", ">": ">=" }

const isCondition = ({ kind }: Expression): boolean => ["group", "query", "case", "call"].includes(kind)

class Edits {
  readonly #sql: string
  readonly found: Array<Edit> = []
  #refusal: string | undefined

  constructor(sql: string) {
    this.#sql = sql
  }

  textOf({ end, start }: Span): string {
    return this.#sql.slice(start, end)
  }

  add({ end, start }: Span, to: string, effect: Effect): void {
    this.found.push({ start, end, to, effect, refusal: this.#refusal })
  }

  /** Everything in a body's statement. */
  statement(statement: BodyStatement): void {
    const { select, where } = statement
    const [column] = select?.columns ?? []
    const refusals = refusalsIn(this.textOf(statement))
    if (select === undefined || column === undefined || refusals.length === 0) {
      this.#choice(where)
      if (select !== undefined) this.#select(select, "chooses")
      return
    }
    if (column.kind === "case") {
      for (const [index, { when }] of column.arms.entries()) {
        this.#refusal = refusals[index]
        this.add(when, "FALSE", "weaker")
        this.condition(when, "refuses")
      }
      this.#refusal = undefined
      select.on.forEach((on) => this.#choice(on))
    } else {
      ;[this.#refusal] = refusals
      this.add(statement, "SELECT 1;", "weaker")
      if (select.where !== undefined) this.condition(select.where, "refuses")
    }
    this.#refusal = undefined
  }

  /** A condition of which it is known what it does when it is true. */
  condition(expression: Expression, sense: Sense): void {
    switch (expression.kind) {
      case "or":
      case "and": {
        const neutral = expression.kind === "or" ? "FALSE" : "TRUE"
        for (const part of expression.parts) {
          this.add(part, neutral, effectOf(sense, neutral))
          this.condition(part, sense)
        }
        return
      }
      case "not":
        return this.condition(expression.inner, opposite[sense])
      case "group":
        return this.condition(expression.inner, sense)
      case "exists":
      case "query":
        return this.#select(expression.select, sense)
      case "comparison":
        return this.#comparison(expression, sense)
      case "between":
        return this.#between(expression, expression.negated ? opposite[sense] : sense)
      case "in":
        return this.#in(expression, expression.negated ? opposite[sense] : sense)
      case "case":
        return this.#case(expression, sense)
      default:
        return this.#value(expression)
    }
  }

  // A condition that is no part of another: it goes as a whole, and in parts.
  #choice(where: Expression | undefined, sense: Sense = "chooses"): void {
    if (where === undefined) return
    if (where.kind !== "and") this.add(where, "TRUE", effectOf(sense, "TRUE"))
    this.condition(where, sense)
  }

  #select({ columns, from, on, where }: Select, sense: Sense): void {
    columns.forEach((column) => this.condition(column, sense))
    from.forEach((select) => this.#select(select, "chooses"))
    on.forEach((condition) => this.#choice(condition, sense))
    this.#choice(where, sense)
  }

  #comparison(comparison: Comparison, sense: Sense): void {
    const { left, op, right } = comparison
    const other = this.textOf(right)
    if ((op === "IS" || op === "IS NOT") && other === "1" && isCondition(left)) {
      return this.condition(left, op === "IS" ? sense : opposite[sense])
    }
    if (op.endsWith("GLOB")) this.#pattern(comparison, op === "GLOB" ? sense : opposite[sense])
    const moved = (sense === "refuses" ? narrower : sense === "allows" ? wider : {})[op]
    const compared = (by: string) => this.add(comparison, `${this.textOf(left)} ${by} ${other}`, "weaker")
    if (moved !== undefined) compared(moved)
    if (sense === "refuses" && op === "IS NOT" && this.#isNumber(comparison)) {
      compared("<")
      compared(">")
    }
    if (sense === "allows" && op === "=" && this.#isNumber(comparison)) {
      compared("<=")
      compared(">=")
    }
    for (const [side, against] of [
      [left, right],
      [right, left]
    ] as const) {
      if (side.kind === "case")
        this.#caseOfValues(side, this.textOf(against), sense === "refuses" && op === "IS NOT")
      this.#value(side)
    }
  }

  #isNumber({ left, right }: Comparison): boolean {
    return [left, right].some((side) => /^\d+$|[+-] ?1$|\+ 1 FROM/.test(this.textOf(side)))
  }

  // Bounds are moved by one, outwards where that lets more through and inwards where it does not.
  #between({ high, low }: Expression & { kind: "between" }, sense: Sense): void {
    const outwards = sense === "allows"
    this.add(low, `${this.textOf(low)} ${outwards ? "-" : "+"} 1`, "weaker")
    this.add(high, `${this.textOf(high)} ${outwards ? "+" : "-"} 1`, "weaker")
  }

  #in({ items, value }: Expression & { kind: "in" }, sense: Sense): void {
    // NULL stands for a member that is never met; alone it would take the whole condition, which is done elsewhere.
    if (items.length > 1) {
      const texts = items.map((item) => this.textOf(item))
      const span = { start: items[0]?.start ?? 0, end: items.at(-1)?.end ?? 0 }
      for (const index of items.keys()) {
        this.add(span, texts.toSpliced(index, 1).join(", "), effectOf(sense, "FALSE"))
      }
    }
    this.#value(value)
  }

  #case({ arms, operand, otherwise }: Expression & { kind: "case" }, sense: Sense): void {
    const values = otherwise === undefined ? [] : [otherwise]
    for (const { value, when } of arms) {
      if (operand === undefined) this.#choice(when)
      values.push(value)
    }
    for (const value of values) {
      const text = this.textOf(value)
      if (text !== "1") this.add(value, "1", effectOf(sense, "TRUE"))
      if (text !== "0") this.add(value, "0", effectOf(sense, "FALSE"))
      this.condition(value, sense)
    }
    if (otherwise === undefined && sense === "allows") {
      const end = arms.at(-1)?.value.end ?? 0
      this.add({ start: end, end }, " ELSE 1", "weaker")
    }
  }

  // The value of one arm is what it is compared with, or what no arm stands for is.
  #caseOfValues(
    { arms, otherwise }: Expression & { kind: "case" },
    against: string,
    mustEqual: boolean
  ): void {
    if (!mustEqual) return
    for (const { value } of arms) this.add(value, against, "weaker")
    if (otherwise === undefined) {
      const end = arms.at(-1)?.value.end ?? 0
      this.add({ start: end, end }, ` ELSE ${against}`, "weaker")
    } else {
      this.add(otherwise, against, "weaker")
    }
  }

  // The conditions inside a value say which value it is.
  #value(expression: Expression): void {
    switch (expression.kind) {
      case "call":
        if (expression.name === "COALESCE" && expression.parts[0] !== undefined) {
          this.add(expression, this.textOf(expression.parts[0]), "other")
        }
        return expression.parts.forEach((part) => this.#value(part))
      case "operation":
        return expression.parts.forEach((part) => this.#value(part))
      case "case":
        for (const { value, when } of expression.arms) {
          if (expression.operand === undefined) this.#choice(when)
          this.#value(value)
        }
        return expression.otherwise === undefined ? undefined : this.#value(expression.otherwise)
      case "atom":
        return
      default:
        return this.condition(expression, "chooses")
    }
  }

  // A pattern that must match gets a wildcard for each of its characters and sets; one that must not match is bound to
  // the beginning or the end, and its set of strange characters loses the neighbours of the good ones.
  #pattern({ right }: Comparison, sense: Sense): void {
    const pattern = this.textOf(right).slice(1, -1)
    const set = (to: string) => this.add(right, `'${to}'`, "weaker")
    if (sense === "allows") {
      for (const part of pattern.matchAll(/\[[^\]]*\]|[^*?]/g)) {
        set(`${pattern.slice(0, part.index)}?${pattern.slice(part.index + part[0].length)}`)
      }
      for (const { index } of pattern.matchAll(/\?/g)) set(pattern.slice(0, index) + pattern.slice(index + 1))
    } else if (sense === "refuses") {
      if (pattern.startsWith("*")) set(pattern.slice(1))
      if (pattern.endsWith("*")) set(pattern.slice(0, -1))
      for (const range of pattern.matchAll(/(.)-(.)/g)) {
        const [whole, low = "", high = ""] = range
        const moved = (by: string) =>
          set(pattern.slice(0, range.index) + by + pattern.slice(range.index + whole.length))
        moved(`${String.fromCharCode(low.charCodeAt(0) - 1)}-${high}`)
        moved(`${low}-${String.fromCharCode(high.charCodeAt(0) + 1)}`)
      }
    }
  }
}

/** Every mutant of a trigger. `selects` is for a trigger whose WHEN says what it applies and not what it refuses. */
export const mutantsOf = (sql: string, selects: boolean): ReadonlyArray<Mutant> => {
  const { body, columns, name, table, when } = triggerParts(sql)
  const edits = new Edits(sql)
  if (columns.length > 1) {
    const texts = columns.map((column) => edits.textOf(column))
    const span = { start: columns[0]?.start ?? 0, end: columns.at(-1)?.end ?? 0 }
    for (const index of columns.keys()) edits.add(span, texts.toSpliced(index, 1).join(", "), "weaker")
  }
  if (when !== undefined) edits.condition(when, selects ? "allows" : "refuses")
  body.forEach((statement) => edits.statement(statement))
  // A state whose gate is held open has one trigger less.
  const drop = `DROP TRIGGER IF EXISTS "${name}"`
  const seen = new Set([sql])
  const whole: Mutant = {
    trigger: name,
    table,
    refusal: undefined,
    effect: selects ? "other" : "weaker",
    from: name,
    to: "",
    statements: [drop]
  }
  return [
    whole,
    ...edits.found.flatMap(({ effect, end, refusal, start, to }) => {
      const text = sql.slice(0, start) + to + sql.slice(end)
      if (seen.has(text)) return []
      seen.add(text)
      return [
        { trigger: name, table, refusal, effect, from: sql.slice(start, end), to, statements: [drop, text] }
      ]
    })
  ]
}
