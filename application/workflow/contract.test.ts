// What the engine takes from Effect's workflow modules, which Effect calls unstable: their functions, fields, tags and encoded forms.
// A change there fails here first.
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { DurableClock, Workflow, WorkflowEngine } from "effect/workflow"
import { describe, expect, it } from "vitest"
import { ActivityExit, BodyCause, codecsOf, DeferredExit } from "./codecs.ts"
import { ENDED } from "./timers.ts"

const Order = Workflow.make("Order", {
  payload: { id: Schema.String, at: Schema.Date },
  success: Schema.Date,
  idempotencyKey: ({ id }) => id
})

describe("what the engine takes from Effect", () => {
  it("is the functions of an engine, these and no other", () => {
    const functions = {
      register: 0,
      execute: 0,
      poll: 0,
      interrupt: 0,
      interruptUnsafe: 0,
      resume: 0,
      awaitComplete: 0,
      activityExecute: 0,
      deferredResult: 0,
      deferredDone: 0,
      scheduleClock: 0
    } satisfies Record<keyof WorkflowEngine.Encoded, 0>
    // Each name is one that Effect's service or its retries use.
    const service = Object.keys(WorkflowEngine.makeUnsafe({} as WorkflowEngine.Encoded))
    expect([...service, "awaitComplete"].toSorted()).toEqual(Object.keys(functions).toSorted())
  })

  it("is the fields of an instance", () => {
    const instance = WorkflowEngine.WorkflowInstance.initial(Order, "1")
    expect(instance).toMatchObject({
      executionId: "1",
      suspended: false,
      interrupted: false,
      abandoned: false
    })
    expect([instance.awaitedDeferreds, instance.completedDeferreds]).toEqual([new Map(), new Set()])
    expect(Context.get(instance.workflow.annotations, Workflow.SuspendOnFailure)).toBe(false)
  })

  it("is the tags of results, and a clock's deferred", () => {
    expect(new Workflow.Complete({ exit: Exit.void })._tag).toBe("Complete")
    expect(new Workflow.Suspended({ failed: true })).toMatchObject({ _tag: "Suspended", failed: true })
    expect(DurableClock.make({ name: "nap", duration: 1 }).deferred.name).toBe("DurableClock/nap")
  })
})

describe("encoded values", () => {
  const at = new Date(0)
  const { payload, result } = codecsOf(Order)
  const encode = <S extends Schema.Top>(schema: S, value: S["Type"]) =>
    Effect.runSync(Schema.encodeEffect(schema)(value) as Effect.Effect<unknown>)
  const decode = <S extends Schema.Top>(schema: S, value: unknown) =>
    Effect.runSync(Schema.decodeUnknownEffect(schema)(value) as Effect.Effect<S["Type"]>)

  it("have the forms that are in ledgers", () => {
    expect(encode(payload, { id: "1", at })).toEqual({ id: "1", at: "1970-01-01T00:00:00.000Z" })
    expect(encode(result, new Workflow.Complete({ exit: Exit.succeed(at) }))).toEqual({
      _tag: "Complete",
      exit: { _tag: "Success", value: "1970-01-01T00:00:00.000Z" }
    })
    expect(encode(result, new Workflow.Suspended({}))).toMatchObject({ _tag: "Suspended" })
    expect(encode(ActivityExit, Exit.die(new Error("x")))).toEqual({
      _tag: "Failure",
      cause: [{ _tag: "Die", defect: { name: "Error", message: "x" } }]
    })
    expect(encode(DeferredExit, Exit.void)).toEqual(ENDED)
    expect(encode(BodyCause, Cause.die("x"))).toEqual([{ _tag: "Die", defect: "x" }])
  })

  it("are read back", () => {
    expect(decode(result, encode(result, new Workflow.Complete({ exit: Exit.succeed(at) })))).toEqual(
      new Workflow.Complete({ exit: Exit.succeed(at) })
    )
    expect(decode(result, { _tag: "Suspended", cause: null })).toMatchObject({ _tag: "Suspended" })
    for (const exit of [Exit.succeed(undefined), Exit.succeed({ a: [1] }), Exit.fail({ x: 1 })]) {
      expect(decode(ActivityExit, encode(ActivityExit, exit))).toEqual(exit)
      expect(decode(DeferredExit, encode(DeferredExit, exit))).toEqual(exit)
    }
  })

  it("are of codecs that are built once", () => {
    expect(codecsOf(Order)).toBe(codecsOf(Order))
  })
})
