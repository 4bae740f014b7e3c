// Durable workflows as an entry point: Effect's workflow engine on a ledger, and the store of its persisted queues. Tested with
// Effect 4.1, which calls these modules unstable.
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { Identifier } from "../../domain/canonical/text.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { TtlSeconds } from "../../domain/ledger/commands.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { decodeInput } from "../../application/foundation/input.ts"
import type { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import type { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import type { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import { layerWith } from "../../application/workflow/engine.ts"
import { type PersistedQueueOptions, queueStoreLayer } from "../../application/workflow/persisted-queue.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeRandomIdsLayer } from "../../infrastructure/ledger/thoughts/node-random-ids.ts"
import { Ledger, type LedgerOptions } from "../embedding/ledger.ts"

export type { PersistedQueueOptions } from "../../application/workflow/persisted-queue.ts"
export { ActivityLease } from "../../application/workflow/activities.ts"
export {
  ExecutionConflict,
  NotRecordable,
  RecordUnreadable,
  WorkflowNotRegistered
} from "../../domain/workflow/errors.ts"

/** How long a lease lasts by default, in seconds: work of a process that was killed is taken over after that. */
const DEFAULT_TTL_SECONDS = 60

const fields = {
  name: Schema.optional(Identifier.check(Schema.isMaxLength(100))),
  ttl_seconds: Schema.optional(TtlSeconds)
}

const decodeOptions = decodeInput(Schema.Struct(fields), Result.succeed)

/** The engine's name as a worker, and how long its leases last. */
export interface WorkflowEngineOptions {
  /** The beginning of this engine's name as a worker in the ledger (default `workflow`); the rest of it is drawn by chance. */
  readonly name?: string | undefined
  /** How long leases last, in seconds (default 60); they are renewed when a third of it is over. */
  readonly ttl_seconds?: number | undefined
}

/** The engine over a ledger that is there; several processes may each have one on the same file. */
const layerFrom = (
  options: WorkflowEngineOptions = {}
): Layer.Layer<WorkflowEngine, InvalidInput, LedgerService> =>
  Layer.unwrap(
    Effect.map(Effect.fromResult(decodeOptions(options)), ({ name = "workflow", ttl_seconds }) =>
      layerWith({
        worker_id: `${name}-${randomBytes(6).toString("hex")}`,
        ttl_seconds: ttl_seconds ?? DEFAULT_TTL_SECONDS
      })
    )
  ).pipe(Layer.provide(nodeHashingLayer))

/**
 * Effect's `WorkflowEngine` on a ledger.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 * import * as Activity from "effect/workflow/Activity"
 * import * as Workflow from "effect/workflow/Workflow"
 * import { CassetteWorkflowEngine } from "cortex-cassette/workflow"
 *
 * const Greeting = Workflow.make("Greeting", {
 *   payload: { name: Schema.String },
 *   success: Schema.String,
 *   idempotencyKey: ({ name }) => name
 * })
 *
 * const GreetingLive = Greeting.toLayer(({ name }) =>
 *   Activity.make({ name: "greet", success: Schema.String, execute: Effect.succeed(`Hello, ${name}!`) })
 * )
 *
 * const layer = Layer.provideMerge(GreetingLive, CassetteWorkflowEngine.layer({ filename: "flow.db" }))
 * await Effect.runPromise(Effect.provide(Greeting.execute({ name: "Ada" }), layer))
 */
export const CassetteWorkflowEngine = {
  layerFrom,
  /** The engine on a ledger's file, and the ledger itself with its thoughts and checkpoints: dossiers take them. */
  layer: ({
    name,
    ttl_seconds,
    ...ledger
  }: LedgerOptions & WorkflowEngineOptions): Layer.Layer<
    WorkflowEngine | LedgerService | Thoughts | Checkpoints,
    OpenError
  > => layerFrom({ name, ttl_seconds }).pipe(Layer.provideMerge(Ledger.layer(ledger)))
}

/**
 * Effect's persisted queues on a ledger.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 * import * as PersistedQueue from "effect/persistence/PersistedQueue"
 * import { Ledger } from "cortex-cassette"
 * import { CassettePersistedQueue } from "cortex-cassette/workflow"
 *
 * const program = Effect.gen(function* () {
 *   const mails = yield* PersistedQueue.make({ name: "mails", schema: Schema.Struct({ to: Schema.String }) })
 *   yield* mails.offer({ to: "Ada" })
 *   return yield* mails.take(({ to }) => Effect.succeed(`a mail to ${to}`))
 * })
 *
 * const queues = PersistedQueue.layer.pipe(
 *   Layer.provide(CassettePersistedQueue.layerStore()),
 *   Layer.provide(Ledger.layer({ filename: "queues.db" }))
 * )
 * await Effect.runPromise(Effect.provide(program, queues))
 */
export const CassettePersistedQueue = {
  /**
   * The store of `PersistedQueue` on the ledger that is there; several processes that open its file share its queues. An attempt
   * is one receipt, and a retry is posted with the receipt of the attempt that failed. `cleanup` removes nothing: the ledger keeps
   * what was finished, and an id that was offered once is known for good.
   */
  layerStore: (options: PersistedQueueOptions = {}) =>
    queueStoreLayer(options).pipe(Layer.provide(nodeHashingLayer), Layer.provide(nodeRandomIdsLayer))
}
