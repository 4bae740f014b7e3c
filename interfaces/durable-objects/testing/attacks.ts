// The suite of attacks on the guards, tried in workerd. What has no meaning there is tried all the same and refused: a second schema,
// the settings of a file.
import { type Attack, dumpQueries } from "../../../migrations/testing/attack.ts"
import { snapshot } from "../../../migrations/testing/ledger.ts"
import { type State, states } from "../../../migrations/testing/states.ts"
import type { AttackReport } from "./attacked.ts"
import type { Workerd } from "./workerd.ts"

/** An object has its own transactions, and takes none from a statement. */
const isBorder = (statement: string): boolean => /^(?:BEGIN|COMMIT)$/.test(statement)

/** True for statements that end the transaction in which they stand, so that they must be tried alone. */
export const endsTransaction = ({ sql }: Attack): boolean => /\bOR ROLLBACK\b/i.test(sql)

const jobOf = (state: State, attacks: ReadonlyArray<Attack>, first: ReadonlyArray<string>) => ({
  first,
  statements: [snapshot],
  state: states[state].filter((statement) => !isBorder(statement)),
  dump_queries: dumpQueries,
  attacks: attacks.map(({ after = "", setup = "", sql }) => ({ after, setup, sql }))
})

/** Makes a state in an object, unless it is there, and tries attacks on it, after the statements `first`; each is taken back. */
export const attackedIn = (
  workerd: Workerd,
  state: State,
  attacks: ReadonlyArray<Attack>,
  { first = [], name = state }: { readonly name?: string; readonly first?: ReadonlyArray<string> } = {}
): Promise<AttackReport> => workerd.ask("ATTACKED", name, "attack", jobOf(state, attacks, first))

/** Runs statements that are not taken back; why they were refused, or undefined. */
export const refusalOf = (workerd: Workerd, name: string, sql: string): Promise<string | undefined> =>
  workerd.ask<{ readonly error: string | null }>("ATTACKED", name, "plain", sql).then(
    ({ error }) => error ?? undefined,
    // The platform ends an object whose transaction was ended for it.
    (error: Error) => error.message
  )

/** The attacks that left a trace, or were not refused. */
export const successesOf = (
  attacks: ReadonlyArray<Attack>,
  outcomes: AttackReport["outcomes"]
): ReadonlyArray<string> =>
  attacks.flatMap(({ name, silent }, index) => {
    const { changed = true, error = null } = outcomes[index] ?? {}
    const isRefused = error !== null || silent === true
    return changed || !isRefused ? [`${name}: ${changed ? "left a trace" : "was not refused"}`] : []
  })

/** The attacks that left a trace. */
export const tracesOf = (
  attacks: ReadonlyArray<Attack>,
  outcomes: AttackReport["outcomes"]
): ReadonlyArray<string> =>
  attacks.flatMap(({ name }, index) => (outcomes[index]?.changed === false ? [] : [name]))
