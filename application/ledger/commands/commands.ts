// The commands of the ledger, each in one place: how its input is decoded outside the lock, what it reads and decides under
// it, and how several go through one transaction.
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import {
  ClaimAny,
  ClaimStep,
  CompleteStep,
  type NoClaimFields,
  PostMessage,
  type PreparedClaim,
  type PreparedPost,
  prepareClaim,
  prepareClaimAny,
  prepareCompletion,
  preparePost,
  prepareRenewal,
  prepareRequeue,
  RenewLease,
  RequeueStep,
  weightOfPost
} from "../../../domain/ledger/commands.ts"
import {
  type Claimed,
  decideClaim,
  decidePost,
  type Posted,
  type PostedAndClaimed,
  type StepStanding
} from "../../../domain/ledger/decide.ts"
import {
  type Completed,
  decideCompletion,
  decideRenewal,
  decideRequeue,
  type Renewed,
  type Requeued
} from "../../../domain/ledger/decide-lease.ts"
import {
  type InvalidInput,
  invalidInput,
  type InvariantViolation
} from "../../../domain/foundation/errors.ts"
import type {
  IdempotencyConflict,
  LeaseRefusal,
  NoPendingStep,
  Refusal,
  RequeueRefusal,
  StoreWriteError
} from "../../../domain/ledger/errors.ts"
import { jobIdOf, positionOfMessageId, stepIdOf } from "../../../domain/ledger/ids.ts"
import { MAX_BATCH_COMMANDS } from "../../../domain/ledger/limits.ts"
import type { ReceiptRow } from "../../../domain/ledger/rows.ts"
import { decodeInput } from "../../foundation/input.ts"
import { isTraced, recordedTrace, tellError, tellIds } from "../../foundation/telemetry.ts"
import type { Failed, Outcome, UnitOfWork } from "./command-group.ts"
import { type CommandWriter, LIGHT } from "./command-writer.ts"
import type { LedgerTransaction } from "./ledger-store.ts"

/** What a command answers with when it is refused or cannot be carried out. */
export type CommandFailure<R extends Refusal> = InvalidInput | Failed<R>

/** A command with the lease in hand: `step.lease` is spread into it, not the whole answer of a claim. */
type WithLease<Command> = Command & NoClaimFields

/** The commands by name: what each takes, answers and is refused with. */
export interface Commands {
  readonly PostMessage: { input: PostMessage; reply: Posted; refusal: IdempotencyConflict }
  readonly ClaimStep: { input: ClaimStep; reply: Claimed; refusal: NoPendingStep }
  readonly ClaimAny: { input: ClaimAny; reply: Claimed; refusal: NoPendingStep }
  readonly CompleteStep: { input: WithLease<CompleteStep>; reply: Completed; refusal: LeaseRefusal }
  readonly RequeueStep: { input: WithLease<RequeueStep>; reply: Requeued; refusal: RequeueRefusal }
  readonly RenewLease: { input: WithLease<RenewLease>; reply: Renewed; refusal: LeaseRefusal }
}
/** The tag of a command. */
export type CommandName = keyof Commands

/** One command of a batch. */
export type LedgerCommand = {
  readonly [Name in CommandName]: { readonly _tag: Name } & Commands[Name]["input"]
}[CommandName]

/** The reply of a command; that of a post which claims has the lease. */
export type ReplyOf<C extends LedgerCommand> = C extends { readonly _tag: "PostMessage" }
  ? C extends { readonly claim: object }
    ? PostedAndClaimed
    : Posted
  : Commands[C["_tag"]]["reply"]

/** One result for each command of a batch. */
export type BatchResults<Batch extends ReadonlyArray<LedgerCommand>> = {
  readonly [Index in keyof Batch]: Result.Result<
    ReplyOf<Batch[Index]>,
    Commands[Batch[Index]["_tag"]]["refusal"] | InvariantViolation
  >
}

/** The `traceparent` that is recorded where the command names none. */
type Trace = string | undefined

/** How a command is decoded, and what it does under the lock. */
interface Kind<Name extends CommandName> {
  /** The name of the method, in spans and counters. */
  readonly method: string
  readonly decode: (input: Commands[Name]["input"]) => Result.Result<
    {
      readonly work: (trace: Trace) => UnitOfWork<Commands[Name]["reply"], Commands[Name]["refusal"]>
      readonly weight: number
    },
    InvalidInput
  >
}

/** A command that is recorded in a trace, with the one that it is called in where it names none. */
const inTrace = <Prepared>(prepared: Prepared, trace: Trace): Prepared =>
  trace !== undefined && hasTrace(prepared) && prepared.traceparent === undefined
    ? { ...prepared, traceparent: trace }
    : prepared

