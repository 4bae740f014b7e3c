// The ledger for programs without Effect: the same operations under the same names, as promises and async iterables. Nothing is
// decided here. Errors are the same tagged classes: a promise is rejected with one.
import { AsyncLocalStorage } from "node:async_hooks"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { BatchResults, LedgerCommand, ReplyOf } from "../../application/ledger/commands/commands.ts"
import type { ClaimWait } from "../../application/ledger/commands/claiming.ts"
import { Ledger as LedgerService, type LedgerShape } from "../../application/ledger/ledger.ts"
import { Checkpoints, type CheckpointsShape } from "../../application/ledger/proofs/checkpoints.ts"
import type { Finished, WorkerOptions, WorkerTally } from "../../application/ledger/worker/worker.ts"
import * as Worker from "../../application/ledger/worker/worker.ts"
import { Thoughts, type ThoughtsShape } from "../../application/ledger/thoughts/thoughts.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import type { ClaimAny, ClaimStep, Lease, PostMessage } from "../../domain/ledger/commands.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import { LedgerClosed } from "../../domain/ledger/errors.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import type { Head } from "../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import type { ImportOptions } from "../../infrastructure/ledger/copies/ledger-import.ts"
import { Ledger, type LedgerOptions } from "../embedding/ledger.ts"

export * from "../../domain/foundation/errors.ts"
export * from "../../domain/foundation/storage-errors.ts"
export * from "../../domain/ledger/errors.ts"
export * from "../../domain/ledger/thoughts/errors.ts"
export { finished } from "../../application/ledger/worker/worker.ts"
export type { LedgerOptions } from "../embedding/ledger.ts"

/** An operation that can be given up: a signal that is aborted rejects its promise, and nothing is left behind. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** A member of a service as a program without Effect calls it. */
type Promised<Member> =
  Member extends Effect.Effect<infer A, infer _E, never>
    ? () => Promise<A>
    : Member extends Stream.Stream<infer A, infer _E, never>
      ? () => AsyncIterable<A>
      : Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E, never>
        ? (...args: Args) => Promise<A>
        : Member extends (...args: infer Args) => Stream.Stream<infer A, infer _E, never>
          ? (...args: Args) => AsyncIterable<A>
          : Member

type PromisedService<Service> = { readonly [Name in keyof Service]: Promised<Service[Name]> }

/**
 * A handler of `work`: answers the receipt; `signal` is aborted when the lease is lost or the worker is stopped. Its promise should
 * settle soon then: until it does the step is kept, and given back after that.
 */
export type AsyncHandler = (
  step: Claimed,
  context: { readonly signal: AbortSignal; readonly lease: () => Lease }
) => Promise<JsonObject | Finished>

/** Who works which steps, as `WorkerOptions` of `Worker` has it, and a signal that stops the worker. */
export type AsyncWorkerOptions = Omit<WorkerOptions, "onStep" | "stopOn"> & Abortable

/** A ledger as promises: the operations of `LedgerShape`, rejected with the same errors. */
export interface PromiseLedger
  extends
    Omit<
      PromisedService<LedgerShape>,
      "changed" | "claimAny" | "claimStep" | "commands" | "postMessage" | "stateRowsAt"
    >,
    AsyncDisposable {
  /** Posts a message with its jobs and steps; with `claim` its first step is leased in the same transaction. */
  readonly postMessage: <C extends PostMessage>(
    command: C
  ) => Promise<ReplyOf<C & { readonly _tag: "PostMessage" }>>
  /**
   * Claims the oldest waiting step of a run; with `wait` (milliseconds, or a text such as `30 seconds`) as
   * soon as there is one.
   */
  readonly claimStep: (command: ClaimStep & ClaimWait, options?: Abortable) => Promise<Claimed>
  /** Claims the oldest waiting step of the next run that has one. */
  readonly claimAny: (command: ClaimAny & ClaimWait, options?: Abortable) => Promise<Claimed>
  /** Up to 256 commands in order and in one transaction, each with an outcome of its own. */
  readonly commands: <const Batch extends ReadonlyArray<LedgerCommand>>(
    commands: Batch
  ) => Promise<BatchResults<Batch>>
  /** The head, as soon as there is an event behind the position `after`. */
  readonly changed: (after: number, options?: Abortable) => Promise<Head>
  /**
   * Works steps until the signal is aborted, or until none waits (`untilEmpty`): see `Worker.run`. A promise that is rejected makes
   * a receipt of FAILURE.
   */
  readonly work: (options: AsyncWorkerOptions, handler: AsyncHandler) => Promise<WorkerTally>
  readonly thoughts: PromisedService<ThoughtsShape>
  readonly checkpoints: PromisedService<CheckpointsShape>
  /**
   * Finishes what runs, with the handlers of `work`, and closes the file; `await using` does it at the end of its block. Called in a
   * handler that runs it is `InvalidInput`, since it would wait for that handler.
   */
  readonly close: () => Promise<void>
}

/** The answer of an effect. A signal that is aborted rejects with its reason; one that is aborted already begins nothing. */
const answer = async <A>(effect: Effect.Effect<A, unknown>, { signal }: Abortable = {}): Promise<A> => {
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(effect, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)) throw signal.reason
  throw Cause.squash(exit.cause)
}

const iterable = <A>(stream: Stream.Stream<A, unknown>): AsyncIterable<A> => Stream.toAsyncIterable(stream)

/** The same member without Effect. */
const promised = (member: unknown): unknown => {
  if (Effect.isEffect(member)) return () => answer(member as Effect.Effect<unknown>)
  if (Stream.isStream(member)) return () => iterable(member as Stream.Stream<unknown>)
  if (typeof member !== "function") return member
  return (...args: ReadonlyArray<unknown>) => {
    const asked: unknown = (member as (...all: ReadonlyArray<unknown>) => unknown)(...args)
    return Stream.isStream(asked)
      ? iterable(asked as Stream.Stream<unknown>)
      : answer(asked as Effect.Effect<unknown>)
  }
}

