// A ledger as a Durable Object: one object for one ledger, which has the object's name as its id. Only a post makes one. Every method
// answers data or an error as data, and none waits: no timer keeps an object awake.
import { DurableObject } from "cloudflare:workers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { LedgerCommand } from "../../application/ledger/commands/commands.ts"
import { Ledger, type LedgerShape } from "../../application/ledger/ledger.ts"
import { type MadeCheckpoint, makeCheckpoint } from "../../application/ledger/proofs/checkpoint.ts"
import type { LedgerReader, RunSummary } from "../../application/ledger/reading/ledger-reader.ts"
import type { VerificationOptions } from "../../application/ledger/verification/verification.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import { decodeInput } from "../../application/foundation/input.ts"
import type { Signing, SigningKey } from "../../application/foundation/signing.ts"
import { Thoughts, type ThoughtsShape } from "../../application/ledger/thoughts/thoughts.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import { SigningFailed } from "../../domain/evidence/checkpoint-errors.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { DEFAULT_PAGE_ROWS } from "../../domain/foundation/page.ts"
import type {
  ClaimAny,
  ClaimStep,
  CompleteStep,
  PostMessage,
  RenewLease,
  RequeueStep
} from "../../domain/ledger/commands.ts"
import type { Claimed, Posted, PostedAndClaimed } from "../../domain/ledger/decide.ts"
import type { Completed, Renewed, Requeued } from "../../domain/ledger/decide-lease.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import type { EventEnvelope, Head } from "../../domain/ledger/event-envelope.ts"
import type { ListEvents, ListEventsBefore } from "../../domain/ledger/lists.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import type { ListThoughts, ThoughtInput } from "../../domain/ledger/thoughts/commands.ts"
import type { ThoughtRecord } from "../../domain/ledger/thoughts/thought-record.ts"
import { durableObjectHost } from "../../infrastructure/durable-objects/durable-object-host.ts"
import { durableObjectLedgerLayer } from "../../infrastructure/durable-objects/durable-object-ledger.ts"
import type { Failure } from "../shared/error-document.ts"
import { exportedLines } from "./exported-lines.ts"
import { type Outcome, outcomeOf, outcomeOfResult } from "./outcome.ts"

/** A ledger at a glance. */
export interface LedgerStatus {
  readonly ledger_id: string | undefined
  readonly head: Head
  /** What forbids to write, and other sentences for people. */
  readonly warnings: ReadonlyArray<string>
  /** The first thousand runs, or the one that was asked for. */
  readonly runs: ReadonlyArray<RunSummary>
}

interface Services {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
  /** What a checkpoint is made of. */
  readonly evidence: Context.Context<LedgerReader | Hashing | Signing>
}

const decodeName = decodeInput(Identifier, Result.succeed)

const refusal = (path: string, message: string) => Effect.fail(invalidAt(path, message))

/** Uses what a call was given, unless it is something that a call can carry and that is no plain object: null, a date, a map. */
const given = <Input extends object, A, E>(
  input: Input,
  use: (input: Input) => Effect.Effect<A, E>
): Effect.Effect<A, E | InvalidInput> =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype
    ? use(input)
    : refusal("/", "expected an object")

/** Refuses to wait: who asks an object asks again. */
const refuseWait = (command: object): Effect.Effect<void, InvalidInput> =>
  Object.hasOwn(command, "wait")
    ? refusal("/wait", "an object does not wait for a step: ask again")
    : Effect.void

const statusOf = Effect.fnUntraced(function* (ledger: LedgerShape, runId: string | undefined) {
  const summary = runId === undefined ? undefined : yield* ledger.runSummary(runId)
  const { fault } = ledger
  return {
    ledger_id: ledger.ledgerId,
    head: yield* ledger.head,
    warnings: [
      ...(yield* ledger.warnings),
      ...(fault === undefined
        ? []
        : [`nothing is written: ${fault.code} at ${fault.where}: ${fault.message}`])
    ],
    runs:
      runId === undefined
        ? yield* Stream.runCollect(Stream.take(ledger.runStream, DEFAULT_PAGE_ROWS))
        : summary === undefined
          ? []
          : [summary]
  }
})