const hasTrace = (prepared: unknown): prepared is { readonly traceparent: Trace } =>
  typeof prepared === "object" && prepared !== null && "traceparent" in prepared

const kind = <Name extends CommandName, Prepared>(
  method: string,
  decode: (input: Commands[Name]["input"]) => Result.Result<Prepared, InvalidInput>,
  work: (prepared: Prepared) => UnitOfWork<Commands[Name]["reply"], Commands[Name]["refusal"]>,
  weigh: (prepared: Prepared) => number = () => LIGHT
): Kind<Name> => ({
  method,
  decode: (input) =>
    Result.map(decode(input), (prepared) => ({
      work: (trace) => work(inTrace(prepared, trace)),
      weight: weigh(prepared)
    }))
})

/** A step with the receipt that it has once it is committed; without one the look-up is saved. */
const stepWithReceipt = (
  transaction: LedgerTransaction,
  stepId: string
): [StepStanding | undefined, ReceiptRow | undefined] => {
  const step = transaction.step(stepId)
  return [step, step?.status === "COMMITTED" ? transaction.receiptOfStep(stepId) : undefined]
}

const post =
  (prepared: PreparedPost): UnitOfWork<Posted, IdempotencyConflict> =>
  (transaction, moment) => {
    const { claim, idempotency_key, run_id } = prepared
    const existing = idempotency_key === null ? undefined : transaction.messageByKey(run_id, idempotency_key)
    const firstStep =
      existing === undefined || claim === undefined
        ? undefined
        : transaction.step(stepIdOf(jobIdOf(existing.message_id, 1), 1))
    return decidePost(prepared, existing, firstStep, moment)
  }

/** What a claim does under the lock. */
const claim =
  (prepared: PreparedClaim): UnitOfWork<Claimed, NoPendingStep> =>
  (transaction, moment) =>
    decideClaim(prepared, transaction.nextPendingStep(prepared.place), moment)

/** What a claim does that is called in a trace. */
export const claimWork = (prepared: PreparedClaim, trace: Trace): UnitOfWork<Claimed, NoPendingStep> =>
  claim(inTrace(prepared, trace))

/** Every command of the ledger. */
export const commandKinds: { readonly [Name in CommandName]: Kind<Name> } = {
  PostMessage: kind("postMessage", decodeInput(PostMessage, preparePost), post, weightOfPost),
  ClaimStep: kind("claimStep", decodeInput(ClaimStep, prepareClaim), claim),
  ClaimAny: kind("claimAny", decodeInput(ClaimAny, prepareClaimAny), claim),
  CompleteStep: kind(
    "completeStep",
    decodeInput(CompleteStep, prepareCompletion),
    (prepared) => (transaction, moment) =>
      decideCompletion(prepared, ...stepWithReceipt(transaction, prepared.step_id), moment)
  ),
  RequeueStep: kind(
    "requeueStep",
    decodeInput(RequeueStep, prepareRequeue),
    (prepared) => (transaction, moment) =>
      decideRequeue(prepared, ...stepWithReceipt(transaction, prepared.step_id), moment)
  ),
  RenewLease: kind(
    "renewLease",
    decodeInput(RenewLease, prepareRenewal),
    (prepared) => (transaction, moment) =>
      decideRenewal(prepared, ...stepWithReceipt(transaction, prepared.step_id), moment)
  )
}

const counter = (attributes: Readonly<Record<string, string>>): Metric.Counter<number> =>
  Metric.counter("cassette.ledger.commands", {
    description: "Commands by name; error.type is the tag of the error of those that were not carried out",
    incremental: true,
    attributes
  })

/** Counts the commands with a name that were carried out. */
export const doneCounter = (command: string) => counter({ "cassette.command": command })

/** Counts the commands with a name that ended in an error. */
export const errorCounter = (command: string, tag: string) =>
  counter({ "cassette.command": command, "error.type": tag })

/** One command without a span: strict decoding outside the lock, then the writer. */
export const submitCommand = <Name extends CommandName>(
  writer: CommandWriter,
  { decode }: Kind<Name>,
  input: Commands[Name]["input"],
  trace: Trace
): Effect.Effect<Commands[Name]["reply"], CommandFailure<Commands[Name]["refusal"]>> => {
  const prepared = decode(input)
  return Result.isFailure(prepared)
    ? Effect.fail(prepared.failure)
    : writer.submit(prepared.success.work(trace), prepared.success.weight)
}

/** Tells a span the ids of a reply, and the position of the message that it names. */
const tellReply = (span: Tracer.Span, reply: unknown): void => {
  tellIds(span, reply)
  const { message_id } = reply as { readonly message_id?: string }
  const position = message_id === undefined ? undefined : positionOfMessageId(message_id)
  if (position !== undefined) span.attribute("cassette.message.position", position)
}

