/**
 * Reads the conditions in a trigger's text: a tokenizer, and a parser of exactly the SQL that our triggers are written
 * in, which says where each part stands. It must never guess: what it does not know is an error, so that a new form
 * of condition cannot be passed over.
 */

interface Token {
  /** A keyword or a bare name in upper case; any other text as it stands. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A piece of the text, from `start` up to but without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A comparison; `op` is its operator in upper case, with one space between two words. */
export interface Comparison extends Span {
  readonly kind: "comparison"
  readonly op: string
  readonly left: Expression
  readonly right: Expression
}

/** A condition or a value, with the parts that a condition can stand in. */
export type Expression =
  | (Span & { readonly kind: "or" | "and"; readonly parts: ReadonlyArray<Expression> })
  | (Span & { readonly kind: "not" | "group"; readonly inner: Expression })
  | Comparison
  | (Span & {
      readonly kind: "between"
      readonly negated: boolean
      readonly low: Expression
      readonly high: Expression
    })
  | (Span & {
      readonly kind: "in"
      readonly negated: boolean
      readonly value: Expression
      readonly items: ReadonlyArray<Expression>
    })
  | (Span & {
      readonly kind: "case"
      readonly operand: Expression | undefined
      readonly arms: ReadonlyArray<{ readonly when: Expression; readonly value: Expression }>
      readonly otherwise: Expression | undefined
    })
  | (Span & { readonly kind: "exists" | "query"; readonly select: Select })
  | (Span & { readonly kind: "call"; readonly name: string; readonly parts: ReadonlyArray<Expression> })
  | (Span & { readonly kind: "operation"; readonly parts: ReadonlyArray<Expression> })
  | (Span & { readonly kind: "atom" })

/** What of a SELECT can hold conditions. */
export interface Select extends Span {
  readonly columns: ReadonlyArray<Expression>
  readonly from: ReadonlyArray<Select>
  readonly on: ReadonlyArray<Expression>
  readonly where: Expression | undefined
}

/** A statement of a trigger's body: a SELECT, or a write with the SELECT or the WHERE that it has. */
export interface BodyStatement extends Span {
  readonly select: Select | undefined
  readonly where: Expression | undefined
}

/** A trigger, in parts. */
export interface TriggerText {
  readonly name: string
  readonly table: string
  /** The columns of UPDATE OF. */
  readonly columns: ReadonlyArray<Span>
  readonly when: Expression | undefined
  readonly body: ReadonlyArray<BodyStatement>
}

const token = /\s*('(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|\d+|->>|->|\|\||<=|>=|<>|[-+*/<>=(),.;])/y

const tokensOf = (sql: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  token.lastIndex = 0
  while (token.lastIndex < sql.trimEnd().length) {
    const from = token.lastIndex
    const found = token.exec(sql)
    if (found === null) throw new Error(`No token of ours begins at: ${sql.slice(from, from + 40)}`)
    const text = found[1] ?? ""
    const end = token.lastIndex
    tokens.push({ text: /^[A-Za-z_]/.test(text) ? text.toUpperCase() : text, start: end - text.length, end })
  }
  return tokens
}

const comparisons = ["IS", "=", "<>", "GLOB", "IN", "BETWEEN", "NOT", "<", "<=", ">", ">="]
const operators = [
  ["+", "-"],
  ["*", "/"],
  ["||", "->", "->>"]
] as const
const joins = ["LEFT", "INNER", "CROSS", "JOIN"]
const selectEnd = ["ORDER", "LIMIT", "GROUP"]

class Parser {
  readonly #sql: string
  readonly #tokens: ReadonlyArray<Token>
  #at = 0

  constructor(sql: string) {
    this.#sql = sql
    this.#tokens = tokensOf(sql)
  }

  get #text(): string {
    return this.#tokens[this.#at]?.text ?? ""
  }

  get #start(): number {
    return this.#tokens[this.#at]?.start ?? this.#sql.length
  }

