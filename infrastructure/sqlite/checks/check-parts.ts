// Runs the parts of a check of a database one after the other: damage that keeps a part from being read is a finding of that
// part, and the others go on.
import { appendTo } from "../../../domain/foundation/appending.ts"
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { DatabaseDamaged } from "../connection/database-damaged.ts"
import { damage } from "./file-finding.ts"
import { Busy, sqliteFailure } from "../connection/sqlite-errors.ts"

type Findings = ReadonlyArray<DatabaseFinding>

/** The finding of a part that SQLite could not read for its damage. Other trouble passes through. */
const stopAt = (where: string, error: unknown): DatabaseFinding => {
  const failure = error instanceof DatabaseDamaged ? error : sqliteFailure(where, error)
  if (failure instanceof Busy) throw error
  if (failure instanceof DatabaseDamaged) return damage(where, failure.finding)
  const code = (error as { readonly code: string }).code
  if (!/^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|INTERNAL|RANGE)(?:_|$)/.test(code)) throw error
  return damage(where, failure.message)
}

/** Parts that stopped at the same damage are one finding, which names them all. */
export const stoppedTogether = (stops: Findings): Findings =>
  [...Map.groupBy(stops, ({ code, message }) => `${code} ${message}`).values()].flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ ...first, where: same.map(({ where }) => where).join(", ") }]
  })

/** Runs the parts of a check, each under its name; what they found, and then where they could not be read for damage. */
export const parts = <F = DatabaseFinding>(
  checks: ReadonlyArray<readonly [where: string, check: () => ReadonlyArray<F>]>
): ReadonlyArray<F | DatabaseFinding> => {
  const findings: Array<F> = []
  const stops: Array<DatabaseFinding> = []
  for (const [where, check] of checks) {
    try {
      appendTo(findings, check())
    } catch (error) {
      stops.push(stopAt(where, error))
    }
  }
  return [...findings, ...stoppedTogether(stops)]
}

/** Runs one part of a check; damage that keeps it from being read is a finding of that part. */
export const part = (where: string, check: () => Findings): Findings => parts([[where, check]])

/** Runs a part of a check that tells its findings itself; gives what could not be read for it. */
export const stopsOf = (where: string, check: () => void): Findings =>
  part(where, () => {
    check()
    return []
  })
