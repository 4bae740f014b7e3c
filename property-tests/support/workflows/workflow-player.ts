// Plays a scenario on a workflow engine, and tells what was seen: the state of each execution after each deed, how often each
// body ran, what was compensated in which order. Time is the test's, and nothing is done while anything still goes on.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Activity, DurableClock, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { type Deed, GATES, type Node, type Scenario, type Step } from "./workflow-programs.ts"

/** A layer for an engine; the same one again where a scenario is played on after a restart. */
export type EngineLayer = Layer.Layer<WorkflowEngine.WorkflowEngine, unknown>

export interface Seen {
  /** After each deed: each execution and how it stands. */
  readonly states: ReadonlyArray<string>
  /** How often the body of each attempt at each activity ran. */
  readonly bodies: Readonly<Record<string, number>>
  /** Compensations of each execution, in their order. */
  readonly undone: Readonly<Record<string, ReadonlyArray<string>>>
  /** What was logged as a warning or worse. */
  readonly warnings: ReadonlyArray<string>
}

/** All executions are of one workflow, told apart by the place of their body in the program. */
const workflowOf = (suspendOnFailure: boolean) =>
  Workflow.make("Program", {
    payload: { place: Schema.String },
    success: Schema.String,
    error: Schema.String,
    idempotencyKey: ({ place }) => place
  }).annotate(Workflow.SuspendOnFailure, suspendOnFailure)

type ProgramWorkflow = ReturnType<typeof workflowOf>

const gateOf = (gate: number) =>
  DurableDeferred.make(`gate ${gate}`, { success: Schema.String, error: Schema.String })

const toldCause = (cause: Cause.Cause<unknown>): string =>
  cause.reasons
    .map((reason) => {
      if (Cause.isFailReason(reason)) return `fail ${String(reason.error)}`
      if (Cause.isInterruptReason(reason)) return "interrupt"
      return `die ${reason.defect instanceof Error ? reason.defect.message : String(reason.defect)}`
    })
    .toSorted()
    .join(" + ")

const told = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit) ? `value ${String(exit.value)}` : toldCause(exit.cause)

/** Each child of a body by its place, at any depth. */
const childrenOf = (
  nodes: ReadonlyArray<Node>,
  place: string
): ReadonlyArray<readonly [string, ReadonlyArray<Node>]> =>
  nodes.flatMap((node, index) => {
    const at = `${place}.${index}`
    if (node.kind === "all") return childrenOf(node.nodes, at)
    if (node.kind === "caught") return childrenOf([node.node], at)
    if (node.kind === "child") return [[at, node.body] as const, ...childrenOf(node.body, at)]
    return []
  })

type Ran = Effect.Effect<
  string,
  string,
  Scope.Scope | WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance
>

/** One scenario on one engine. */
class Play {
  readonly bodies: Record<string, number> = {}
  readonly undone: Record<string, Array<string>> = {}
  readonly #workflow: ProgramWorkflow
  readonly #places: ReadonlyMap<string, ReadonlyArray<Node>>
  readonly #ids = new Map<string, string>()
  /** Places of executions that were started. */
  readonly #started = new Set<string>()

  constructor({ body, suspendOnFailure }: Scenario) {
    this.#workflow = workflowOf(suspendOnFailure)
    this.#places = new Map([["root", body], ...childrenOf(body, "root")])
  }

  /** The layer that registers the workflow. */
  readonly registered = () =>
    this.#workflow.toLayer(({ place }) => this.#sequence(this.#places.get(place) ?? [], place, place))

