// Services that end with a scope: once it has ended, every operation of theirs fails with the same typed
// error. What runs at that moment is finished before anything below it is closed; a stream ends at its next
// step. It knows no service, so that an operation that is added later needs nothing of its own.
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** Lets operations in until it is closed; closing waits for those that are in. */
class Gate<E> {
  private readonly error: () => E
  private running = 0
  private isClosed = false
  private readonly closing = Deferred.makeUnsafe<never, E>()
  private onEmpty: (() => void) | undefined
  private readonly endsWaiting: boolean

  /** `endsWaiting`: a step of a stream that waits for something to come is ended by the gate. */
  constructor(error: () => E, endsWaiting: boolean) {
    this.error = error
    this.endsWaiting = endsWaiting
  }

  effect<A, E2, R>(operation: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> {
    return Effect.suspend(() => {
      // An interruption may fall before the operation is in: only one that was counted is counted off.
      let isIn = false
      const entered = Effect.suspend((): Effect.Effect<A, E | E2, R> => {
        if (this.isClosed) return Effect.fail(this.error())
        isIn = true
        this.running += 1
        return operation
      })
      return Effect.onExit(entered, () => {
        if (isIn) this.leave()
        return Effect.void
      })
    })
  }

  /** Each step of a stream is an operation. */
  stream<A, E2, R>(stream: Stream.Stream<A, E2, R>): Stream.Stream<A, E | E2, R> {
    return Stream.transformPull(stream, (pull) =>
      Effect.succeed(
        this.effect(this.endsWaiting ? Effect.raceFirst(pull, Deferred.await(this.closing)) : pull)
      )
    )
  }

  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.isClosed = true
    Deferred.doneUnsafe(this.closing, Exit.fail(this.error()))
    this.onEmpty = () => resume(Effect.void)
    if (this.running === 0) this.onEmpty()
  })

  private leave(): void {
    this.running -= 1
    if (this.running === 0) this.onEmpty?.()
  }
}

/** An operation behind the gate, or a function that gives one; what is neither stays as it is. */
const guarded = <E>(gate: Gate<E>, value: unknown): unknown => {
  if (Effect.isEffect(value)) return gate.effect(value)
  if (Stream.isStream(value)) return gate.stream(value)
  return typeof value === "function"
    ? (...args: ReadonlyArray<unknown>) =>
        guarded(gate, (value as (...all: ReadonlyArray<unknown>) => unknown)(...args))
    : value
}

/**
 * These services of a layer, which end with the layer's scope: what is asked of them later fails with `error`. `onClosing`
 * ends operations that would wait for something that does not come any more. Without it the gate ends the steps of streams that
 * wait, which costs each step two fibers.
 */
export const whileOpen = <Out, E, Closed, R = never>(
  layer: Layer.Layer<Out, E, R>,
  services: ReadonlyArray<{ readonly key: string }>,
  error: () => Closed,
  onClosing?: (context: Context.Context<Out>) => void
): Layer.Layer<Out, E, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      const gate = new Gate(error, onClosing === undefined)
      // It is the newest finalizer of the scope, so it is the first: nothing below is closed yet.
      yield* Effect.addFinalizer(() => {
        onClosing?.(context)
        return gate.close
      })
      const behindGate = services.map(({ key }) => {
        const members = Object.entries(context.mapUnsafe.get(key) as object)
        return [
          key,
          Object.fromEntries(members.map(([name, value]) => [name, guarded(gate, value)]))
        ] as const
      })
      return Context.makeUnsafe<Out>(new Map([...context.mapUnsafe, ...behindGate]))
    })
  )
