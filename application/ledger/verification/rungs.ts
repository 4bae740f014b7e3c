// What the rungs of one verification share: the snapshot that they read, the list that they add findings to, and
// the counts and digests of the report. A rung adds findings; it never decides the verdict.
import * as Effect from "effect/Effect"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { clippedText } from "../../../domain/foundation/finding.ts"
import { Findings } from "../../../domain/foundation/findings.ts"
import type { FindingCode } from "../../../domain/ledger/verification.ts"
import type { LedgerSnapshot } from "./ledger-evidence.ts"
import type { ReadError } from "../reading/ledger-reader.ts"

/** The findings of all rungs. */
export class FindingList extends Findings<FindingCode> {
  /** How often a rung was told of: every finding, and every rung that stopped at the damage of another. */
  told = 0

  /** Which rungs stopped at the same damage, and where their one finding stands. */
  private readonly stops = new Map<
    string,
    { readonly index: number; readonly names: ReadonlyArray<string> }
  >()

  /** Rungs that stop at the same damage are one finding, which names them all. */
  addStop(name: string, code: FindingCode, where: string, message: string): void {
    const key = JSON.stringify([code, where, message])
    const known = this.stops.get(key)
    const names = [...new Set([...(known?.names ?? []), name])]
    const index = known?.index ?? this.listed.length
    this.stops.set(key, { index, names })
    if (known === undefined) return this.add(code, `${name}: ${where}`, message)
    this.told += 1
    if (index < this.listed.length) {
      this.listed[index] = {
        code,
        where: clippedText(`${names.join(", ")}: ${where}`),
        message: clippedText(message)
      }
    }
  }

  override add(code: FindingCode, where: string, message: string): void {
    this.told += 1
    super.add(code, where, message)
  }
}

/** What the rungs of one verification share. */
export interface Rungs {
  readonly snapshot: LedgerSnapshot
  readonly list: FindingList
  readonly counts: Record<string, number>
  readonly digests: Record<string, string>
}

/** How many rows a long walk takes in one turn. */
export const ROWS_PER_TURN = 1_000

/** Runs a long synchronous walk in turns: at each of its yields the runtime gets its turn. */
export const inTurns = <A>(walk: Generator<undefined, A>): Effect.Effect<A, ReadError> =>
  Effect.gen(function* () {
    while (true) {
      const turn = yield* reading(() => walk.next())
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

/** Turns synchronous snapshot reads, which throw `ReadError`s, into an effect; all else that is thrown is a defect. */
export const reading = <A>(read: () => A): Effect.Effect<A, ReadError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      if (error instanceof StoreCorrupt || error instanceof StorageFailure) return Effect.fail(error)
      throw error
    }
  })