  #sequence(nodes: ReadonlyArray<Node>, at: string, execution: string): Ran {
    return Effect.map(
      Effect.all(nodes.map((node, index) => this.#run(node, `${at}.${index}`, execution))),
      (all) => all.join(",")
    )
  }

  #run(node: Node, at: string, execution: string): Ran {
    switch (node.kind) {
      case "step":
        return this.#step(node, at, execution)
      case "wait":
        return DurableDeferred.await(gateOf(node.gate))
      case "sleep":
        return Effect.as(
          DurableClock.sleep({ name: at, duration: `${node.hours} hours`, inMemoryThreshold: 0 }),
          "slept"
        )
      case "all":
        return node.atOnce
          ? Effect.map(
              Effect.all(
                node.nodes.map((each, index) => this.#run(each, `${at}.${index}`, execution)),
                { concurrency: "unbounded" }
              ),
              (all) => all.join("+")
            )
          : this.#sequence(node.nodes, at, execution)
      case "caught":
        return Effect.catch(this.#sequence([node.node], at, execution), (error) =>
          Effect.succeed(`no ${error}`)
        )
      case "child":
        return Effect.suspend(() => {
          this.#started.add(at)
          if (node.ends === "used") return this.#workflow.execute({ place: at })
          const detached = node.ends === "detached"
          return Effect.as(this.#workflow.execute({ place: at }, { discard: true, detached }), "child")
        })
      case "end":
        return node.how === "fail" ? Effect.fail(`end ${at}`) : Effect.die(new Error(`end ${at}`))
      case "race": {
        const [first, ...others] = node.nodes.map((each, index) =>
          this.#run(each, `${at}.${index}`, execution)
        )
        if (first === undefined) return Effect.succeed("none")
        return DurableDeferred.raceAll({
          name: at,
          success: Schema.String,
          error: Schema.String,
          effects: [first, ...others]
        })
      }
    }
  }

  #step({ end, failures, undo }: Step, at: string, execution: string): Ran {
    const activity = Activity.make({
      name: at,
      success: Schema.String,
      error: Schema.String,
      execute: Effect.gen({ self: this }, function* () {
        const attempt = yield* Activity.CurrentAttempt
        const name = `${at}/${attempt}`
        this.bodies[name] = (this.bodies[name] ?? 0) + 1
        if (attempt <= failures || end === "fail") return yield* Effect.fail(`refused ${name}`)
        if (end === "die") return yield* Effect.die(new Error(`broken ${name}`))
        return name
      })
    })
    const tried = Activity.retry(activity, { times: failures })
    if (!undo) return tried
    return Workflow.withCompensation(tried, (value, cause) =>
      Effect.sync(() => {
        ;(this.undone[execution] ??= []).push(`${value}: ${toldCause(cause)}`)
      })
    )
  }

  readonly #idOf = (place: string) =>
    Effect.gen({ self: this }, function* () {
      const known = this.#ids.get(place)
      if (known !== undefined) return known
      const id = yield* this.#workflow.executionId({ place })
      this.#ids.set(place, id)
      return id
    })

  readonly #state = (place: string) =>
    Effect.gen({ self: this }, function* () {
      // An engine dies with the cause of a run that has no result.
      const polled = yield* Effect.exit(this.#workflow.poll(yield* this.#idOf(place)))
      if (Exit.isFailure(polled)) return `no result: ${toldCause(polled.cause)}`
      if (Option.isNone(polled.value)) return RUNS
      const result = polled.value.value
      if (result._tag === "Complete") return told(result.exit)
      return `${SUSPENDED}${result.failed === true ? " failed" : ""}${result.cause ? `: ${toldCause(result.cause)}` : ""}`
    })

  /** How each execution stands, once nothing goes on any more. */
  readonly states = Effect.gen({ self: this }, function* () {
    let before = ""
    for (let calm = 0; calm < CALM_TURNS;) {
      yield* realTurn
      const states: Array<string> = []
      for (const place of [...this.#started].toSorted()) states.push(`${place} ${yield* this.#state(place)}`)
      const now = states.join("; ")
      calm = now === before && !now.includes(RUNS) ? calm + 1 : 0
      before = now
    }
    return before
  })

  readonly deed = (deed: Deed) =>
    Effect.gen({ self: this }, function* () {
      const root = yield* this.#idOf("root")
      switch (deed.kind) {
        case "start":
          this.#started.add("root")
          return void (yield* this.#workflow.execute({ place: "root" }, { discard: true }))
        case "open":
        case "refuse":
          return yield* this.#give(deed)
        case "interrupt": {
          const engine = yield* WorkflowEngine.WorkflowEngine
          return yield* deed.unsafe
            ? engine.interruptUnsafe(this.#workflow, root)
            : engine.interrupt(this.#workflow, root)
        }
        case "resume":
          for (const place of this.#places.keys()) {
            yield* this.#workflow.resume(yield* this.#idOf(place))
            yield* this.states
          }
          return
        case "clock":
          // Hour by hour: what sleeps next begins when the hour strikes.
          for (let hour = 0; hour < deed.hours; hour++) {
            if (!(yield* this.states).includes(SUSPENDED))
              return yield* TestClock.adjust(`${deed.hours - hour} hours`)
            yield* TestClock.adjust("1 hour")
          }
          return
        case "restart":
          return
      }
    })

  /** Gives the gate of each execution its value, one after the other: what one of them finds of another is known. */
  readonly #give = ({ gate, kind }: { readonly kind: "open" | "refuse"; readonly gate: number }) =>
    Effect.forEach(
      this.#places.keys(),
      (place) =>
        Effect.gen({ self: this }, function* () {
          const workflow = this.#workflow
          const token = yield* DurableDeferred.tokenFromPayload(gateOf(gate), {
            workflow,
            payload: { place }
          })
          const exit = kind === "open" ? Exit.succeed(`open ${gate}`) : Exit.fail(`refused ${gate}`)
          yield* DurableDeferred.done(gateOf(gate), { token, exit })
          yield* this.states
        }),
      { discard: true }
    )
}

const RUNS = "runs"
const SUSPENDED = "suspended"

/** Looks at which nothing has changed before all is calm. */
const CALM_TURNS = 5

const realTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Longer than all sleeps of a scenario together. */
const LAST_HOURS = 300

/** What is done at the end, so that each execution ends that can. */
const LAST_DEEDS: ReadonlyArray<Deed> = [
  ...Array.from({ length: GATES }, (_, gate): Deed => ({ kind: "open", gate })),
  { kind: "clock", hours: LAST_HOURS },
  { kind: "resume" }
]

/** Which engines a scenario is played on: one, one that is closed and opened again at restarts, or two on one file in turns. */
export type Cast = "one" | "restarted" | "two"

/** Plays a scenario. */
export const play = (scenario: Scenario, engine: EngineLayer, cast: Cast): Promise<Seen> => {
  const playing = new Play(scenario)
  const states: Array<string> = []
  const warnings: Array<string> = []
  const program = Effect.gen(function* () {
    const all = yield* Scope.Scope
    const opened = Effect.gen(function* () {
      const scope = yield* Scope.fork(all)
      const layer = Layer.provideMerge(playing.registered(), engine)
      return { scope, context: yield* Layer.buildWithScope(Layer.fresh(layer), scope) }
    })
    let actor = yield* opened
    let other = cast === "two" ? yield* opened : actor
    for (const deed of [...scenario.deeds, ...LAST_DEEDS]) {
      if (deed.kind === "restart" && cast === "restarted") {
        yield* Scope.close(actor.scope, Exit.void)
        actor = yield* opened
        other = actor
      }
      yield* Effect.provideContext(playing.deed(deed), actor.context)
      states.push(`${deed.kind}: ${yield* Effect.provideContext(playing.states, other.context)}`)
      ;[actor, other] = [other, actor]
    }
    return { states, bodies: playing.bodies, undone: playing.undone, warnings }
  })
  const noted = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel !== "Debug" && logLevel !== "Info") warnings.push(String(message))
    })
  ])
  return Effect.runPromise(Effect.provide(Effect.scoped(program), Layer.merge(TestClock.layer(), noted)))
}
