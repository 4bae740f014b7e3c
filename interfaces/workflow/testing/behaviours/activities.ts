// What is recorded of activities, and when their bodies run again.
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Activity, DurableClock, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { expect } from "vitest"
import {
  type Behaviour,
  behaviour,
  give,
  register,
  settle,
  startSuspended,
  textActivity,
  textDeferred,
  textWorkflow,
  told,
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")
const other = textDeferred("other")

const Greeting = Context.Service<string>("behaviours/activities/Greeting")

/** Starts, waits for the suspension, opens the gate and waits for the end. */
const throughGate = (workflow: ReturnType<typeof textWorkflow>, id = "a") =>
  Effect.gen(function* () {
    const executionId = yield* startSuspended(workflow, id)
    yield* give(gate, workflow, executionId, "open")
    return told(yield* untilEnded(workflow, executionId))
  })

const recorded: ReadonlyArray<Behaviour> = [
  behaviour("Activity.make", "runs once: a replay has its value", function* () {
    const Values = textWorkflow("Values")
    let bodies = 0
    const charge = textActivity(
      "charge",
      Effect.sync(() => `charge ${++bodies}`)
    )
    yield* register(Values, () =>
      Effect.gen(function* () {
        const charged = yield* charge
        return `${charged}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Values)).toBe("success charge 1, open")
    expect(bodies).toBe(1)
  }),
  behaviour("Activity.make", "runs once where it fails: a replay has its failure", function* () {
    const Failures = textWorkflow("Failures")
    let bodies = 0
    const charge = textActivity(
      "charge",
      Effect.suspend(() => Effect.fail(`refused ${++bodies}`))
    )
    yield* register(Failures, () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(charge)
        return `${refused}, ${yield* DurableDeferred.await(gate)}`
      }).pipe(Effect.catch((value) => Effect.fail(String(value))))
    )
    expect(yield* throughGate(Failures)).toBe("success refused 1, open")
    expect(bodies).toBe(1)
  }),
  behaviour("Activity.make", "runs once where it dies: a replay has its defect", function* () {
    const Defects = textWorkflow("Defects")
    let bodies = 0
    const charge = textActivity(
      "charge",
      Effect.sync((): string => {
        throw new Error(`broken ${++bodies}`)
      })
    )
    yield* register(Defects, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(charge)
        return `${told(exit)}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Defects)).toBe("success defect broken 1, open")
    expect(bodies).toBe(1)
  }),
  behaviour(
    "Activity.make",
    "fails the workflow with its own failure where that is not caught",
    function* () {
      const Uncaught = textWorkflow("Uncaught")
      yield* register(Uncaught, () => textActivity("charge", Effect.fail("refused")))
      expect(yield* Effect.flip(Uncaught.execute({ id: "a" }))).toBe("refused")
    }
  ),
  behaviour(
    "Activity.make",
    "gives a value as its schema decodes it, at once and after a replay",
    function* () {
      const Typed = textWorkflow("Typed")
      const day = new Date("2026-11-29T00:00:00Z")
      const seen: Array<unknown> = []
      const when = Activity.make({
        name: "when",
        success: Schema.Struct({ day: Schema.Date, many: Schema.BigInt }),
        execute: Effect.succeed({ day, many: 7n })
      })
      yield* register(Typed, () =>
        Effect.gen(function* () {
          seen.push(yield* when)
          return yield* DurableDeferred.await(gate)
        })
      )
      yield* throughGate(Typed)
      expect(seen).toStrictEqual([
        { day, many: 7n },
        { day, many: 7n }
      ])
    }
  ),
  behaviour(
    "Activity.make",
    "gives a failure as its schema decodes it, at once and after a replay",
    function* () {
      class Refused extends Schema.TaggedError<Refused>()("Refused", { until: Schema.Date }) {}
      const Typed = textWorkflow("TypedFailure")
      const seen: Array<unknown> = []
      const day = new Date("2026-11-29T00:00:00Z")
      const charge = Activity.make({
        name: "charge",
        error: Refused,
        execute: Effect.fail(new Refused({ until: day }))
      })
      yield* register(Typed, () =>
        Effect.gen(function* () {
          seen.push(yield* Effect.flip(charge))
          return yield* DurableDeferred.await(gate)
        }).pipe(Effect.mapError(String))
      )
      yield* throughGate(Typed)
      expect(seen.map((error) => error instanceof Refused && error.until.getTime())).toStrictEqual([
        day.getTime(),
        day.getTime()
      ])
    }
  ),
  behaviour("Activity.make", "that gives nothing is recorded too", function* () {
    const Nothing = textWorkflow("Nothing")
    let bodies = 0
    const notify = Activity.make({ name: "notify", execute: Effect.sync(() => void ++bodies) })
    yield* register(Nothing, () =>
      Effect.gen(function* () {
        const nothing = yield* notify
        return `${String(nothing)}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Nothing)).toBe("success undefined, open")
    expect(bodies).toBe(1)
  }),
  behaviour("Activity.make", "dies where its value is not of its schema", function* () {
    const Wrong = textWorkflow("Wrong")
    const wrong = Activity.make({
      name: "wrong",
      success: Schema.String.check(Schema.isMinLength(3)),
      execute: Effect.succeed("x")
    })
    yield* register(Wrong, () => Effect.as(wrong, "done"))
    expect(told(yield* Effect.exit(Wrong.execute({ id: "a" })))).toMatch(/^defect .*length/)
  }),
  behaviour("Activity.make", "has its own record in each execution", function* () {
    const Each = textWorkflow("Each")
    let bodies = 0
    yield* register(Each, () =>
      textActivity(
        "charge",
        Effect.sync(() => `charge ${++bodies}`)
      )
    )
    expect(yield* Each.execute({ id: "a" })).toBe("charge 1")
    expect(yield* Each.execute({ id: "b" })).toBe("charge 2")
  }),
  behaviour("Activity.make", "takes its services from where it is used", function* () {
    const Served = textWorkflow("Served")
    const greet = textActivity(
      "greet",
      Effect.map(Greeting, (greeting) => greeting)
    )
    yield* register(Served, () => Effect.provideService(greet, Greeting, "good day"))
    expect(yield* Served.execute({ id: "a" })).toBe("good day")
  }),
  behaviour("Activity.make", "has a scope, which ends with it", function* () {
    const Scoped = textWorkflow("Scoped")
    const seen: Array<string> = []
    const opened = textActivity(
      "opened",
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => seen.push("opened")),
          () => Effect.sync(() => seen.push("closed"))
        ),
        "done"
      )
    )
    yield* register(Scoped, () => Effect.tap(opened, () => Effect.sync(() => seen.push("next"))))
    yield* Scoped.execute({ id: "a" })
    expect(seen).toStrictEqual(["opened", "closed", "next"])
  }),
  behaviour("Activity.make", "of any name has its record", function* () {
    const Names = textWorkflow("Names/ü %")
    const names = ["a/1", "a", "", " ", "é".repeat(300), "%2F", "name\n\u{1F600}"]
    const bodies: Array<string> = []
    yield* register(Names, () =>
      Effect.gen(function* () {
        for (const name of names)
          yield* textActivity(
            name,
            Effect.sync(() => String(bodies.push(name)))
          )
        return yield* DurableDeferred.await(gate)
      })
    )
    expect(yield* throughGate(Names)).toBe("success open")
    expect(bodies).toStrictEqual(names)
  }),
  behaviour(
    "Activity.make",
    "runs again where it was suspended itself: nothing of it was complete",
    function* () {
      const Waits = textWorkflow("WaitsInside")
      let bodies = 0
      const asks = textActivity(
        "asks",
        Effect.gen(function* () {
          bodies += 1
          return yield* DurableDeferred.await(gate)
        })
      )
      yield* register(Waits, () => asks)
      expect(yield* throughGate(Waits)).toBe("success open")
      expect(bodies).toBe(2)
    }
  ),
  behaviour(
    "Workflow.wrapActivityResult",
    "lets activities beside a wait end before the workflow is suspended",
    function* () {
      const Beside = textWorkflow("Beside")
      const seen: Array<string> = []
      const slow = textActivity(
        "slow",
        Effect.gen(function* () {
          seen.push("begun")
          yield* settle
          seen.push("ended")
          return "slow"
        })
      )
      yield* register(Beside, () =>
        Effect.map(Effect.all([slow, DurableDeferred.await(gate)], { concurrency: "unbounded" }), (all) =>
          all.join()
        )
      )
      expect(yield* throughGate(Beside)).toBe("success slow,open")
      expect(seen).toStrictEqual(["begun", "ended"])
    }
  ),
  behaviour(
    "WorkflowEngine.activityExecute",
    "dies with a defect where defects are not captured",
    function* () {
      const Bare = textWorkflow("Bare").annotate(Workflow.CaptureDefects, false)
      yield* register(Bare, () => textActivity("charge", Effect.die(new Error("broken"))))
      expect(told(yield* Effect.exit(Bare.execute({ id: "a" })))).toBe("defect broken")
    }
  ),
  behaviour("WorkflowEngine.activityExecute", "answers the result of an attempt", function* () {
    const Direct = textWorkflow("Direct")
    let bodies = 0
    const charge = textActivity(
      "charge",
      Effect.sync(() => `charge ${++bodies}`)
    )
    const engine = yield* WorkflowEngine.WorkflowEngine
    yield* register(Direct, () =>
      Effect.gen(function* () {
        const results = yield* Effect.forEach([1, 1, 2], (attempt) => engine.activityExecute(charge, attempt))
        return results.map((result) => (result._tag === "Complete" ? told(result.exit) : result._tag)).join()
      })
    )
    expect(yield* Direct.execute({ id: "a" })).toBe("success charge 1,success charge 1,success charge 2")
  })
]

const attempts: ReadonlyArray<Behaviour> = [
  behaviour("Activity.CurrentAttempt", "is 1 where nothing is retried", function* () {
    const First = textWorkflow("First")
    yield* register(First, () => textActivity("tell", Effect.map(Activity.CurrentAttempt, String)))
    expect(yield* First.execute({ id: "a" })).toBe("1")
  }),
  behaviour("Activity.retry", "counts attempts, records each, and runs none again", function* () {
    const Retried = textWorkflow("Retried")
    const seen: Array<number> = []
    const charge = textActivity(
      "charge",
      Effect.gen(function* () {
        const attempt = yield* Activity.CurrentAttempt
        seen.push(attempt)
        return attempt < 3 ? yield* Effect.fail("busy") : `charged at ${attempt}`
      })
    )
    yield* register(Retried, () =>
      Effect.gen(function* () {
        const charged = yield* Activity.retry(charge, { times: 5 })
        return `${charged}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Retried)).toBe("success charged at 3, open")
    expect(seen).toStrictEqual([1, 2, 3])
  }),
  behaviour("Activity.retry", "ends with the last failure", function* () {
    const Exhausted = textWorkflow("Exhausted")
    yield* register(Exhausted, () =>
      textActivity(
        "charge",
        Effect.flatMap(Activity.CurrentAttempt, (n) => Effect.fail(`busy ${n}`))
      ).pipe(Activity.retry({ times: 2 }))
    )
    expect(yield* Effect.flip(Exhausted.execute({ id: "a" }))).toBe("busy 3")
  }),
  behaviour("Activity.retry", "begins at 1 for each use", function* () {
    const Twice = textWorkflow("Twice")
    const tell = (name: string) => textActivity(name, Effect.map(Activity.CurrentAttempt, String))
    const once = (name: string) => Activity.retry(tell(name), { times: 1 })
    yield* register(Twice, () => Effect.map(Effect.all([once("a"), once("b")]), (all) => all.join()))
    expect(yield* Twice.execute({ id: "a" })).toBe("1,1")
  }),
  behaviour("Activity.make", "retries a body that is interrupted, as its policy says", function* () {
    const Interrupted = textWorkflow("Interrupted")
    let bodies = 0
    const fragile = Activity.make({
      name: "fragile",
      success: Schema.String,
      interruptRetryPolicy: Schedule.recurs(3),
      execute: Effect.suspend(() => (++bodies < 3 ? Effect.interrupt : Effect.succeed(`body ${bodies}`)))
    })
    yield* register(Interrupted, () => fragile)
    expect(yield* Interrupted.execute({ id: "a" })).toBe("body 3")
  }),
  behaviour(
    "Activity.make",
    "dies where its body is interrupted more often than its policy allows",
    function* () {
      const Fragile = textWorkflow("Fragile")
      const fragile = Activity.make({
        name: "fragile",
        success: Schema.String,
        interruptRetryPolicy: Schedule.recurs(1),
        execute: Effect.interrupt
      })
      yield* register(Fragile, () => fragile)
      expect(told(yield* Effect.exit(Fragile.execute({ id: "a" })))).toBe(
        'defect Activity "fragile" interrupted and retry attempts exhausted'
      )
    }
  ),
  behaviour(
    "Activity.idempotencyKey",
    "is the same at each replay, and another for each name, execution and attempt",
    function* () {
      const Keys = textWorkflow("Keys")
      const seen: Array<ReadonlyArray<string>> = []
      yield* register(Keys, () =>
        Effect.gen(function* () {
          const keys = [
            yield* Activity.idempotencyKey("a"),
            yield* Activity.idempotencyKey("b"),
            yield* Activity.idempotencyKey("a", { includeAttempt: true }),
            yield* Effect.provideService(
              Activity.idempotencyKey("a", { includeAttempt: true }),
              Activity.CurrentAttempt,
              2
            )
          ]
          seen.push(keys)
          return yield* DurableDeferred.await(gate)
        })
      )
      yield* throughGate(Keys, "a")
      yield* throughGate(Keys, "b")
      const [first, replayed, another] = seen
      expect(replayed).toStrictEqual(first)
      expect(new Set([...(first ?? []), ...(another ?? [])]).size).toBe(8)
    }
  )
]

const races: ReadonlyArray<Behaviour> = [
  behaviour("Activity.raceAll", "ends with the first that ends, and a replay has it", function* () {
    const Race = textWorkflow("Race")
    const seen: Array<string> = []
    let stopped = 0
    const slow = textActivity(
      "slow",
      Effect.sync(() => seen.push("slow")).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.sync(() => void ++stopped))
      )
    )
    const fast = textActivity(
      "fast",
      Effect.andThen(
        settle,
        Effect.sync(() => `fast ${seen.push("fast")}`)
      )
    )
    yield* register(Race, () =>
      Effect.gen(function* () {
        const winner = yield* Activity.raceAll("race", [slow, fast])
        return `${winner}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Race)).toBe("success fast 2, open")
    expect(seen).toStrictEqual(["slow", "fast"])
    expect(stopped).toBe(1)
  }),
  behaviour("Activity.raceAll", "ends with a success where others fail before", function* () {
    const Lucky = textWorkflow("Lucky")
    const bad = textActivity("bad", Effect.fail("bad"))
    const good = textActivity("good", Effect.as(settle, "good"))
    yield* register(Lucky, () => Activity.raceAll("race", [bad, good]))
    const direct = yield* Effect.exit(Effect.raceAll([Effect.fail("bad"), Effect.as(settle, "good")]))
    expect(told(yield* Effect.exit(Lucky.execute({ id: "a" })))).toBe(told(direct))
  }),
  behaviour("Activity.raceAll", "waits for its winner over a suspension", function* () {
    const Parked = textWorkflow("Parked")
    const waits = (name: string, deferred: ReturnType<typeof textDeferred>) =>
      textActivity(name, DurableDeferred.await(deferred))
    yield* register(Parked, () => Activity.raceAll("race", [waits("one", gate), waits("two", other)]))
    const executionId = yield* startSuspended(Parked, "a")
    yield* give(other, Parked, executionId, "two")
    expect(told(yield* untilEnded(Parked, executionId))).toBe("success two")
  }),
  behaviour("Activity.make", "runs beside another one where the workflow says so", function* () {
    const Both = textWorkflow("Both")
    const begun: Array<string> = []
    const meets = (name: string) =>
      textActivity(
        name,
        Effect.gen(function* () {
          begun.push(name)
          yield* until("both have begun", () => begun.length === 2)
          return name
        })
      )
    yield* register(Both, () =>
      Effect.map(Effect.all([meets("a"), meets("b")], { concurrency: "unbounded" }), (all) => all.join())
    )
    expect(yield* Both.execute({ id: "a" })).toBe("a,b")
  }),
  behaviour("Activity.make", "beside many others is recorded once each", function* () {
    const Many = textWorkflow("Many")
    const names = Array.from({ length: 40 }, (_, n) => `step ${n}`)
    let bodies = 0
    yield* register(Many, () =>
      Effect.gen(function* () {
        const steps = names.map((name) =>
          textActivity(
            name,
            Effect.sync(() => `${name}: ${(bodies += 1) > 0}`)
          )
        )
        const all = yield* Effect.all(steps, { concurrency: 8 })
        return `${all.length}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    expect(yield* throughGate(Many)).toBe("success 40, open")
    expect(bodies).toBe(40)
  }),
  behaviour(
    "DurableClock.sleep",
    "inside of an activity that is suspended runs its body again",
    function* () {
      const Naps = textWorkflow("Naps")
      let bodies = 0
      const nap = textActivity(
        "nap",
        Effect.gen(function* () {
          bodies += 1
          yield* DurableClock.sleep({ name: "nap", duration: 20, inMemoryThreshold: 0 })
          return "slept"
        })
      )
      yield* register(Naps, () => nap)
      const executionId = yield* Naps.execute({ id: "a" }, { discard: true })
      yield* untilSuspended(Naps, executionId)
      expect(told(yield* untilEnded(Naps, executionId))).toBe("success slept")
      expect(bodies).toBe(2)
    }
  )
]

const annotations: ReadonlyArray<Behaviour> = [
  behaviour("Activity.make", "keeps its name, schemas and record where it is annotated", function* () {
    const Annotated = textWorkflow("Annotated")
    const Owner = Context.Service<string>("behaviours/activities/Owner")
    let bodies = 0
    const plain = textActivity(
      "charge",
      Effect.sync(() => `charge ${++bodies}`)
    )
    const owned = plain.annotate(Owner, "billing").annotateMerge(Context.empty())
    expect(Context.get(owned.annotations as Context.Context<string>, Owner)).toBe("billing")
    yield* register(Annotated, () => Effect.map(Effect.all([plain, owned]), (all) => all.join()))
    expect(yield* Annotated.execute({ id: "a" })).toBe("charge 1,charge 1")
  }),
  behaviour("Workflow.make", "keeps its executions where it is annotated", function* () {
    const Owner = Context.Service<string>("behaviours/activities/WorkflowOwner")
    const Plain = textWorkflow("PlainWorkflow")
    const Owned = Plain.annotate(Owner, "billing").annotateMerge(Context.empty())
    let bodies = 0
    yield* Layer.build(Owned.toLayer(() => Effect.sync(() => `body ${++bodies}`)))
    expect(yield* Plain.execute({ id: "a" })).toBe("body 1")
    expect(yield* Owned.execute({ id: "a" })).toBe("body 1")
  }),
  behaviour("Workflow.intoResult", "hides interruptions that come with a failure", function* () {
    const Mixed = textWorkflow("Mixed")
    yield* register(Mixed, () =>
      Effect.failCause(Cause.fromReasons([...Cause.fail("no").reasons, ...Cause.interrupt(1).reasons]))
    )
    const executionId = yield* Mixed.execute({ id: "a" }, { discard: true })
    expect(told(yield* untilEnded(Mixed, executionId))).toBe("failure no")
  })
]

export const activities: ReadonlyArray<Behaviour> = [...recorded, ...attempts, ...races, ...annotations]
