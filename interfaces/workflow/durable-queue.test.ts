// Effect's durable queues on the ledger's engine and store: a workflow hands work to a queue and waits; a worker, perhaps in another
// program, does it and tells the workflow.
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as DurableQueue from "effect/workflow/DurableQueue"
import * as Workflow from "effect/workflow/Workflow"
import { Ledger } from "../../application/ledger/ledger.ts"
import { temporaryFile } from "../../infrastructure/testing/ledgers.ts"
import { CassettePersistedQueue, CassetteWorkflowEngine } from "./index.ts"

class TooLong extends Schema.TaggedError<TooLong>()("TooLong", { text: Schema.String }) {}

const Mails = DurableQueue.make({
  name: "Mails",
  payload: { text: Schema.String },
  success: Schema.Number,
  error: TooLong,
  idempotencyKey: ({ text }) => text
})

const Greeting = Workflow.make("Greeting", {
  payload: { name: Schema.String },
  success: Schema.Number,
  error: TooLong,
  idempotencyKey: ({ name }) => name
})

const GreetingLive = Greeting.toLayer(({ name }) => DurableQueue.process(Mails, { text: `Hello, ${name}` }))

/** Engine, queues and ledger on a file, as a program has them. */
const servicesIn = (filename: string) =>
  PersistedQueue.layer.pipe(
    Layer.provide(CassettePersistedQueue.layerStore({ ttl_seconds: 1 })),
    Layer.provideMerge(CassetteWorkflowEngine.layer({ filename, ttl_seconds: 1 }))
  )

/** Sends as many characters as a mail may have. */
const send = ({ text }: { readonly text: string }) =>
  text.length > 20 ? Effect.fail(new TooLong({ text })) : Effect.succeed(text.length)

const isSound = Effect.gen(function* () {
  const ledger = yield* Ledger
  assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
})

describe("a durable queue on a ledger", () => {
  it.live("gives a workflow what its worker answers, successes and failures", () =>
    Effect.gen(function* () {
      const services = servicesIn(yield* temporaryFile)
      const live = Layer.merge(GreetingLive, DurableQueue.worker(Mails, send, { concurrency: 2 }))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* Greeting.execute({ name: "Ada" }), 10)
        assert.strictEqual(yield* Greeting.execute({ name: "Ada" }), 10)
        const failed = yield* Effect.flip(Greeting.execute({ name: "x".repeat(20) }))
        assert.instanceOf(failed, TooLong)
        const ledger = yield* Ledger
        assert.lengthOf(yield* ledger.messages("queue/DurableQueue%2FMails"), 2)
        yield* isSound
      }).pipe(Effect.provide(Layer.provideMerge(live, services)))
    })
  )

  it.live("has its worker in another program", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const program = yield* Layer.build(Layer.provideMerge(GreetingLive, servicesIn(filename)))
      const waiting = yield* Effect.forkScoped(Effect.provide(Greeting.execute({ name: "Bo" }), program))
      yield* Layer.build(DurableQueue.worker(Mails, send).pipe(Layer.provide(servicesIn(filename))))
      assert.strictEqual(yield* Fiber.join(waiting), 9)
      yield* Effect.provide(isSound, program)
    })
  )

  it.live(
    "gives the work of a worker that was stopped to the next, and the workflow goes on after a restart",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const begun = yield* Deferred.make<void>()
        const first = yield* Scope.make()
        const hanging = DurableQueue.worker(Mails, () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        )
        const program = yield* Layer.buildWithScope(
          Layer.provideMerge(Layer.merge(GreetingLive, hanging), servicesIn(filename)),
          first
        )
        yield* Effect.provide(Greeting.execute({ name: "Cy" }, { discard: true }), program)
        yield* Deferred.await(begun)
        yield* Scope.close(first, Exit.void)
        const live = Layer.merge(GreetingLive, DurableQueue.worker(Mails, send))
        const again = yield* Layer.build(Layer.provideMerge(live, servicesIn(filename)))
        assert.strictEqual(yield* Effect.provide(Greeting.execute({ name: "Cy" }), again), 9)
        const ledger = Context.get(again, Ledger)
        assert.lengthOf(yield* ledger.messages("queue/DurableQueue%2FMails"), 1)
        yield* Effect.provide(isSound, again)
      })
  )
})
