// The ledger as tools: post, claim, complete, renew, requeue, leases, status, verify. Arguments are the fields of the application's
// commands, and so are the errors; nothing is decided here.
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Identifier } from "../../../domain/canonical/text.ts"
import {
  type CompleteStep,
  FencingToken,
  JobId,
  Lease,
  type PostMessage,
  Reason,
  type RenewLease,
  type RequeueStep,
  Text,
  TtlSeconds
} from "../../../domain/ledger/commands.ts"
import { invalidAt } from "../../../domain/foundation/errors.ts"
import { JobNotFound, RunNotFound } from "../../../domain/ledger/errors.ts"
import { DEFAULT_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import { OUTCOMES, SOURCES } from "../../../domain/ledger/rows.ts"
import { VerificationReport } from "../../../domain/ledger/verification.ts"
import { actingAgent } from "../caller.ts"
import { DEFAULT_ANSWER_BYTES, MAX_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { LedgerAccess } from "../ledger-access.ts"
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
const ttl = argument(TtlSeconds, `how long the lease holds, in seconds (default ${DEFAULT_TTL_SECONDS})`)
const prefix = argument(Identifier, "in place of run_id: the runs whose ids begin with this")

/** How long a claim waits at most: shorter than clients wait for an answer. */
const MAX_WAIT_SECONDS = 30

const refusedAt = (field: string, message: string) =>
  Effect.fail(invalidAt(field === "" ? "" : `/${field}`, message))

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
    "Claim the oldest waiting step of a run (or of one job) under a lease; without run_id, of the next run that has one. Use it before you do any of the step's work, and finish with step_complete before lease_expires_at, or ask for more time with lease_renew. wait_seconds waits for a step. NO_PENDING_STEP means that nothing waits.",
  hints: adds,
  actor: "worker_id",
  actorIs: "who works",
  // A step is claimed once: what was cut could not be asked for again.
  defaultBytes: MAX_ANSWER_BYTES,
  input: {
    run_id: Schema.optionalKey(runId),
    job_id: Schema.optionalKey(argument(JobId, "only this job's steps; with run_id")),
    prefix: Schema.optionalKey(prefix),
    after_run: Schema.optionalKey(
      argument(
        Identifier,
        "without run_id: begin behind this run, round and round, so that all get their turn"
      )
    ),
    ttl_seconds: Schema.optionalKey(ttl),
    wait_seconds: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_WAIT_SECONDS })),
        "how long to wait for a step (default 0)"
      )
    )
  },
  data: Schema.Struct({
    step_id: Schema.String,
    job_id: Schema.String,
    message_id: Schema.String,
    ordinal: Schema.Int,
    payload: Schema.Record(Schema.String, Schema.Unknown),
    fencing_token: Schema.Int,
    lease_expires_at: Schema.String,
    lease: Lease.annotate({ description: "what step_complete, lease_renew and step_requeue take" })
  }),
  run: ({ after_run, job_id, prefix, run_id, wait_seconds = 0, ...claim }) =>
    Effect.gen(function* () {
      if (run_id === undefined && job_id !== undefined)
        return yield* refusedAt("job_id", "give its run_id too")
      if (run_id !== undefined && prefix !== undefined) {
        return yield* refusedAt("prefix", "use either run_id or prefix")
      }
      if (run_id !== undefined && after_run !== undefined) {
        return yield* refusedAt("after_run", "use either run_id or after_run")
      }
      const wait = Duration.seconds(wait_seconds)
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return yield* run_id === undefined
        ? ledger.claimAny({ ...claim, prefix, after_run, wait })
        : ledger.claimStep({ ...claim, run_id, job_id, wait })
    })
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

const leaseRenew = actingTool({
  name: "lease_renew",
  title: "Renew a lease",
  actor: "worker_id",
  actorIs: "who works",
  description:
    "Get a new lease of a step that you hold, from now on, with a new fencing token. Use it when the work takes longer than the lease, before lease_expires_at. The old token finishes nothing any more.",
  hints: { readOnly: false, destructive: true, idempotent: false },
  input: { run_id: runId, step_id: stepId, fencing_token: token, ttl_seconds: Schema.optionalKey(ttl) },
  data: Schema.Struct({
    step_id: Schema.String,
    fencing_token: Schema.Int,
    lease_expires_at: Schema.String,
    lease: Lease
  }),
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ ledger }) => ledger.renewLease(input satisfies RenewLease)
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

/** How many leases one call lists. */
const DEFAULT_LEASES = 100
const MAX_LEASES = 1_000

const leaseList = agentTool({
  name: "lease_list",
  title: "List leases",
  description:
    "List leased steps, the lease that ends first in front, of a run, of several or of all. Use it with expired to find steps whose worker is probably dead: step_requeue lets each wait again.",
  hints: reads,
  defaultBytes: DEFAULT_ANSWER_BYTES,
  input: {
    run_id: Schema.optionalKey(argument(Identifier, "only this run")),
    prefix: Schema.optionalKey(prefix),
    expired: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "true: only leases that have ended; false: only those that run"
      })
    ),
    limit: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LEASES })),
        `at most so many (default ${DEFAULT_LEASES})`
      )
    )
  },
  data: Schema.Struct({
    leases: Schema.Array(
      Schema.Struct({
        ...Lease.fields,
        job_id: Schema.String,
        lease_expires_at: Schema.String,
        expired: Schema.Boolean
      })
    ),
    more: Schema.Boolean.annotate({ description: "there are more than the limit" })
  }),
  run: ({ limit = DEFAULT_LEASES, ...of }) =>
    Effect.gen(function* () {
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      const leases = yield* ledger.leases({ ...of, limit: limit + 1 })
      return { leases: leases.slice(0, limit), more: leases.length > limit }
    })
})

const counts = {
  pending: Schema.Int,
  leased: Schema.Int,
  committed: Schema.Int
}

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
      if ((job_id === undefined) === (run_id === undefined))
        return yield* refusedAt("", "give either job_id or run_id")
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
  leaseRenew,
  stepRequeue,
  leaseList,
  jobStatus,
  ledgerVerify
]
