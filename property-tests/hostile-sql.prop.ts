// Hostile SQL: statements of every kind, aimed at what stands in a ledger, on connections without foreign keys, with
// recursive triggers off and on and with CHECKs off and on. Each is refused, or changes nothing, or is an event with
// exactly its own rows; what SQL cannot compute of such an event, verification finds. 100,000 statements are tried by
// `PROP_RUNS=20000 pnpm prop property-tests/hostile-sql.prop.ts`.

import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ALL_RUNGS, type Rung } from "../application/ledger/verification/evidence-input.ts"
import { propParameters, propSeed } from "./support/configuration.ts"
import { type CampaignLedger, ledgerOf, makeCampaignLedger } from "./support/campaigns/campaign-ledger.ts"
import { Dice, thrownBy } from "./support/hostile/dice.ts"
import { type Forgery, HostileLedger, judgeEvents, type Weakness } from "./support/hostile/hostile-ledger.ts"
import { hostileConnection, hostileStatement, kindOf } from "./support/hostile/hostile-statements.ts"

/** Statements that one case tries in turn. */
const STATEMENTS = 50

let campaign: CampaignLedger
let starts: ReadonlyArray<Buffer>
beforeAll(async () => {
  campaign = await makeCampaignLedger()
  starts = [campaign.bytes, ...campaign.events.map((_, size) => ledgerOf(campaign.events.slice(0, size)))]
})
afterAll(() => campaign.close())

// The schema's own rung costs more than all others, and no statement here can change a schema: one time in 16 is enough.
const OF_ROWS = ALL_RUNGS.filter((rung) => rung !== "structure")

/** How often each thing came. */
class Counts {
  readonly #counts = new Map<string, number>()
  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }
  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }
  lines(): string {
    return [...this.#counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, count]) => `  ${name}: ${count}`)
      .join("\n")
  }
}

// What verification may say of an event that SQL let in, for each thing that can be wrong with it.
const FINDINGS: Readonly<Record<Forgery, readonly [first: string, ...others: Array<string>]>> = {
  // Without CHECKs a hash can have any form.
  hash: ["CHAIN_BROKEN", "INTEGRITY"],
  "thought hash": ["THOUGHT_HASH_MISMATCH"],
  "message id": ["MESSAGE_ID_FORGED"],
  "not canonical": ["DATA_NOT_CANONICAL", "ROW_DIFFERS"],
  // The fold has no rows for what no command may write.
  limits: ["EVENT_INVALID", "ROW_EXTRA", "ROW_DIFFERS"]
}

interface Tried {
  readonly outcome: string
  /** What the statement must not have done, one sentence each. */
  readonly faults: ReadonlyArray<string>
}

/** Tries one statement and judges all that it has changed. */
const tried = async (
  ledger: HostileLedger,
  sql: string,
  connection: Weakness,
  rungs: ReadonlyArray<Rung>
): Promise<Tried> => {
  const { changed, error } = ledger.attack(sql, connection)
  if (!changed) return { outcome: error === undefined ? "nothing changed" : "refused", faults: [] }
  const newest = ledger.newest()
  const { forgeries, impossible } = judgeEvents(ledger.events.at(-1), newest)
  const { findings, verdict } = await campaign.verify(ledger.serialize(), { rungs })
  const allowed = new Set([...forgeries].flatMap((forgery) => FINDINGS[forgery]))
  const found = new Set(findings.map(({ code }) => String(code)))
  const faults = [
    // OR FAIL keeps the rows before the one that fails: whole events, as all others are judged.
    ...(error === undefined || /^(WITH .*\) )?INSERT OR FAIL /s.test(sql)
      ? []
      : [`it was refused with ${error}, and yet something changed`]),
    ...(newest.length === 0 ? ["it changed something without an event"] : []),
    ...ledger.trespasses(newest),
    ...impossible,
    ...findings
      .filter(({ code }) => !allowed.has(code))
      .map(({ code, message, where }) => `${code} at ${where}: ${message}`),
    ...[...forgeries]
      .filter((forgery) => !found.has(FINDINGS[forgery][0]))
      .map((forgery) => `verification has not found what is wrong: ${forgery}`),
    ...((verdict === "PASS") === (forgeries.size === 0) ? [] : [`verification says ${verdict}`])
  ]
  const type = newest.length === 1 ? newest[0]?.type : `${newest.length} events`
  const kind = forgeries.size === 0 ? "honest" : `forged: ${[...forgeries].sort().join(", ")}`
  return { outcome: `accepted ${type}, ${kind}`, faults }
}

describe("a statement", () => {
  it("is refused, changes nothing, or is an event with exactly its own rows", async () => {
    const outcomes = new Counts()
    const kinds = new Counts()
    const faults: Array<string> = []
    let total = 0
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (value) => {
        const dice = new Dice(thrownBy(value))
        const ledger = new HostileLedger(dice.pick(starts))
        try {
          for (let index = 0; index < STATEMENTS; index++) {
            const sql = hostileStatement(dice, ledger)
            const connection = hostileConnection(dice)
            const { faults: wrong, outcome } = await tried(
              ledger,
              sql,
              connection,
              dice.once(16) ? ALL_RUNGS : OF_ROWS
            )
            if (wrong.length > 0) faults.push([sql, JSON.stringify(connection), ...wrong].join("\n"))
            total += 1
            outcomes.add(outcome)
            kinds.add(kindOf(sql))
            // A ledger with an honest event more is where the next statements begin, as often as not.
            if (outcome.endsWith("honest") && wrong.length === 0 && dice.once(2)) ledger.keep()
            else if (outcome.startsWith("accepted")) ledger.restore()
          }
        } finally {
          ledger.close()
        }
      }),
      // A throw here is a fault of the test itself; shrinking it would try ledgers by the thousand.
      { ...propParameters(0.1), endOnFailure: true }
    )
    console.log(`hostile SQL: ${total} statements (seed ${propSeed})\n${outcomes.lines()}\n${kinds.lines()}`)
    expect(faults).toEqual([])
    // A generator that has lost its aim proves nothing.
    expect(outcomes.get("refused")).toBeLessThan(total * 0.9)
  })
})