/**
 * One ledger in one Durable Object, for any number of runs. A subclass adds what a program needs of its own, such as who may ask.
 *
 * @example
 * import { LedgerObject, signingKeyFromPem } from "cortex-cassette/durable-objects"
 *
 * interface Env {
 *   readonly RUN: { readonly getByName: (name: string) => Run }
 *   readonly AUDIT_KEY: string
 * }
 *
 * export class Run extends LedgerObject<Env> {
 *   protected override readonly signingKey = () => signingKeyFromPem(this.env.AUDIT_KEY)
 * }
 *
 * export const post = (env: Env, run_id: string) =>
 *   env.RUN.getByName(run_id).post({ run_id, source: "USER", payload: { intent: "greet" } })
 */
export class LedgerObject<Env = unknown> extends DurableObject<Env> {
  /**
   * Gives the key that checkpoints are signed with. A subclass that has one sets this field, and never makes it a method: callers of an
   * object reach its methods, and not its fields.
   */
  protected readonly signingKey: (() => SigningKey | Promise<SigningKey>) | undefined = undefined

  // What is private by the language alone is no method that a caller of the object can reach.
  #services: Services | undefined
  readonly #opening = Semaphore.makeUnsafe(1)

  /** Posts a message with its jobs and steps; the first post makes the ledger. */
  post(command: PostMessage): Promise<Outcome<Posted | PostedAndClaimed>> {
    return this.#create(({ ledger }) => given(command, ledger.postMessage))
  }

