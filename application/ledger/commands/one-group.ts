// One group of works committed at once, without a queue: for a process that writes once and ends. The writer of a ledger that stays
// open takes the same works.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import type { InvariantViolation } from "../../../domain/foundation/errors.ts"
import type { StoreWriteError } from "../../../domain/ledger/errors.ts"
import { decideGroup, type Failed, type Outcome, type UnitOfWork, Waiting } from "./command-group.ts"
import { corrupt } from "./head-check.ts"
import type { LedgerStore } from "./ledger-store.ts"

/** Decides the works in order in one transaction; one outcome each, and all on disk when it answers. */
export const commitGroup = Effect.fnUntraced(function* (
  store: LedgerStore["Service"],
  sha256: Sha256,
  works: ReadonlyArray<UnitOfWork<unknown>>
): Effect.fn.Return<ReadonlyArray<Outcome>, Failed<never> | InvariantViolation | StoreWriteError> {
  if (store.fault !== undefined) return yield* corrupt(store.fault)
  const now = yield* Clock.currentTimeMillis
  const group = [new Waiting((one) => Exit.succeed(works.map(one)), 0)]
  const { outcomes } = yield* store.transact((transaction) =>
    decideGroup(transaction, sha256, store.openedHead, now, group)
  )
  const [outcome = Exit.succeed([])] = outcomes
  return (yield* outcome as Effect.Effect<unknown, InvariantViolation>) as ReadonlyArray<Outcome>
})
