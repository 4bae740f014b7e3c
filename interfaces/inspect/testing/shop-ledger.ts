// A ledger of some runs as a person may find it: steps that are done, that failed and were aborted, leases that were given back,
// taken away and ended, steps that wait, thoughts, and a run whose every text is hostile.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Claimed } from "../../../domain/ledger/decide.ts"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import { Thoughts } from "../../../application/ledger/thoughts/thoughts.ts"
import { Ledger } from "../../embedding/ledger.ts"
import { makeManualClock, withClock } from "../../test-kit/manual-clock.ts"

/** Text that would be run, would turn its line around, and would move a terminal's cursor, if it were let. */
export const HOSTILE =
  "<script>window.hacked=1</script>\u202egnp.exe\u2066\u001b[31m <img src=x onerror=window.hacked=2>"

/** As much of it as a name may have: no control character. */
const HOSTILE_NAME = HOSTILE.replace("\u001b[31m", "").slice(0, 80)

/** Steps as a job takes them. */
const steps = (op: string, refs: ReadonlyArray<JsonObject>): readonly [JsonObject, ...JsonObject[]] => {
  const [first = {}, ...others] = refs.map((each) => ({ op, refs: each }))
  return [first, ...others]
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

const refunds = ["4417", "4421", "4430", "4433"]

/** Puts the runs into a ledger file; the newest event is of the time `now` (milliseconds since 1970), less ten seconds. */
export const makeShopLedger = (filename: string, now: number) => {
  const clock = makeManualClock(now - 26 * 60 * MINUTE)
  const at = (before: number) => clock.set(now - before)
  const wait = (millis: number) => clock.set(clock.now() + millis)
  const program = Effect.gen(function* () {
    const ledger = yield* Ledger
    const thoughts = yield* Thoughts
    const claim = (run_id: string, worker_id: string, ttl_seconds = 120) =>
      ledger.claimStep({ run_id, worker_id, ttl_seconds })
    const complete = (
      { lease }: Claimed,
      receipt_payload: JsonObject,
      outcome: "SUCCESS" | "FAILURE" | "ABORTED" = "SUCCESS"
    ) => ledger.completeStep({ ...lease, receipt_payload, outcome })
    const requeue = ({ lease }: Claimed, requested_by: string, reason: string) =>
      ledger.requeueStep({ ...lease, requested_by, reason })
    const think = (task_id: string, agent_id: string, type: "plan" | "decision", content: string) =>
      thoughts.createThoughtRecord({ task_id, agent_id, type, content })

    // A run that no worker works on any more: two steps wait.
    yield* ledger.postMessage({
      run_id: "crawl-handbook",
      source: "PLANNER",
      payload: { intent: "read the handbook" },
      jobs: [
        {
          intent: "read the handbook",
          steps: steps(
            "READ_SYMBOL",
            ["travel", "expenses", "leave"].map((name) => ({ symbol_id: `@HANDBOOK/${name}` }))
          )
        }
      ]
    })
    const first = yield* claim("crawl-handbook", "rita")
    wait(4 * SECOND)
    yield* complete(first, { bytes_read: 8_214 })

    // Every text of this run is hostile.
    at(8 * 60 * MINUTE)
    const run_id = `hostile ${HOSTILE_NAME}`
    yield* ledger.postMessage({
      run_id,
      source: "WORKER",
      payload: { [HOSTILE]: HOSTILE, intent: HOSTILE },
      idempotency_key: HOSTILE_NAME
    })
    const hostile = yield* claim(run_id, `worker ${HOSTILE_NAME}`)
    yield* think(run_id, `worker ${HOSTILE_NAME}`, "decision", HOSTILE)
    wait(2 * SECOND)
    yield* requeue(hostile, HOSTILE_NAME, HOSTILE)
    const again = yield* claim(run_id, "nora")
    wait(9 * SECOND)
    yield* complete(again, { message: HOSTILE, body: "x".repeat(9_000) }, "FAILURE")

    // Refunds: everything that can happen to a step.
    at(45 * MINUTE)
    yield* ledger.postMessage({
      run_id: "refunds-2026-11",
      source: "USER",
      idempotency_key: "ticket-88213",
      payload: { intent: "pay back four orders", ticket: 88_213 },
      jobs: [
        {
          intent: "look at the orders",
          steps: steps(
            "LOAD_ORDER",
            refunds.map((order) => ({ order }))
          )
        },
        {
          intent: "pay back",
          steps: steps(
            "REFUND",
            refunds.map((order) => ({ order }))
          )
        },
        { intent: "tell the customers", steps: steps("SEND_MAIL", [{ order: "4417" }, { order: "4430" }]) }
      ]
    })
    wait(1_200)
    const load1 = yield* claim("refunds-2026-11", "ada")
    const load2 = yield* claim("refunds-2026-11", "ben", 60)
    wait(700)
    const load3 = yield* claim("refunds-2026-11", "cleo", 300)
    wait(5_100)
    yield* complete(load1, { order: "4417", paid_eur: "49.90", state: "delivered" })
    const load4 = yield* claim("refunds-2026-11", "ada")
    yield* think("refunds-2026-11", "ada", "plan", "4433 was delivered late, so the shipping goes back too.")
    wait(4_400)
    yield* complete(load3, { order: "4430", paid_eur: "12.00", state: "lost" })
    wait(3_700)
    yield* complete(load4, { order: "4433", paid_eur: "88.10", state: "delivered late" })
    const refund1 = yield* ledger.claimStep({
      run_id: "refunds-2026-11",
      worker_id: "cleo",
      ttl_seconds: 300
    })
    wait(12 * SECOND)
    yield* complete(refund1, { error: "The issuer refused the refund: code 51, not enough funds" }, "FAILURE")
    const refund2 = yield* claim("refunds-2026-11", "ada", 300)
    wait(3_800)
    yield* complete(
      refund2,
      { reason: "needs a person: 720.50 EUR is above the limit of 500 EUR" },
      "ABORTED"
    )
    wait(67 * SECOND)
    yield* requeue(load2, "supervisor", "ben stopped answering (killed: out of memory, exit 137)")
    const second = yield* claim("refunds-2026-11", "ada")
    wait(5_400)
    yield* requeue(second, "ada", "rate limited: 429 from the order service, try again in 30 s")
    wait(32 * SECOND)
    const third = yield* claim("refunds-2026-11", "cleo")
    wait(3_100)
    const renewed = yield* ledger.renewLease({ ...third.lease, ttl_seconds: 300 })
    wait(4_200)
    yield* ledger.completeStep({
      ...renewed.lease,
      receipt_payload: { order: "4421", paid_eur: "720.50", state: "delivered" },
      outcome: "SUCCESS"
    })
    const taken = yield* claim("refunds-2026-11", "dora", 600)
    wait(9 * SECOND)
    yield* ledger.requeueStep({
      run_id: "refunds-2026-11",
      step_id: taken.step_id,
      requested_by: "ops",
      reason: "the release of dora is rolled back",
      force: true
    })
    const retaken = yield* claim("refunds-2026-11", "ada")
    wait(2_600)
    yield* complete(retaken, { refunded_eur: "12.00" })
    // Its worker was killed, and its lease has ended.
    yield* claim("refunds-2026-11", "ben", 120)
    at(3 * MINUTE)
    // At work now; the last mail waits.
    yield* claim("refunds-2026-11", "ada", 3_600)

    // A run in which all went well.
    at(20 * MINUTE)
    clock.set(Math.max(clock.now(), now - 2 * MINUTE))
    yield* ledger.postMessage({
      run_id: "contract-review",
      source: "USER",
      payload: { intent: "review the contract", refs: { file: "lease.pdf" } }
    })
    wait(900)
    const review = yield* claim("contract-review", "nora")
    yield* think("contract-review", "nora", "plan", "Clause 14 has no limit of liability: say so first.")
    wait(31 * SECOND)
    yield* complete(review, { verdict: "sign after clause 14 is changed", pages: 12 })
    at(10 * SECOND)
    yield* ledger.postMessage({
      run_id: "digest-today",
      source: "SYSTEM",
      payload: { intent: "write the digest", refs: { day: "today" } }
    })
    const digest = yield* claim("digest-today", "eve")
    wait(6 * SECOND)
    yield* complete(digest, { words: 412 })
  })
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Layer.build(Ledger.layer({ filename })), (context) =>
        Effect.provideContext(program, context)
      )
    ).pipe(withClock(clock))
  )
}
