/**
 * A guard that can be taken out without anything getting in guards nothing. Each trigger, as the database lists
 * them, is dropped, and some single refusals are cut out of their triggers; then an attack that it used to answer must
 * get in, or a legal event must go wrong. A new trigger or refusal without an attack fails here by itself. A property,
 * guard-mutation, cuts out every refusal, and weakens every condition.
 */
import { describe, expect, it } from "vitest"
import { plainOutcomes } from "./testing/adversary.ts"
import { attempt, databaseIn, dump, outcomesOf, refusalsIn } from "./testing/attack.ts"
import { insertEvent, literal, rowAfter, type Fact } from "./testing/ledger.ts"
import { facts, head, headIn, legal, type State } from "./testing/states.ts"

interface TriggerRow {
  readonly name: string
  readonly sql: string
}

const triggers = (() => {
  const database = databaseIn("ledger")
  const rows = database
    .prepare<[], TriggerRow>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    .all()
  database.close()
  return rows
})()

const answered = Map.groupBy(plainOutcomes().values(), ({ error }) => error)

const attacksAnsweredBy = (messages: ReadonlyArray<string>) =>
  messages.flatMap((message) => answered.get(message) ?? []).map(({ attack }) => attack)

// The first of the attacks that leaves a trace after `mutation`, which is what makes the mutation visible.
const firstThatGetsIn = (messages: ReadonlyArray<string>, mutation: ReadonlyArray<string>) =>
  attacksAnsweredBy(messages).find((attack) => outcomesOf([attack], mutation).some(({ changed }) => changed))

const drop = (name: string) => `DROP TRIGGER IF EXISTS ${name}`

const backup = "tr_steps_transition"

// These name a fault that the list of allowed changes in tr_steps_transition refuses too. Each must refuse alone
// what gets in when both are gone.
const backedUp = new Set([
  "tr_steps_fsm_illegal_1",
  "tr_steps_fsm_illegal_3",
  "tr_steps_lease_prevent_direct_set"
])

const isProjection = (name: string) => name === "tr_events_apply" || name.startsWith("tr_pending_")

const rowsAfter = (state: State, fact: Fact, mutation: ReadonlyArray<string>): string => {
  const database = databaseIn(state)
  for (const text of mutation) {
    database.exec(text)
  }
  try {
    database.exec(insertEvent(rowAfter(headIn(state), fact)))
  } catch (thrown) {
    return `refused: ${(thrown as Error).message}`
  }
  // Without the schema, which the mutation itself has changed.
  const rows = dump(database).split("\n\n").slice(1).join("\n\n")
  database.close()
  return rows
}

const withLegal = (mutation: ReadonlyArray<string>): ReadonlyArray<string> => [
  rowsAfter("empty", facts[0] as Fact, mutation),
  ...Object.values(legal).map((fact) => rowsAfter("ledger", fact, mutation))
]

describe("without the trigger", () => {
  const whole = withLegal([])

  it("(with all of them, every legal event is applied)", () => {
    expect(whole.filter((rows) => rows.startsWith("refused"))).toEqual([])
    expect(new Set(whole).size).toBe(whole.length)
  })

  for (const { name, sql } of triggers) {
    if (isProjection(name)) {
      it(`${name}, a legal event is not applied`, () => {
        expect(withLegal([drop(name)])).not.toEqual(whole)
      })
    } else if (backedUp.has(name)) {
      it(`${name} and ${backup}, an attack gets in that the first alone refuses`, () => {
        const attack = firstThatGetsIn(refusalsIn(sql), [drop(name), drop(backup)])
        expect(attack).toBeDefined()
        expect(outcomesOf(attack === undefined ? [] : [attack], [drop(backup)])).toMatchObject([
          { changed: false, error: refusalsIn(sql)[0] }
        ])
      })
    } else {
      it(`${name}, an attack gets in`, () => {
        expect(firstThatGetsIn(refusalsIn(sql), [drop(name)])).toBeDefined()
      })
    }
  }
})

// These answer first and say more exactly what is wrong; behind each stands another that refuses as well. The first
// is needed by older versions of SQLite, which cut a text at U+0000 and would let the event in.
const behind: Readonly<Record<string, string>> = {
  "LeaseRenewed may not have U+0000 anywhere":
    "LeaseRenewed must name a lease: a LEASED step with its worker and, as previous_token, its fencing_token",
  "Illegal transition COMMITTED -> PENDING: a committed step is final":
    "A step changes only by PENDING -> LEASED, LEASED -> COMMITTED or LEASED -> PENDING",
  "Illegal transition LEASED -> LEASED: a lease is renewed by a LeaseRenewed event alone, and never taken over":
    "A step changes only by PENDING -> LEASED, LEASED -> COMMITTED or LEASED -> PENDING"
}

const refusals = triggers.flatMap(({ name, sql }) =>
  backedUp.has(name) ? [] : refusalsIn(sql).map((message) => ({ name, sql, message }))
)

it("every refusal answers an attack", () => {
  expect(refusals.filter(({ message }) => !answered.has(message))).toEqual([])
})

describe("without the refusal", () => {
  const some = refusals.filter(({ message }, index) => index % 8 === 0 || message in behind)
  for (const { message, name, sql } of some) {
    const lines = sql.split("\n")
    // A refusal is a line: a statement of its own, or one WHEN of a CASE.
    const rest = lines.filter((line) => !line.includes(`RAISE(ABORT, ${literal(message)})`))
    // CHECKs repeat some refusals, and a pragma switches them off.
    const mutation = [
      "PRAGMA ignore_check_constraints = ON",
      drop(name),
      rest.join("\n").replace("BEGIN\nEND", "BEGIN\n  SELECT 1;\nEND")
    ]

    it(`"${message}" of ${name}, ${message in behind ? "another answers" : "an attack gets in"}`, () => {
      expect(rest.length).toBe(lines.length - 1)
      const attack = firstThatGetsIn([message], mutation)
      if (message in behind) {
        const errors = outcomesOf(attacksAnsweredBy([message]), mutation).map(({ error }) => error)
        expect(errors).toContain(behind[message])
        expect(attack).toBeUndefined()
      } else {
        expect(attack).toBeDefined()
      }
    })
  }
})

it("an attack that is let in is seen", () => {
  const database = databaseIn("ledger")
  const before = dump(database)
  const sql = insertEvent(rowAfter(head, legal.post))
  expect(attempt(database, { sql }, before)).toEqual({
    error: undefined,
    changed: true
  })
  database.close()
})