  /** Claims the oldest waiting step of a run under a lease. */
  claim(command: ClaimStep): Promise<Outcome<Claimed>> {
    return this.#answer(({ ledger }) =>
      given(command, (plain) => Effect.andThen(refuseWait(plain), ledger.claimStep(plain)))
    )
  }

  /** Claims the oldest waiting step of the next run that has one. */
  claimAny(command: ClaimAny): Promise<Outcome<Claimed>> {
    return this.#answer(({ ledger }) =>
      given(command, (plain) => Effect.andThen(refuseWait(plain), ledger.claimAny(plain)))
    )
  }

  /** Finishes a leased step with its receipt. */
  complete(command: CompleteStep): Promise<Outcome<Completed>> {
    return this.#answer(({ ledger }) => given(command, ledger.completeStep))
  }

  /** A new lease of the same step, with the next token. */
  renew(command: RenewLease): Promise<Outcome<Renewed>> {
    return this.#answer(({ ledger }) => given(command, ledger.renewLease))
  }

  /** Lets a leased step wait again. */
  requeue(command: RequeueStep): Promise<Outcome<Requeued>> {
    return this.#answer(({ ledger }) => given(command, ledger.requeueStep))
  }

  /** Up to 256 commands in order and in one transaction, each with an outcome of its own. */
  commands(commands: ReadonlyArray<LedgerCommand>): Promise<Outcome<ReadonlyArray<Outcome<unknown>>>> {
    const use = ({ ledger }: Services) =>
      Effect.map(ledger.commands(commands), (results) =>
        (results as ReadonlyArray<Result.Result<unknown, Failure>>).map(outcomeOfResult)
      )
    const isPosting = Array.isArray(commands) && commands.some((command) => command?._tag === "PostMessage")
    return isPosting ? this.#create(use) : this.#answer(use)
  }

  /** The ledger at a glance: all runs, or one. */
  status(runId?: string): Promise<Outcome<LedgerStatus>> {
    return this.#answer(({ ledger }) => statusOf(ledger, runId))
  }

  /** One page of the log behind a position. */
  log(options: ListEvents = {}): Promise<Outcome<ReadonlyArray<EventEnvelope>>> {
    return this.#answer(({ ledger }) => given(options, ledger.eventsAfter))
  }

  /** One page of the log before a position, the newest in front. */
  newest(options: ListEventsBefore = {}): Promise<Outcome<ReadonlyArray<EventEnvelope>>> {
    return this.#answer(({ ledger }) => given(options, ledger.eventsBefore))
  }

  /** The newest event's place: note it elsewhere, and `verify` finds a history that was cut or rewritten. */
  head(): Promise<Outcome<Head>> {
    return this.#answer(({ ledger }) => ledger.head)
  }

  /** Checks structure, chain, projections, receipts and leases; a negative verdict is a report. */
  verify(options: VerificationOptions = {}): Promise<Outcome<VerificationReport>> {
    return this.#answer(({ ledger }) => given(options, ledger.verifyCassette))
  }

  /**
   * Signs what the ledger holds now with `signingKey`: the signed note that `cortex cassette checkpoint` makes of the same events. `keyName`
   * is the key's name in trust files; by default it is `cassette/` and the ledger's id.
   */
  checkpoint(options: { readonly keyName?: string | undefined } = {}): Promise<Outcome<MadeCheckpoint>> {
    return this.#answer(({ evidence }) =>
      given(options, (plain) =>
        Effect.flatMap(this.#key, (key) => Effect.provideContext(makeCheckpoint({ ...plain, key }), evidence))
      )
    )
  }

  /** The whole log as JSON lines, of which `cortex cassette import` makes a file with the same head. */
  export(): Promise<Outcome<ReadableStream<Uint8Array>>> {
    return this.#answer(({ ledger }) => Effect.sync(() => exportedLines(ledger)))
  }

  /** Appends a record to its task's chain. */
  recordThought(input: ThoughtInput): Promise<Outcome<ThoughtRecord>> {
    return this.#answer(({ thoughts }) => given(input, thoughts.createThoughtRecord))
  }

  /** Records of one task, or of all. */
  listThoughts(options: ListThoughts = {}): Promise<Outcome<ReadonlyArray<ThoughtRecord>>> {
    return this.#answer(({ thoughts }) => given(options, thoughts.listThoughtRecords))
  }

  readonly #key = Effect.suspend(() => {
    const give = this.signingKey
    return give === undefined
      ? Effect.fail(new SigningFailed({ reason: "this object has no key: its class sets signingKey" }))
      : Effect.tryPromise({
          try: async () => give(),
          catch: (error) =>
            error instanceof SigningFailed ? error : new SigningFailed({ reason: String(error) })
        })
  })

  #answer<Data, E extends Failure>(
    use: (services: Services) => Effect.Effect<Data, E>
  ): Promise<Outcome<Data>> {
    return this.#run(Effect.flatMap(this.#opened(), use))
  }

  /** As `answer`, for commands that may make the ledger: one that is refused makes none. */
  #create<Data, E extends Failure>(
    use: (services: Services) => Effect.Effect<Data, E>
  ): Promise<Outcome<Data>> {
    return this.#run(
      Effect.matchEffect(this.#opened(), {
        onSuccess: use,
        onFailure: (error): Effect.Effect<Data, E | OpenError | InvalidInput> =>
          error._tag === "NotALedger" ? this.#first(use) : Effect.fail(error)
      })
    )
  }

  /** The first command alone: what it was tried with is let go, and the next call opens what it has made. */
  #first<Data, E extends Failure>(
    use: (services: Services) => Effect.Effect<Data, E>
  ): Effect.Effect<Data, E | OpenError | InvalidInput> {
    return this.#opening.withPermits(1)(
      Effect.suspend(() =>
        this.#services === undefined
          ? Effect.scoped(Effect.flatMap(this.#build(true), use))
          : use(this.#services)
      )
    )
  }

  async #run<Data, E extends Failure>(effect: Effect.Effect<Data, E>): Promise<Outcome<Data>> {
    return outcomeOf(await Effect.runPromiseExit(effect))
  }

  #opened(): Effect.Effect<Services, OpenError | InvalidInput> {
    const open = Effect.gen({ self: this }, function* () {
      // An object ends without a word: nothing has to be closed.
      this.#services = yield* Effect.provideService(this.#build(false), Scope.Scope, yield* Scope.make())
      return this.#services
    })
    return this.#opening.withPermits(1)(
      Effect.suspend(() => (this.#services === undefined ? open : Effect.succeed(this.#services)))
    )
  }

  readonly #build = Effect.fnUntraced({ self: this }, function* (mayCreate: boolean): Effect.fn.Return<
    Services,
    OpenError | InvalidInput,
    Scope.Scope
  > {
    const ledgerId = yield* Effect.fromResult(decodeName(this.ctx.id.name ?? String(this.ctx.id)))
    const ports = durableObjectLedgerLayer(durableObjectHost(this.ctx.storage), { ledgerId, mayCreate })
    const context = yield* Layer.build(
      Thoughts.layerNoDeps.pipe(Layer.provideMerge(Ledger.layerWith()), Layer.provideMerge(ports))
    )
    return {
      ledger: Context.get(context, Ledger),
      thoughts: Context.get(context, Thoughts),
      evidence: context
    }
  })
}
