// Payloads, values and failures by their schemas: what a body and a caller get is decoded, also after a replay.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Activity, DurableDeferred, Workflow } from "effect/workflow"
import { expect } from "vitest"
import { type Behaviour, behaviour, textDeferred, told, untilSome } from "../behaviour.ts"

const gate = textDeferred("gate")
const day = new Date("2026-11-29T13:00:00.123Z")

class Refused extends Schema.TaggedError<Refused>()("Refused", {
  until: Schema.Date,
  amounts: Schema.Array(Schema.BigInt)
}) {}

const Order = Schema.Struct({
  id: Schema.String,
  day: Schema.Date,
  note: Schema.Option(Schema.String),
  bytes: Schema.Uint8Array
})

const order = { id: "a", day, note: Option.some("fragile"), bytes: new Uint8Array([0, 1, 255]) }

/** A word that schemas need to encode and to decode. */
const Word = Context.Service<string>("behaviours/schemas/Word")

/** A text that is stored behind the word. */
const Marked = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transformEffect((text: string) =>
      Effect.map(Word, (word) => text.slice(word.length))
    ),
    encode: SchemaGetter.transformEffect((text: string) => Effect.map(Word, (word) => `${word}${text}`))
  })
)

/** Runs to the gate, opens it, and gives how the execution ended. */
const throughGate = <R>(
  workflow: Workflow.Any,
  executionId: string,
  poll: Effect.Effect<Option.Option<Workflow.Result<unknown, unknown>>, never, R>
) =>
  Effect.gen(function* () {
    const is = (tag: "Complete" | "Suspended") =>
      untilSome(
        `${workflow._tag} is ${tag}`,
        Effect.map(
          poll,
          Option.filter(({ _tag }) => _tag === tag)
        )
      )
    yield* is("Suspended")
    yield* DurableDeferred.succeed(gate, {
      token: DurableDeferred.tokenFromExecutionId(gate, { workflow, executionId }),
      value: "open"
    })
    const result = yield* is("Complete")
    return result._tag === "Complete" ? result.exit : Exit.die("not complete")
  })

