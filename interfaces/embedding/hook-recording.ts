// What a hook records, on a ledger's file: opened, written once and closed. A process of its own does it for each call of an agent, so
// that nothing is loaded here but what opening and writing need.
import * as Effect from "effect/Effect"
import { type HookRule, hookWorks } from "../../application/agents/hook-works.ts"
import { commitGroup } from "../../application/ledger/commands/one-group.ts"
import type { HookEvent } from "../../domain/agents/hook-event.ts"
import { sha256 } from "../../infrastructure/hashing/node-hashing.ts"
import { openLedgerFile } from "../../infrastructure/ledger/opening/ledger-file.ts"
import type { LedgerFileOptions } from "../../infrastructure/ledger/opening/ledger-options.ts"
import { makeSqliteLedgerStore } from "../../infrastructure/ledger/sqlite-ledger-store.ts"

export { sha256 } from "../../infrastructure/hashing/node-hashing.ts"

/** How many of the newest events are checked before a hook writes: its process checks them with code that is not yet warm. */
const CHECKED_EVENTS = 32

/** Records what a hook was told; a file that is missing is made. */
export const recordHookEvent = Effect.fnUntraced(function* (
  file: LedgerFileOptions,
  event: HookEvent,
  rule: HookRule
) {
  const works = yield* Effect.fromResult(hookWorks(sha256, event, rule))
  const store = yield* Effect.flatMap(
    openLedgerFile({ ...file, checkedEvents: CHECKED_EVENTS }),
    makeSqliteLedgerStore
  )
  for (const outcome of yield* commitGroup(store, sha256, works)) yield* outcome
}, Effect.scoped)
export type { LedgerFileOptions } from "../../infrastructure/ledger/opening/ledger-options.ts"