  get #end(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0
  }

  #is(...texts: ReadonlyArray<string>): boolean {
    return texts.includes(this.#text)
  }

  #next(): Token {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw new Error(`The text ends too early: ${this.#sql.slice(-40)}`)
    this.#at += 1
    return next
  }

  #take(...texts: ReadonlyArray<string>): boolean {
    if (!this.#is(...texts)) return false
    this.#at += 1
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) {
      throw new Error(`Expected ${text} at: ${this.#sql.slice(this.#start, this.#start + 60)}`)
    }
  }

  #list<Item>(item: () => Item): ReadonlyArray<Item> {
    const items = [item()]
    while (this.#take(",")) items.push(item())
    return items
  }

  // The rest of a group whose "(" is taken.
  #skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      const { text } = this.#next()
      depth += text === "(" ? 1 : text === ")" ? -1 : 0
    }
  }

  #chain(kind: "or" | "and", word: string, part: () => Expression): Expression {
    const start = this.#start
    const parts = [part()]
    while (this.#take(word)) parts.push(part())
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { kind, parts, start, end: this.#end }
  }

  #condition(): Expression {
    return this.#chain("or", "OR", () => this.#chain("and", "AND", () => this.#negation()))
  }

  #negation(): Expression {
    const start = this.#start
    return this.#take("NOT")
      ? { kind: "not", inner: this.#negation(), start, end: this.#end }
      : this.#comparison()
  }

  #comparison(): Expression {
    const start = this.#start
    let left = this.#operation(0)
    while (this.#is(...comparisons)) {
      const first = this.#next().text
      const negated = first === "NOT" || (first === "IS" && this.#take("NOT"))
      const word = first === "NOT" ? this.#next().text : first
      if (word === "BETWEEN") {
        const low = this.#operation(0)
        this.#expect("AND")
        const high = this.#operation(0)
        left = { kind: "between", negated, low, high, start, end: this.#end }
      } else if (word === "IN") {
        this.#expect("(")
        const items = this.#list(() => this.#operation(0))
        this.#expect(")")
        left = { kind: "in", negated, value: left, items, start, end: this.#end }
      } else {
        const op = negated ? (word === "IS" ? "IS NOT" : `NOT ${word}`) : word
        left = { kind: "comparison", op, left, right: this.#operation(0), start, end: this.#end }
      }
    }
    return left
  }

  #operation(level: number): Expression {
    const signs = operators[level]
    if (signs === undefined) return this.#primary()
    const start = this.#start
    const parts = [this.#operation(level + 1)]
    while (this.#take(...signs)) parts.push(this.#operation(level + 1))
    const [only] = parts
    return parts.length === 1 && only !== undefined
      ? only
      : { kind: "operation", parts, start, end: this.#end }
  }

  #primary(): Expression {
    const start = this.#start
    if (this.#take("(")) {
      const inner = this.#is("SELECT") ? this.#select() : this.#condition()
      this.#expect(")")
      return "kind" in inner
        ? { kind: "group", inner, start, end: this.#end }
        : { kind: "query", select: inner, start, end: this.#end }
    }
    if (this.#take("EXISTS")) {
      this.#expect("(")
      const select = this.#select()
      this.#expect(")")
      return { kind: "exists", select, start, end: this.#end }
    }
    if (this.#take("CASE")) return this.#case(start)
    this.#take("-")
    const name = this.#next().text
    while (this.#take(".")) this.#next()
    return this.#take("(") ? this.#call(name, start) : { kind: "atom", start, end: this.#end }
  }

  #case(start: number): Expression {
    const operand = this.#is("WHEN") ? undefined : this.#condition()
    const arms: Array<{ when: Expression; value: Expression }> = []
    while (this.#take("WHEN")) {
      const when = this.#condition()
      this.#expect("THEN")
      arms.push({ when, value: this.#condition() })
    }
    const otherwise = this.#take("ELSE") ? this.#condition() : undefined
    this.#expect("END")
    return { kind: "case", operand, arms, otherwise, start, end: this.#end }
  }

  #call(name: string, start: number): Expression {
    const parts = this.#is(")") ? [] : this.#list(() => this.#condition())
    // CAST(x AS TYPE)
    if (this.#take("AS")) this.#next()
    this.#expect(")")
    if (this.#take("OVER")) {
      this.#expect("(")
      this.#skipGroup()
    }
    return { kind: "call", name, parts, start, end: this.#end }
  }

  #alias(...ends: ReadonlyArray<string>): void {
    if (this.#take("AS")) this.#next()
    else if (/^["A-Z]/.test(this.#text) && !this.#is(...ends)) this.#next()
  }

  #select(): Select {
    const start = this.#start
    this.#expect("SELECT")
    const columns = this.#list(() => {
      const column = this.#condition()
      this.#alias("FROM", "WHERE", "END")
      return column
    })
    const from: Array<Select> = []
    const on: Array<Expression> = []
    if (this.#take("FROM")) this.#sources(from, on)
    const where = this.#take("WHERE") ? this.#condition() : undefined
    if (this.#is(...selectEnd)) {
      while (!this.#is(")", ";")) {
        if (this.#next().text === "(") this.#skipGroup()
      }
    }
    return { columns, from, on, where, start, end: this.#end }
  }

  #sources(from: Array<Select>, on: Array<Expression>): void {
    do {
      while (this.#take(...joins));
      if (this.#take("(")) {
        from.push(this.#select())
        this.#expect(")")
      } else {
        this.#next()
        if (this.#take("(")) this.#skipGroup()
      }
      this.#alias("ON", "WHERE", ...joins, ...selectEnd)
      if (this.#take("ON")) on.push(this.#condition())
    } while (this.#is(...joins))
  }

  #statement(): BodyStatement {
    const start = this.#start
    // A write is passed over up to its condition; the values that it writes are no conditions.
    while (!this.#is("SELECT", "WHERE", ";")) {
      if (this.#next().text === "(") this.#skipGroup()
    }
    const select = this.#is("SELECT") ? this.#select() : undefined
    const where = this.#take("WHERE") ? this.#condition() : undefined
    this.#expect(";")
    return { select, where, start, end: this.#end }
  }

  trigger(): TriggerText {
    this.#expect("CREATE")
    this.#expect("TRIGGER")
    const name = this.#next().text.slice(1, -1)
    while (!this.#is("UPDATE", "ON")) this.#next()
    const columns = this.#take("UPDATE") && this.#take("OF") ? this.#list(() => this.#next()) : []
    this.#expect("ON")
    const table = this.#next().text.slice(1, -1)
    const when = this.#take("WHEN") ? this.#condition() : undefined
    this.#expect("BEGIN")
    const body: Array<BodyStatement> = []
    while (!this.#take("END")) body.push(this.#statement())
    return { name, table, columns, when, body }
  }
}

/** The parts of a CREATE TRIGGER statement. Throws at anything that is not written as our triggers are. */
export const triggerParts = (sql: string): TriggerText => new Parser(sql).trigger()
