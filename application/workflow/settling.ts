// The end of a turn: its receipt, the parent that is told in the same transaction, and what is left over of an execution that is
// complete. Scopes are closed before the receipt is committed, so that who sees the result sees what the finalizers did.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Workflow from "effect/workflow/Workflow"
import type { JsonValue } from "../../domain/canonical/json.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { Lease } from "../../domain/ledger/commands.ts"
import type { Outcome } from "../../domain/ledger/rows.ts"
import { NotRecordable } from "../../domain/workflow/errors.ts"
import { ABANDONED, type TurnReceipt, turnReceipt } from "../../domain/workflow/receipts.ts"
import { readAttempt, wakePayload } from "../../domain/workflow/wakes.ts"
import { runOf } from "../../domain/workflow/names.ts"
import type { JournalStep, RunJournal } from "../../domain/workflow/run-journal.ts"
import { outcomeOf } from "./activities.ts"
import { BodyCause, codecsOf } from "./codecs.ts"
import { type Entry, type Execution, executionKey, type Host, type Turn } from "./host.ts"
import { asked, catchUp, catchUpOn } from "./ledger-calls.ts"
import { dismiss, finishLate } from "./leases.ts"

/** How a body ended for good in its turn. */
export type Ending =
  | { readonly _tag: "Complete"; readonly result: Workflow.Complete<unknown, unknown> }
  | { readonly _tag: "Suspended"; readonly result: Workflow.Suspended; readonly seen: number }
  | { readonly _tag: "Died"; readonly cause: Cause.Cause<never>; readonly seen: number }

export const died = (cause: Cause.Cause<never>, seen: number): Ending => ({ _tag: "Died", cause, seen })

/** A turn that has ended, and the lease of its step. */
export interface EndedTurn {
  readonly turn: Turn
  readonly step: JournalStep
  readonly lease: Lease
  readonly ending: Ending
}

interface Written {
  readonly receipt: TurnReceipt
  readonly outcome: Outcome
}

/**
 * Attempts that have a result and that the body did not ask for, though nothing else explains it: a body that ended otherwise than
 * well may not have come to them.
 */
const unusedOf = (
  { activities }: Execution,
  { asked, instance }: Turn,
  ending: Ending
): ReadonlyArray<string> => {
  const isWell = ending._tag === "Complete" && Exit.isSuccess(ending.result.exit)
  if (activities === undefined || instance.interrupted || !isWell) return []
  return [...activities.steps.values()].flatMap(({ key, payload, standing }) => {
    if (standing._tag !== "Committed" || standing.outcome === "ABORTED" || key === null || asked.has(key))
      return []
    return readAttempt(payload)?.isHeld === false ? [key] : []
  })
}

const encoded = (
  entry: Entry,
  result: Workflow.Result<unknown, unknown>
): Effect.Effect<JsonValue, Schema.SchemaError> =>
  Schema.encodeEffect(codecsOf(entry.workflow).result)(result).pipe(
    Effect.provideContext(entry.context)
  ) as Effect.Effect<JsonValue, Schema.SchemaError>

/** The receipt of a turn that ended so. */
const written = Effect.fnUntraced(function* (
  execution: Execution,
  entry: Entry,
  { ending, step, turn }: EndedTurn
): Effect.fn.Return<Written, Schema.SchemaError> {
  const unused = unusedOf(execution, turn, ending)
  const notes = { wake: execution.journal.wakeOf(step)?.kind ?? null, unused }
  switch (ending._tag) {
    case "Complete": {
      const result = yield* encoded(entry, ending.result)
      return { receipt: { turn: "complete", result, ...notes }, outcome: outcomeOf(ending.result.exit) }
    }
    case "Suspended": {
      const result = yield* encoded(entry, ending.result)
      const waits = [
        ...new Set([...turn.instance.awaitedDeferreds.keys(), ...turn.activityAwaits.keys()])
      ].sort()
      const { seen } = ending
      const failed = ending.result.failed === true
      return {
        receipt: { turn: "suspended", result, waits, failed, seen, ...notes },
        outcome: failed ? "FAILURE" : "SUCCESS"
      }
    }
    case "Died": {
      const cause = (yield* Schema.encodeEffect(BodyCause)(ending.cause)) as JsonValue
      return { receipt: { turn: "died", cause, seen: ending.seen, ...notes }, outcome: "FAILURE" }
    }
  }
})

