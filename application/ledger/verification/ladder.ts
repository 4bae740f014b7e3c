// Climbing the rungs of one verification: each is reported by name with what it found and what it was narrowed to, and
// damage that stops one is a finding of that rung, not the end of the report.
import * as Effect from "effect/Effect"
import type { Finding, FindingCode, RungReport } from "../../../domain/ledger/verification.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { Progress } from "../../foundation/progress.ts"
import type { FindingList } from "./rungs.ts"

/** What a rung is narrowed to. */
export type RungScope = Pick<RungReport, "since" | "run_id">

/** A rung that looks at everything. */
export const WHOLE: RungScope = { since: null, run_id: null }

/**
 * What SQLite says, by its code, where a file holds what it cannot follow. Every other `StorageFailure` tells of the disk, of
 * locks or of a file that was replaced, and of nothing in the ledger.
 */
const DAMAGE = /^(?:InvariantViolation|SQLITE_(?:ERROR|MISMATCH|INTERNAL|RANGE|FORMAT))$/

/**
 * Turns damage that stops a reading into a finding with the rung's name: pages that SQLite cannot read, a table that is not
 * there, rows that no code was made for. Gives undefined then.
 */
export const stoppedByDamage = <A, R>(
  list: FindingList,
  name: string,
  rung: Effect.Effect<A, ReadError, R>
): Effect.Effect<A | undefined, ReadError, R> => {
  const found = (code: string, where: string, message: string) =>
    Effect.sync(() => {
      list.addStop(name, code as FindingCode, where, message)
      return undefined
    })
  return rung.pipe(
    Effect.catchTags({
      StoreCorrupt: (error) => found(error.code, error.where, error.finding),
      StorageFailure: (error) =>
        DAMAGE.test(error.code) ? found("INTEGRITY", error.file, error.reason) : Effect.fail(error)
    }),
    // Only what is stored can make a rung fail: then the ledger does not pass.
    Effect.catchDefect((defect) =>
      found("INTEGRITY", "this rung", `it could not be climbed to its end (${String(defect)})`)
    )
  )
}

/** The rungs that were climbed so far, and what they found. */
export class Ladder {
  readonly reports: Array<RungReport> = []
  readonly list: FindingList

  private readonly takeDamage: () => ReadonlyArray<Finding>

  /** Damage that reading has met is told with the rung that met it. */
  constructor(list: FindingList, takeDamage: () => ReadonlyArray<Finding>) {
    this.list = list
    this.takeDamage = takeDamage
  }

  /** Climbs one rung; gives undefined when damage stopped it. */
  climb<A, R>(
    name: string,
    scope: RungScope,
    rung: Effect.Effect<A, ReadError, R>
  ): Effect.Effect<A | undefined, ReadError, R> {
    return Progress.use((report) => {
      report(name)
      const before = this.list.told
      return Effect.map(stoppedByDamage(this.list, name, rung), (found) => {
        for (const { code, message, where } of this.takeDamage()) this.list.add(code, where, message)
        this.reports.push({ name, findings: this.list.told - before, ...scope })
        return found
      })
    })
  }
}
