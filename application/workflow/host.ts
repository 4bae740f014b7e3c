// What the parts of an engine share: the ledger and this process's name in it, the workflows that are registered, and the
// executions that are in memory. Memory is a cache of the ledger, and may be let go of at any time that nothing runs.
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { ExecutionJournal } from "../../domain/workflow/execution-journal.ts"
import { type RunKind, runOf } from "../../domain/workflow/names.ts"
import type { RunJournal } from "../../domain/workflow/run-journal.ts"
import type { ExecutionName } from "../../domain/workflow/wakes.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { LeaseInHand } from "../ledger/worker/kept-lease.ts"
import type { Agenda } from "./agenda.ts"

export type Instance = WorkflowEngine.WorkflowInstance["Service"]

/** The body of a workflow, as Effect's engine hands it over. */
type Body = Parameters<WorkflowEngine.Encoded["register"]>[1]

/** A workflow that this process has registered. */
export interface Entry {
  readonly workflow: Workflow.Any
  readonly execute: Body
  /** The services of the registration: those of the workflow's codecs are among them. */
  readonly context: Context.Context<never>
}

/** The turn that runs here. */
export interface Turn {
  instance: Instance
  body: Fiber.Fiber<Workflow.Result<unknown, unknown>> | undefined
  /** Deferreds that activities of this turn await: they wake the execution, and do not cut off the body. */
  readonly activityAwaits: Map<string, number>
  /** Up to which event the execution was read when the body began. */
  startedAt: number
  /** Attempts that the body has asked for. */
  readonly asked: Set<string>
  /** Deferreds whose value the body was given. */
  readonly given: Set<string>
  /** Another process has the lease. */
  isLost: boolean
  /** What the ledger failed with: the turn has no end, and its lease runs out. */
  fault: unknown
}

/** An execution in memory. */
export class Execution {
  readonly name: ExecutionName
  readonly runs: { readonly [Kind in RunKind]: string }
  readonly journal = new ExecutionJournal()
  /** The runs of activities and timers, once they were read. */
  activities: RunJournal | undefined
  timers: RunJournal | undefined
  /** The journal was read at least once. */
  isRead = false
  /** Parent of the scopes of all its bodies: resources of bodies that suspended last until it is complete, or is let go of. */
  scope = Scope.makeUnsafe()
  readonly instances = new Set<Instance>()
  readonly deferreds = WorkflowEngine.makeDeferredState()
  /** A fiber drives it here, the newest of which is the driver. */
  isDriven = false
  driver: Fiber.Fiber<void> | undefined
  turn: Turn | undefined
  /** Steps that were claimed with their post. */
  readonly claimed: Array<LeaseInHand> = []
  lookAgain = false
  isStopping = false
  /** What the ledger failed with in the last turn, and how often it did. */
  fault: unknown
  faults = 0
  /** Who waits for it here. */
  waiters = 0
  /** Attempts whose body runs here. */
  readonly inFlight = new Map<string, Deferred.Deferred<void>>()
  private changed = Deferred.makeUnsafe<void>()
  private activityChanged = Deferred.makeUnsafe<void>()

  constructor(sha256: Sha256, name: ExecutionName) {
    this.name = name
    const run = (kind: RunKind) => runOf(sha256, kind, name.workflow, name.execution)
    this.runs = { workflow: run("workflow"), activity: run("activity"), timer: run("timer") }
  }

  /** Ends at the next change of its state; take it before looking. */
  nextChange(): Effect.Effect<void> {
    return Deferred.await(this.changed)
  }

  /** Wakes those who wait for a change. */
  signal(): void {
    const { changed } = this
    this.changed = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(changed, Effect.void)
  }

  /** Cuts off a body that awaits a deferred, which has its value now, and was not given it: it runs again, and sees it. */
  preempt(name: string): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.turn?.given.has(name) === true
        ? Effect.void
        : this.deferreds.deferredDone(this.name.execution, name)
    )
  }

  /** Ends when another process has done something with an activity. */
  nextActivityChange(): Effect.Effect<void> {
    return Deferred.await(this.activityChanged)
  }

  signalActivities(): void {
    const changed = this.activityChanged
    this.activityChanged = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(changed, Effect.void)
  }
}

export interface Host {
  readonly ledger: LedgerShape
  readonly sha256: Sha256
  /** The name of this engine as a worker; no other process has it. */
  readonly worker_id: string
  readonly ttl_seconds: number
  readonly agenda: Agenda
  /** Runs work in the engine's own context until it is done, or the engine ends. */
  readonly fork: (work: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly entries: Map<string, Entry>
  readonly executions: Map<string, Execution>
  /** The same ones by their runs of turns: an event's run may have a name cut. */
  readonly byRun: Map<string, Execution>
  /** The service that bodies are given. */
  readonly service: () => WorkflowEngine.WorkflowEngine["Service"]
}

/** The execution in memory that a run belongs to. */
export const executionOfRun = ({ byRun }: Host, kind: RunKind, run_id: string): Execution | undefined =>
  byRun.get(kind === "workflow" ? run_id : `workflow${run_id.slice(kind.length)}`)

/** The key of an execution in memory. */
export const executionKey = ({ execution, workflow }: ExecutionName): string =>
  `${workflow}\u0000${execution}`