/** Commits the receipt, and tells the parent in the same transaction; false where the turn is another process' now. */
const commit = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  lease: Lease,
  { outcome, receipt }: Written
): Effect.fn.Return<boolean, InvalidInput> {
  const completion = { ...lease, receipt_payload: turnReceipt(receipt), outcome }
  const parent = receipt.turn === "complete" ? execution.journal.start?.parent : undefined
  const complete = { _tag: "CompleteStep", ...completion } as const
  const commands =
    parent === undefined
      ? ([complete] as const)
      : ([
          complete,
          {
            _tag: "PostMessage",
            run_id: runOf(host.sha256, "workflow", parent.workflow, parent.execution),
            source: "SYSTEM",
            payload: wakePayload({ kind: "child", ...execution.name })
          }
        ] as const)
  const [completed] = yield* Effect.catchTag(
    asked(host.ledger.commands(commands)),
    "InvalidInput",
    Effect.fail
  )
  if (Result.isSuccess(completed)) return true
  const { _tag } = completed.failure
  return _tag === "LeaseExpired" || _tag === "NotLeased" ? yield* finishLate(host, completion) : false
})

/** What cannot be recorded is told by name, as a defect of the execution. */
const refused = (execution: Execution, { ending, ...ended }: EndedTurn, reason: string): EndedTurn => {
  const what = ending._tag === "Complete" ? "The result" : "The cause of the end"
  const refusal = new NotRecordable({ ...execution.name, what, reason })
  return ending._tag === "Died"
    ? { ...ended, ending: died(Cause.die(refusal), ending.seen) }
    : { ...ended, ending: { _tag: "Complete", result: new Workflow.Complete({ exit: Exit.die(refusal) }) } }
}

/** Ends steps that no turn asks for any more. */
const sweep = Effect.fnUntraced(function* (host: Host, execution: Execution) {
  for (const kind of ["activities", "timers"] as const) {
    const journal: RunJournal = yield* catchUpOn(host, execution, kind)
    const waiting = journal.waiting()
    for (const { step_id } of waiting) host.agenda.remove(`clock:${step_id}`)
    const run = kind === "activities" ? execution.runs.activity : execution.runs.timer
    yield* dismiss(
      host,
      run,
      waiting.map((step) => [step, ABANDONED] as const)
    )
  }
})

/** Ends what is left over of an execution that is complete. */
export const sweepIfComplete = (host: Host, execution: Execution): Effect.Effect<void> =>
  execution.journal.result === undefined ? Effect.void : sweep(host, execution)

/** Commits how a turn ended. `look` looks for turns of the parent. */
export const settle = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  entry: Entry,
  ended: EndedTurn,
  look: (host: Host, execution: Execution) => Effect.Effect<void>
) {
  const { ending, lease } = ended
  const { journal } = execution
  if (ending._tag !== "Suspended") {
    yield* Scope.close(execution.scope, Exit.void)
    execution.scope = Scope.makeUnsafe()
    execution.instances.clear()
  }
  // A first turn that asked for no activity and no clock has left nothing over.
  const isFresh = journal.last === undefined && lease.fencing_token === 1
  const write = Effect.fnUntraced(function* (ended: EndedTurn) {
    const receipt = yield* written(execution, entry, ended)
    yield* warnOfUnused(execution, receipt.receipt)
    return yield* commit(host, execution, lease, receipt)
  })
  const isOurs = yield* Effect.orDie(
    Effect.catch(write(ended), (error) => write(refused(execution, ended, error.message)))
  )
  yield* catchUp(host, execution)
  execution.signal()
  if (!isOurs || ending._tag !== "Complete") return
  if (!isFresh || execution.activities !== undefined || execution.timers !== undefined) {
    yield* sweep(host, execution)
  }
  const parent = execution.journal.start?.parent
  const inMemory = parent && host.executions.get(executionKey(parent))
  if (inMemory !== undefined) yield* look(host, inMemory)
})

const warnOfUnused = ({ name }: Execution, { unused = [] }: TurnReceipt): Effect.Effect<void> =>
  unused.length === 0
    ? Effect.void
    : Effect.logWarning(
        `Workflow ${name.workflow} (execution ${name.execution}) did not ask for what it did before: ${unused.join(", ")}. Has its code changed?`
      )
