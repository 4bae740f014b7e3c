// Everything that a ledger's queries answer, of some runs, as one value: two ledgers of one history must answer the same.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import { RUNS } from "./ledger-model.ts"

const ofRun = (ledger: LedgerShape, run_id: string) =>
  Effect.gen(function* () {
    const messages = yield* ledger.messages(run_id)
    const steps = yield* ledger.steps({ run_id })
    const jobs = [...new Set(steps.map(({ job_id }) => job_id))]
    return {
      messages,
      steps,
      receipts: yield* ledger.receipts({ run_id }),
      states: yield* ledger.stepStates(run_id),
      summary: yield* ledger.runSummary(run_id),
      behindFirst: yield* ledger.steps({ run_id }, { after: steps[0]?.step_id, limit: 2 }),
      byId: yield* Effect.forEach(messages, ({ message_id }) => ledger.message(message_id)),
      ofMessages: yield* Effect.forEach(messages, ({ message_id }) => ledger.steps({ message_id })),
      jobs: yield* Effect.forEach(jobs, ledger.jobStatus),
      ofJobs: yield* Effect.forEach(jobs, (job_id) => ledger.receipts({ job_id })),
      events: yield* ledger.eventsAfter({ run_id }),
      newest: yield* ledger.eventsBefore({ run_id, limit: 5 }),
      ofFirstStep: yield* ledger.eventsBefore({ run_id, step_id: steps[0]?.step_id, limit: 9 })
    }
  })

const lists = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    const leases = yield* ledger.leases()
    const waiting = yield* ledger.waiting()
    const { lease_expires_at, step_id } = leases[0] ?? {}
    const after = lease_expires_at && step_id ? { lease_expires_at, step_id } : undefined
    return {
      leases,
      leasesBehindFirst: yield* ledger.leases({ after, limit: 2 }),
      ended: yield* ledger.leases({ expired: true }),
      running: yield* ledger.leases({ expired: false }),
      waiting,
      waitingBehindFirst: yield* ledger.waiting({
        after: waiting[0] && { run_id: waiting[0].run_id, step_id: waiting[0].step_id },
        limit: 2
      }),
      waitingOfPrefix: yield* ledger.waiting({ prefix: "run-b" }),
      failures: yield* ledger.failures(),
      failuresBefore: yield* ledger.failures({ before: 40, limit: 2, prefix: "run-b" }),
      idsOfKinds: yield* Effect.forEach(
        [
          ["message", "msg_"],
          ["job", "job_"],
          ["step", "step_"],
          ["receipt", "rcpt_"],
          ["run", "run-b"]
        ] as const,
        ([kind, prefix]) => ledger.ids({ kind, prefix, limit: 5 })
      ),
      newest: yield* ledger.eventsBefore({ before: 30, limit: 7 }),
      eventsOfPrefix: yield* ledger.eventsAfter({ prefix: "run-b", after: 1, limit: 3 }),
      runs: yield* ledger.runs
    }
  })

/** All events, oldest first. */
export const allEvents = (ledger: LedgerShape) => Stream.runCollect(ledger.events({ live: false }))

/** What the queries answer. */
export const allAnswers = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    return {
      head: yield* ledger.head,
      events: yield* allEvents(ledger),
      ...(yield* lists(ledger)),
      ofRuns: yield* Effect.forEach(RUNS, (run) => ofRun(ledger, run))
    }
  })
