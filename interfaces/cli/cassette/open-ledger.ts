// Finds the ledger file that the flags name and opens it for one command. Only posting and thinking may create a ledger; reading
// opens so that nothing is changed. The database is loaded here and nowhere else, so that help needs none.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import type { HistoryShape } from "../../../application/history/history.ts"
import type { CheckpointsShape } from "../../../application/ledger/proofs/checkpoints.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import type { ThoughtsShape } from "../../../application/ledger/thoughts/thoughts.ts"
import { RunNotFound } from "../../../domain/ledger/errors.ts"
import type { Host } from "../../shared/host.ts"
import { historyOf } from "../../shared/open-history.ts"
import { type Access, ledgerFileAt } from "../../shared/ledger-place.ts"
import { Root } from "../../shared/options.ts"
import { writeWarnings } from "../output.ts"
import { AllowNetworkFs, Db, Durability } from "./ledger-flags.ts"

/** The settings that say which ledger, and how. */
type LedgerSettings =
  | GlobalFlag.Setting.Identifier<"root">
  | GlobalFlag.Setting.Identifier<"db">
  | GlobalFlag.Setting.Identifier<"durability">
  | GlobalFlag.Setting.Identifier<"allow-network-fs">

/** The path of the ledger file that the flags name, absolute. */
export const ledgerFile = Effect.fnUntraced(function* (access: Access) {
  const db = Option.getOrUndefined(yield* Db)
  return yield* ledgerFileAt({ db, root: Option.getOrUndefined(yield* Root) }, access)
})

/** What is done with an opened ledger, its thoughts and its checkpoints. */
type Use<A, E, R> = (
  ledger: LedgerShape,
  thoughts: ThoughtsShape,
  checkpoints: CheckpointsShape
) => Effect.Effect<A, E, R>

/** A ledger file with the thoughts in it, open until the scope ends. */
const openLedgerFile = Effect.fnUntraced(function* (file: string, access: Access) {
  const options = {
    filename: file,
    mode: access,
    durability: yield* Durability,
    allowNetworkFs: yield* AllowNetworkFs
  }
  const sqlite = yield* Effect.promise(() => import("../../embedding/ledger.ts"))
  const { Thoughts } = yield* Effect.promise(() => import("../../../application/ledger/thoughts/thoughts.ts"))
  const { Checkpoints } = yield* Effect.promise(
    () => import("../../../application/ledger/proofs/checkpoints.ts")
  )
  const context = yield* Layer.build(sqlite.Ledger.layer(options))
  return {
    ledger: Context.get(context, sqlite.Ledger),
    thoughts: Context.get(context, Thoughts),
    checkpoints: Context.get(context, Checkpoints)
  }
})

/** Opens one ledger file for as long as `use` runs. */
export const withLedgerFile = <A, E, R>(file: string, access: Access, use: Use<A, E, R>) =>
  Effect.scoped(
    Effect.flatMap(openLedgerFile(file, access), ({ checkpoints, ledger, thoughts }) =>
      use(ledger, thoughts, checkpoints)
    )
  )

/** A function that opens the ledger that the flags name, whenever it is called, until the scope ends. */
export const ledgerOpener = Effect.gen(function* () {
  const services = yield* Effect.context<Scope.Scope | Host | LedgerSettings>()
  return (access: Access) =>
    Effect.flatMap(ledgerFile(access), (file) => openLedgerFile(file, access)).pipe(
      Effect.provideContext(services)
    )
})

/** Opens the ledger that the flags name for as long as `use` runs. */
export const withLedger = Effect.fnUntraced(function* <A, E, R>(access: Access, use: Use<A, E, R>) {
  return yield* withLedgerFile(yield* ledgerFile(access), access, use)
})

/** Opens the ledger that the flags name for reading its history, for as long as `use` runs. */
export const withHistory = Effect.fnUntraced(function* <A, E, R>(
  use: (history: HistoryShape, ledger: LedgerShape) => Effect.Effect<A, E, R>
) {
  return yield* withLedger("read", (ledger, thoughts) =>
    Effect.flatMap(historyOf(ledger, thoughts), (history) => use(history, ledger))
  )
})

/** Refuses a run that nothing was ever posted to, as the log says: a table may be damaged. */
export const requireRun = Effect.fnUntraced(function* (ledger: LedgerShape, runId: string | undefined) {
  if (runId === undefined) return
  const events = yield* Stream.runCollect(Stream.take(ledger.events({ runId, live: false }), 1))
  if (events.length === 0) return yield* new RunNotFound({ run_id: runId })
})

/** Tells people what is odd about a ledger: a clock that is behind, a copy that is read, damage. */
export const warnAbout = Effect.fnUntraced(function* (ledger: LedgerShape) {
  const { fault } = ledger
  yield* writeWarnings([
    ...(yield* ledger.warnings),
    ...(fault === undefined
      ? []
      : [
          `the ledger is damaged (${fault.code} ${fault.where}: ${fault.message}): cortex cassette verify lists every fault`
        ])
  ])
})
