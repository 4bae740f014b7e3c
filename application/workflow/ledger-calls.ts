// How an engine asks the ledger: refusals are answers, and what is no refusal ends the work. A ledger that was closed interrupts it.
// A failure of the store never becomes the result of a workflow: it ends the turn without one, and the turn is tried again later.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type InvariantViolation, isRetryable } from "../../domain/foundation/errors.ts"
import type { StoreWriteError } from "../../domain/ledger/errors.ts"
import type { LedgerEvent } from "../../domain/ledger/events.ts"
import { MAX_PAGE_ROWS } from "../../domain/foundation/page.ts"
import { decoded } from "../ledger/reading/decoded-event.ts"
import { patiently } from "../ledger/worker/patience.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import type { Execution, Host } from "./host.ts"
import { RunJournal } from "../../domain/workflow/run-journal.ts"

type StoreFault = StoreWriteError | ReadError | InvariantViolation

const faultTags: ReadonlyArray<string> = [
  "ClockFarBehindHead",
  "InvariantViolation",
  "LedgerClosed",
  "ReadOnlyStore",
  "StorageFailure",
  "StorageFull",
  "StoreBusy",
  "StoreCorrupt"
] satisfies ReadonlyArray<StoreFault["_tag"]>

const isFault = (error: { readonly _tag: string }): error is StoreFault => faultTags.includes(error._tag)

/** Ends the turn that runs in this execution, and the fiber that asked. */
const endTurn = (execution: Execution, fault: StoreFault): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { turn } = execution
    if (turn === undefined) return Effect.die(fault)
    turn.fault ??= fault
    turn.instance.abandoned = true
    return Effect.andThen(
      turn.body === undefined ? Effect.void : Effect.forkDetach(Fiber.interrupt(turn.body)),
      Effect.interrupt
    )
  })

/** The ledger's reply or refusal; `inside` is the execution whose body asks. */
export const asked = <A, E extends { readonly _tag: string }>(
  work: Effect.Effect<A, E>,
  inside?: Execution
): Effect.Effect<A, Exclude<E, StoreFault>> =>
  Effect.catch(work, (error): Effect.Effect<A, Exclude<E, StoreFault>> => {
    if (isRetryable(error)) return asked(patiently(work), inside)
    if (!isFault(error)) return Effect.fail(error as Exclude<E, StoreFault>)
    if (error._tag === "LedgerClosed") return Effect.interrupt
    return inside === undefined ? Effect.die(error) : endTurn(inside, error)
  })

/** A read whose input is right by construction. */
export const read = <A, E extends { readonly _tag: string }>(
  work: Effect.Effect<A, E>,
  inside?: Execution
): Effect.Effect<A> => Effect.orDie(asked(work, inside))

/** Reads the events of a run that are behind a position. */
const readRun = Effect.fnUntraced(function* (
  { ledger }: Host,
  run_id: string,
  journal: { readonly position: number; readonly read: (event: LedgerEvent) => unknown },
  inside?: Execution
) {
  while (true) {
    const page = yield* read(
      ledger.eventsAfter({ run_id, after: journal.position, limit: MAX_PAGE_ROWS }),
      inside
    )
    for (const envelope of page) journal.read(yield* read(decoded(envelope), inside))
    if (page.length < MAX_PAGE_ROWS) return
  }
})

/** Reads what is new in the run of turns. */
export const catchUp = Effect.fnUntraced(function* (host: Host, execution: Execution, inside?: Execution) {
  const { journal } = execution
  const target = {
    get position() {
      return journal.turns.position
    },
    read: (event: LedgerEvent) => journal.read(event)
  }
  yield* readRun(host, execution.runs.workflow, target, inside)
  execution.isRead = true
})

/** Reads what is new in the run of activities, or of timers. */
export const catchUpOn = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  kind: "activities" | "timers",
  inside?: Execution
) {
  const journal = execution[kind] ?? new RunJournal()
  const run = kind === "activities" ? execution.runs.activity : execution.runs.timer
  yield* readRun(host, run, journal, inside)
  execution[kind] ??= journal
  return execution[kind]
})