const promisedService = <Service extends object>(service: Service): PromisedService<Service> =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => [name, promised(member)])
  ) as unknown as PromisedService<Service>

/** A handler that answers a promise, as an Effect; an interruption aborts its signal, and waits until the promise is settled. */
const handlerOf =
  (handler: AsyncHandler): Worker.Handler<unknown, never> =>
  (step, lease) =>
    Effect.callback((resume) => {
      const stopping = new AbortController()
      const context = { signal: stopping.signal, lease: () => Effect.runSync(lease) }
      const answering = async () => handler(step, context)
      const settled = answering().then(
        (result) => resume(Effect.succeed(result)),
        (error: unknown) => resume(Effect.fail(error))
      )
      return Effect.promise(() => {
        stopping.abort()
        return settled
      })
    })

/** A call of a handler: true for as long as it runs. */
interface HandlerCall {
  running: boolean
}

/** The workers of a ledger: they are stopped before it is closed, so that they give back what they have in hand. */
class Workers {
  private readonly running = new Set<Promise<unknown>>()
  private readonly closing = new AbortController()
  /** The call of a handler that the code at hand was begun by. */
  private readonly calls = new AsyncLocalStorage<HandlerCall>()

  /** Why a handler may not close the ledger. */
  get closeFault(): InvalidInput | undefined {
    return this.calls.getStore()?.running === true
      ? invalidAt(
          "",
          "close waits for the handlers of work, so a handler may not call it: abort the signal of work, and close when work has ended"
        )
      : undefined
  }

  /** The handler, in a context that tells that it runs. */
  private known(handler: AsyncHandler): AsyncHandler {
    return (step, context) => {
      const call = { running: true }
      return this.calls.run(call, async () => {
        try {
          return await handler(step, context)
        } finally {
          call.running = false
        }
      })
    }
  }

  async run(
    service: LedgerShape,
    { signal, ...options }: AsyncWorkerOptions,
    handler: AsyncHandler
  ): Promise<WorkerTally> {
    if (this.closing.signal.aborted) throw new LedgerClosed()
    const stop = AbortSignal.any(signal === undefined ? [this.closing.signal] : [signal, this.closing.signal])
    const tally = { Completed: 0, GivenBack: 0, Lost: 0 }
    const onStep = ({ _tag }: Worker.StepEnding) => Effect.sync(() => void (tally[_tag] += 1))
    const worker = Worker.run({ ...options, onStep }, handlerOf(this.known(handler)))
    const work = answer(Effect.provideService(worker, LedgerService, service), { signal: stop }).catch(
      (error: unknown) => {
        if (error !== stop.reason || !stop.aborted) throw error
        return { completed: tally.Completed, given_back: tally.GivenBack, lost: tally.Lost }
      }
    )
    this.running.add(work)
    try {
      return await work
    } finally {
      this.running.delete(work)
    }
  }

  async stop(): Promise<void> {
    this.closing.abort()
    await Promise.allSettled(this.running)
  }
}

/**
 * Opens a ledger for a program without Effect.
 *
 * @example
 * import { openLedger } from "cortex-cassette/promise"
 *
 * await using ledger = await openLedger({ filename: "promised.db" })
 * await ledger.postMessage({ run_id: "r", source: "USER", payload: { intent: "greet" } })
 * const step = await ledger.claimStep({ run_id: "r", worker_id: "w" })
 * await ledger.completeStep({ ...step.lease, receipt_payload: { said: "hello" }, outcome: "SUCCESS" })
 */
export const openLedger = async (options: LedgerOptions): Promise<PromiseLedger> => {
  const scope = Scope.makeUnsafe()
  const context = await answer(
    Effect.onError(Layer.buildWithScope(Ledger.layer(options), scope), () => Scope.close(scope, Exit.void))
  )
  const service = Context.get(context, LedgerService)
  const { stateRowsAt: _, ...members } = service
  const workers = new Workers()
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    const fault = workers.closeFault
    if (fault !== undefined) return Promise.reject(fault)
    return (closed ??= workers.stop().then(() => answer(Scope.close(scope, Exit.void))))
  }
  return {
    ...promisedService(members),
    postMessage: (command) => answer(service.postMessage(command)),
    commands: (commands) => answer(service.commands(commands)),
    claimStep: (command, abortable) => answer(service.claimStep(command), abortable),
    claimAny: (command, abortable) => answer(service.claimAny(command), abortable),
    changed: (after, abortable) => answer(service.changed(after), abortable),
    work: (worker, handler) => workers.run(service, worker, handler),
    thoughts: promisedService(Context.get(context, Thoughts)),
    checkpoints: promisedService(Context.get(context, Checkpoints)),
    close,
    [Symbol.asyncDispose]: close
  }
}

/**
 * Makes a ledger file of events as JSON lines, and answers its verification. What is not read to its end, because a line does not fit or
 * the signal is aborted, leaves no file.
 *
 * @example
 * import { createReadStream } from "node:fs"
 * import { importLedger } from "cortex-cassette/promise"
 *
 * export const importing = () => importLedger(createReadStream("events.jsonl"), { filename: "new.db" })
 */
export const importLedger = (
  lines: AsyncIterable<Uint8Array>,
  { signal, ...options }: ImportOptions & Abortable
): Promise<VerificationReport> =>
  answer(
    Ledger.importFrom(
      Stream.fromAsyncIterable(lines, (error) => error),
      options
    ),
    { signal }
  )
