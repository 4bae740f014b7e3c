// The ledger as tools: post, claim, complete, requeue, status, verify. Arguments are the fields of the application's
// commands, and so are the errors; nothing is decided here.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Identifier } from "../../domain/canonical/text.ts"
import {
  type ClaimStep,
  type CompleteStep,
  FencingToken,
  JobId,
  type PostMessage,
  Reason,
  type RequeueStep,
  Text,
  TtlSeconds
} from "../../domain/ledger/commands.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { JobNotFound, RunNotFound } from "../../domain/ledger/errors.ts"
import { DEFAULT_TTL_SECONDS } from "../../domain/ledger/limits.ts"
import { OUTCOMES, SOURCES } from "../../domain/ledger/rows.ts"
import { VerificationReport } from "../../domain/ledger/verification.ts"
import { actingAgent } from "./caller.ts"
import { DEFAULT_ANSWER_BYTES, MAX_ANSWER_BYTES } from "../../domain/canonical/answer-budget.ts"
import { LedgerAccess } from "./ledger-access.ts"
import {
  actingTool,
  adds,
  agentTool,
  type AgentTool,
  argument,
  objectArgument,
  reads,
  textArgument
} from "./tool.ts"

const runId = argument(Identifier, "the run: all that belongs together shares one", "run-2026-11-28")
const stepId = argument(Identifier, "the step, as step_claim answers it")
const token = argument(FencingToken, "the fencing token, as step_claim answers it")

const messagePost = agentTool({
  name: "message_post",
  title: "Post work",
  description:
    "Post a message to a run: it becomes a job with one step for each object under payload.steps, or with one step that carries the payload. Use it to hand over work. Safe to repeat with the same idempotency_key and the same payload: the same ids come back.",
  hints: { readOnly: false, destructive: false, idempotent: false },
  input: {
    run_id: runId,
    source: argument(Schema.Literals(SOURCES), "who posts"),
    payload: objectArgument(
      "what is to be done: any JSON object; `intent` names the job, `steps` (a list of objects) makes its steps"
    ),
    idempotency_key: Schema.optionalKey(
      argument(Identifier, "the same key with the same payload posts once", "ticket-17")
    ),
    jobs: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          intent: argument(Text, "what the job is for"),
          steps: Schema.Array(objectArgument("what the step is to do"))
            .check(Schema.isMinLength(1))
            .annotate({ description: "the job's steps" })
        })
      )
        .check(Schema.isMinLength(1))
        .annotate({ description: "several jobs with their steps, in place of payload.steps" })
    )
  },
  data: Schema.Struct({
    message_id: Schema.String,
    job_id: Schema.String.annotate({ description: "the first job" }),
    job_ids: Schema.Array(Schema.String),
    created: Schema.Boolean.annotate({ description: "false when the key had posted the same message before" })
  }),
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("create")),
      ({ ledger }) => ledger.postMessage(input as PostMessage)
    )
})

const stepClaim = actingTool({
  name: "step_claim",
  title: "Claim a step",
  description:
    "Claim the oldest waiting step of a run (or of one job) under a lease. Use it before you do any of the step's work, and finish with step_complete before lease_expires_at. NO_PENDING_STEP means that nothing waits.",
  hints: adds,
  actor: "worker_id",
  actorIs: "who works",
  // A step is claimed once: what was cut could not be asked for again.
  defaultBytes: MAX_ANSWER_BYTES,
  input: {
    run_id: runId,
    job_id: Schema.optionalKey(argument(JobId, "only this job's steps")),
    ttl_seconds: Schema.optionalKey(
      argument(TtlSeconds, `how long the lease holds, in seconds (default ${DEFAULT_TTL_SECONDS})`)
    )
  },
  data: Schema.Struct({
    step_id: Schema.String,
    job_id: Schema.String,
    message_id: Schema.String,
    ordinal: Schema.Int,
    payload: Schema.Record(Schema.String, Schema.Unknown),
    fencing_token: Schema.Int,
    lease_expires_at: Schema.String
  }),
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ ledger }) => ledger.claimStep(input satisfies ClaimStep)
    )
})

const stepComplete = actingTool({
  name: "step_complete",
  title: "Finish a step",
  actor: "worker_id",
  actorIs: "who works",
  description:
    "Finish a step that you hold, with a receipt that can never be changed: what was done, hashes of what was made. Use FAILURE when the work was tried and failed. NOT_LEASED with a receipt of your own means that an earlier call had arrived.",
  hints: { readOnly: false, destructive: true, idempotent: false },
  input: {
    run_id: runId,
    step_id: stepId,
    fencing_token: token,
    receipt_payload: objectArgument("the proof of the work: any JSON object"),
    outcome: argument(Schema.Literals(OUTCOMES), "how the work ended")
  },
  data: Schema.Struct({ receipt_id: Schema.String }),
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ ledger }) => ledger.completeStep(input as CompleteStep)
    )
})

