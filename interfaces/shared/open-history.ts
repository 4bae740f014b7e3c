// The history of a ledger that is open. It is loaded when it is asked for: most commands and tools do without it.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HistoryShape } from "../../application/history/history.ts"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import type { ThoughtsShape } from "../../application/ledger/thoughts/thoughts.ts"

/** Reads the history of this ledger and of its thoughts. */
export const historyOf = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  thoughts: ThoughtsShape
): Effect.fn.Return<HistoryShape> {
  const { History } = yield* Effect.promise(() => import("../embedding/history.ts"))
  const { Ledger } = yield* Effect.promise(() => import("../../application/ledger/ledger.ts"))
  const { Thoughts } = yield* Effect.promise(() => import("../../application/ledger/thoughts/thoughts.ts"))
  const services = Context.make(Ledger, ledger).pipe(Context.add(Thoughts, thoughts))
  const layer = Layer.provide(History.layer, Layer.succeedContext(services))
  return Context.get(yield* Effect.scoped(Layer.build(layer)), History)
})