export const schemas: ReadonlyArray<Behaviour> = [
  behaviour(
    "Workflow.make",
    "gives the body its payload as it was made, at once and after a replay",
    function* () {
      const Takes = Workflow.make("Takes", {
        payload: Order,
        success: Schema.String,
        error: Schema.String,
        idempotencyKey: ({ id }) => id
      })
      const seen: Array<unknown> = []
      const layer = Takes.toLayer((payload) =>
        Effect.suspend(() => {
          seen.push(payload)
          return DurableDeferred.await(gate)
        })
      )
      yield* Layer.build(layer)
      const executionId = yield* Takes.execute(order, { discard: true })
      expect(told(yield* throughGate(Takes, executionId, Takes.poll(executionId)))).toBe("success open")
      expect(seen).toStrictEqual([order, order])
    }
  ),
  behaviour("Workflow.make", "gives callers the value as the body made it", function* () {
    const Gives = Workflow.make("Gives", {
      payload: { id: Schema.String },
      success: Order,
      idempotencyKey: ({ id }) => id
    })
    yield* Layer.build(Gives.toLayer(() => Effect.succeed(order)))
    expect(yield* Gives.execute({ id: "a" })).toStrictEqual(order)
    expect(yield* Gives.execute({ id: "a" })).toStrictEqual(order)
    const result = Option.getOrThrow(yield* Gives.poll(yield* Gives.executionId({ id: "a" })))
    expect(result._tag === "Complete" && Exit.isSuccess(result.exit) && result.exit.value).toStrictEqual(
      order
    )
  }),
  behaviour("Workflow.make", "gives callers the failure as the body made it", function* () {
    const Fails = Workflow.make("Fails", {
      payload: { id: Schema.String },
      error: Refused,
      idempotencyKey: ({ id }) => id
    })
    yield* Layer.build(Fails.toLayer(() => Effect.fail(new Refused({ until: day, amounts: [1n, 2n] }))))
    for (const _ of [1, 2]) {
      const error = yield* Effect.flip(Fails.execute({ id: "a" }))
      expect(error).toBeInstanceOf(Refused)
      expect([(error as Refused).until, (error as Refused).amounts]).toStrictEqual([day, [1n, 2n]])
    }
  }),
  behaviour("Workflow.make", "gives nothing where it has no value", function* () {
    const Nothing = Workflow.make("Nothing", {
      payload: { id: Schema.String },
      idempotencyKey: ({ id }) => id
    })
    yield* Layer.build(Nothing.toLayer(() => Effect.void))
    expect(yield* Nothing.execute({ id: "a" })).toBeUndefined()
    expect(yield* Nothing.execute({ id: "a" })).toBeUndefined()
  }),
  behaviour("Workflow.make", "needs no payload", function* () {
    const Bare = Workflow.make("Bare", {
      payload: {},
      success: Schema.Finite,
      idempotencyKey: () => "the one"
    })
    yield* Layer.build(Bare.toLayer(() => Effect.succeed(7)))
    expect(yield* Bare.execute({})).toBe(7)
  }),
  behaviour("Workflow.make", "fills in what its payload has by default", function* () {
    const Defaults = Workflow.make("Defaults", {
      payload: {
        id: Schema.String,
        many: Schema.Finite.pipe(Schema.withConstructorDefault(Effect.succeed(3)))
      },
      success: Schema.Finite,
      idempotencyKey: ({ id, many }) => `${id} ${many}`
    })
    yield* Layer.build(Defaults.toLayer(({ many }) => Effect.succeed(many)))
    expect(yield* Defaults.execute({ id: "a" })).toBe(3)
  }),
  behaviour("Workflow.make.execute", "dies where the payload is not of its schema", function* () {
    const Strict = Workflow.make("Strict", {
      payload: { id: Schema.String.check(Schema.isMinLength(3)) },
      success: Schema.String,
      idempotencyKey: ({ id }) => id
    })
    yield* Layer.build(Strict.toLayer(({ id }) => Effect.succeed(id)))
    expect(told(yield* Effect.exit(Strict.execute({ id: "x" })))).toBe("defect Schema validation failed")
  }),
  behaviour(
    "Workflow.make.toLayer",
    "takes what its schemas need from where it is built and where it is called",
    function* () {
      const Served = Workflow.make("Served", {
        payload: { id: Marked },
        success: Marked,
        idempotencyKey: ({ id }) => id
      })
      const withWord = Effect.provideService(Word, "word:")
      yield* withWord(Layer.build(Served.toLayer(({ id }) => Effect.succeed(`hello ${id}`))))
      expect(yield* withWord(Served.execute({ id: "Ada" }))).toBe("hello Ada")
      const result = yield* withWord(
        Served.poll(yield* withWord(Served.execute({ id: "Ada" }, { discard: true })))
      )
      expect(
        Option.map(result, (each) => (each._tag === "Complete" ? told(each.exit) : each._tag))
      ).toStrictEqual(Option.some("success hello Ada"))
    }
  ),
  behaviour("Activity.make", "keeps a defect that is an error, with its message", function* () {
    const Dies = Workflow.make("Dies", {
      payload: { id: Schema.String },
      success: Schema.String,
      error: Schema.String,
      idempotencyKey: ({ id }) => id
    })
    const seen: Array<string> = []
    const dies = Activity.make({ name: "dies", execute: Effect.die(new TypeError("broken")) })
    yield* Layer.build(
      Dies.toLayer(() =>
        Effect.gen(function* () {
          seen.push(told(yield* Effect.exit(dies)))
          return yield* DurableDeferred.await(gate)
        })
      )
    )
    const executionId = yield* Dies.execute({ id: "a" }, { discard: true })
    yield* throughGate(Dies, executionId, Dies.poll(executionId))
    expect(seen).toStrictEqual(["defect broken", "defect broken"])
  }),
  behaviour("Workflow.CaptureDefects", "keeps a defect that is no error", function* () {
    const Odd = Workflow.make("Odd", { payload: { id: Schema.String }, idempotencyKey: ({ id }) => id })
    yield* Layer.build(Odd.toLayer(() => Effect.die({ code: 7, why: "odd" })))
    const exit = yield* Effect.exit(Odd.execute({ id: "a" }))
    expect(Exit.isFailure(exit) && exit.cause.reasons[0]).toMatchObject({
      _tag: "Die",
      defect: { code: 7, why: "odd" }
    })
  }),
  behaviour("Workflow.CaptureDefects", "keeps a defect that JSON cannot hold whole", function* () {
    const Big = Workflow.make("Big", { payload: { id: Schema.String }, idempotencyKey: ({ id }) => id })
    yield* Layer.build(Big.toLayer(() => Effect.die(Object.assign(new Error("broken"), { amount: 7n }))))
    expect(told(yield* Effect.exit(Big.execute({ id: "a" })))).toBe("defect broken")
    expect(told(yield* Effect.exit(Big.execute({ id: "a" })))).toBe("defect broken")
  })
]