const stepRequeue = actingTool({
  name: "step_requeue",
  title: "Let a step wait again",
  actor: "requested_by",
  actorIs: "who asks",
  description:
    "Let a leased step wait for another worker. Use it when you cannot finish: give your own back early with worker_id and fencing_token, take one whose lease has ended without it, or use force (audited) to take one at any time. Every requeue is on record with its reason.",
  hints: { readOnly: false, destructive: true, idempotent: false },
  input: {
    run_id: runId,
    step_id: stepId,
    reason: argument(Reason, "why, for the record", "the worker was stopped"),
    worker_id: Schema.optionalKey(argument(Identifier, "who holds the step, to give it back early")),
    fencing_token: Schema.optionalKey(token),
    force: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "take the step even though its lease still holds" })
    )
  },
  data: Schema.Struct({
    step_id: Schema.String,
    status: Schema.Literal("PENDING"),
    fencing_token: Schema.Int,
    cause: Schema.Literals(["expired", "released", "forced"])
  }),
  run: (input) =>
    Effect.gen(function* () {
      // A lease that is given back is one's own.
      if (input.worker_id !== undefined) yield* actingAgent("worker_id", input.worker_id)
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return yield* ledger.requeueStep(input satisfies RequeueStep)
    })
})

const counts = {
  pending: Schema.Int,
  leased: Schema.Int,
  committed: Schema.Int
}

const ONE_OF_BOTH = "give either job_id or run_id"
const eitherOne = Effect.fail(
  new InvalidInput({ message: ONE_OF_BOTH, issues: [{ path: "", message: ONE_OF_BOTH }] })
)

const jobStatus = agentTool({
  name: "job_status",
  title: "Status of a job or run",
  description:
    "How far a job is (give job_id), or a whole run (give run_id): how many steps wait, are leased and are finished. Use it to see whether work is done before you build on it.",
  hints: reads,
  input: {
    job_id: Schema.optionalKey(argument(Identifier, "one job, as message_post answers it")),
    run_id: Schema.optionalKey(argument(Identifier, "a whole run"))
  },
  data: Schema.Struct({
    ...counts,
    outcomes: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Int).annotate({ description: "of a job: receipts by outcome" })
    ),
    messages: Schema.optionalKey(Schema.Int),
    jobs: Schema.optionalKey(Schema.Int),
    oldest_pending_step: Schema.optionalKey(Schema.NullOr(Schema.String)),
    expired_leases: Schema.optionalKey(Schema.Int)
  }),
  run: ({ job_id, run_id }) =>
    Effect.gen(function* () {
      if ((job_id === undefined) === (run_id === undefined)) return yield* eitherOne
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      if (job_id !== undefined) {
        const status = yield* ledger.jobStatus(job_id)
        if (status === undefined) return yield* new JobNotFound({ run_id: null, job_id })
        const { committed, leased, outcomes, pending } = status
        return { pending, leased, committed, outcomes }
      }
      const summary = yield* ledger.runSummary(run_id ?? "")
      if (summary === undefined) return yield* new RunNotFound({ run_id: run_id ?? "" })
      const { committed, expired_leases, jobs, leased, messages, oldest_pending_step, pending } = summary
      return { pending, leased, committed, messages, jobs, oldest_pending_step, expired_leases }
    })
})

const ledgerVerify = agentTool({
  name: "ledger_verify",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  title: "Verify the ledger",
  description:
    "Check every invariant of the ledger: schema, hash chain, tables against the log, receipts, leases. A FAIL is a report with findings, not an error. Use it before you rely on what the ledger says.",
  hints: reads,
  input: {
    run_id: Schema.optionalKey(argument(Identifier, "look at this run's leases, steps and receipts only")),
    now: Schema.optionalKey(textArgument("judge leases as of this time", "2026-11-27T10:11:12.345Z")),
    pure: Schema.optionalKey(Schema.Boolean.annotate({ description: "leave out what depends on a clock" }))
  },
  data: VerificationReport,
  run: ({ now, pure, run_id }) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ ledger }) => ledger.verifyCassette({ runId: run_id, now, pure })
    )
})

/** The ledger's tools in the order in which they are listed. */
export const ledgerTools: ReadonlyArray<AgentTool> = [
  messagePost,
  stepClaim,
  stepComplete,
  stepRequeue,
  jobStatus,
  ledgerVerify
]