/**
 * Opens a command's span, tells it the ids, and counts the outcome. Nothing below it opens a span, so its own is taken in the way
 * that captures no stack: that would cost more than the decision does. Where the program brought no tracer there is no span at all.
 */
export const observed = (method: string) => {
  const done = doneCounter(method)
  return <Reply, E extends { readonly _tag: string }>(
    input: unknown,
    answer: (trace: Trace) => Effect.Effect<Reply, E>
  ): Effect.Effect<Reply, E> => {
    const counted = (fiber: Fiber.Fiber<unknown, unknown>, span: Tracer.Span | undefined) =>
      Effect.mapBoth(answer(recordedTrace(fiber, span)), {
        onSuccess: (reply) => {
          done.updateUnsafe(1, fiber.context)
          if (span !== undefined) tellReply(span, reply)
          return reply
        },
        onFailure: (error) => {
          errorCounter(method, error._tag).updateUnsafe(1, fiber.context)
          if (span !== undefined) tellError(span, error)
          return error
        }
      })
    return Effect.withFiber((fiber) =>
      isTraced(fiber)
        ? Effect.useSpan(`cassette.ledger.${method}`, (span) => {
            tellIds(span, input)
            return counted(fiber, span)
          })
        : counted(fiber, undefined)
    )
  }
}

const isCommand = (value: unknown): value is LedgerCommand =>
  typeof value === "object" &&
  value !== null &&
  "_tag" in value &&
  typeof value._tag === "string" &&
  Object.hasOwn(commandKinds, value._tag)

const Batch = Schema.Array(
  Schema.declare(isCommand, {
    expected: `an object whose _tag is one of ${Object.keys(commandKinds).join(", ")}`
  })
).check(
  Schema.isMaxLength(MAX_BATCH_COMMANDS, { expected: `at most ${MAX_BATCH_COMMANDS} commands` }),
  Schema.isMinLength(1, { expected: "at least one command" })
)

/** A command's faults under its place in the batch. */
const atPlace = (index: number, { issues }: InvalidInput): InvalidInput =>
  invalidInput(issues.map(({ message, path }) => ({ path: `/${index}${path}`, message })))

/** The works of a batch, or why a command of it is none. */
const decodeBatch = decodeInput(Batch, (commands) => {
  const works: Array<(trace: Trace) => UnitOfWork<unknown>> = []
  let weight = 0
  for (const [index, { _tag, ...input }] of commands.entries()) {
    const decoded = (commandKinds[_tag] as Kind<CommandName>).decode(input as Commands[CommandName]["input"])
    if (Result.isFailure(decoded)) return Result.fail(atPlace(index, decoded.failure))
    works.push(decoded.success.work)
    weight += decoded.success.weight
  }
  return Result.succeed({ methods: commands.map(({ _tag }) => commandKinds[_tag].method), works, weight })
})

/** What became of one command of a batch, counted. */
const resultOf = (
  method: string,
  outcome: Outcome,
  context: Context.Context<never>
): Result.Result<unknown, Failed<Refusal>> => {
  if (Exit.isSuccess(outcome)) {
    doneCounter(method).updateUnsafe(1, context)
    return Result.succeed(outcome.value)
  }
  // An outcome is a reply or a typed error.
  const error = Option.getOrThrow(Exit.findErrorOption(outcome))
  errorCounter(method, error._tag).updateUnsafe(1, context)
  return Result.fail(error)
}

const submitDecoded = (
  writer: CommandWriter,
  commands: ReadonlyArray<LedgerCommand>,
  fiber: Fiber.Fiber<unknown, unknown>,
  span: Tracer.Span | undefined
) =>
  Effect.flatMap(Effect.fromResult(decodeBatch(commands)), ({ methods, weight, works }) => {
    const trace = recordedTrace(fiber, span)
    span?.attribute("cassette.command.count", works.length)
    return Effect.map(
      writer.submitAll(
        works.map((work) => work(trace)),
        weight
      ),
      (outcomes) => outcomes.map((outcome, index) => resultOf(methods[index] ?? "", outcome, fiber.context))
    )
  })

/** Several commands, decided in order in one transaction; a refused one leaves nothing, and the others stand. */
export const submitBatch = <const Batch extends ReadonlyArray<LedgerCommand>>(
  writer: CommandWriter,
  commands: Batch
): Effect.Effect<BatchResults<Batch>, InvalidInput | InvariantViolation | StoreWriteError> =>
  Effect.withFiber((fiber) =>
    isTraced(fiber)
      ? Effect.useSpan("cassette.ledger.commands", (span) => submitDecoded(writer, commands, fiber, span))
      : submitDecoded(writer, commands, fiber, undefined)
  ) as Effect.Effect<BatchResults<Batch>, InvalidInput | InvariantViolation | StoreWriteError>
