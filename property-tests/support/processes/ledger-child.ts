// What a child process of the crash and race properties does: `node ledger-child.ts <role> <file> <name> <count>`.
// Every acknowledgement goes to standard output as one JSON line, written synchronously, so that a line that the
// parent has read was answered by the ledger before; it may be killed at any moment.

import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Lease } from "../../../domain/ledger/commands.ts"
import { Ledger as LedgerService, type LedgerShape } from "../../../application/ledger/ledger.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import { Ledger } from "../../../interfaces/embedding/ledger.ts"
import { START } from "../ledger-system.ts"

const [role = "", filename = "", name = "", count = "0"] = process.argv.slice(2)
const amount = Number(count)

/** The clock of children that jump; the others have the machine's. */
const clock = makeManualClock(START)

const tell = (line: object): Effect.Effect<void> =>
  Effect.sync(() => {
    writeSync(1, `${JSON.stringify(line)}\n`)
  })

const numbers = (length: number) => Array.from({ length }, (_, n) => n)

/** Claims one step of the run and tells; undefined when nothing waits. */
const claim = (ledger: LedgerShape, run_id: string) =>
  ledger.claimStep({ run_id, worker_id: name }).pipe(
    Effect.tap(({ fencing_token, step_id }) => tell({ did: "claim", by: name, step_id, fencing_token })),
    Effect.catchTag("NoPendingStep", () => Effect.undefined)
  )

const complete = (ledger: LedgerShape, run_id: string, step: { step_id: string; fencing_token: number }) =>
  Effect.gen(function* () {
    const { fencing_token, step_id } = step
    const { receipt_id } = yield* ledger.completeStep({
      run_id,
      step_id,
      worker_id: name,
      fencing_token,
      receipt_payload: { by: name, fencing_token },
      outcome: "SUCCESS"
    })
    yield* tell({ did: "complete", by: name, step_id, fencing_token, receipt_id })
  })

/** Renews a lease and tells. */
const renew = (ledger: LedgerShape, lease: Lease) =>
  Effect.tap(ledger.renewLease(lease), ({ fencing_token, step_id }) =>
    tell({ did: "renew", by: name, step_id, fencing_token })
  )

const BATCH = 3

/** Posts several messages in one batch, which say so, and tells of all at once. */
const postBatch = (ledger: LedgerShape, key: string) =>
  Effect.gen(function* () {
    const results = yield* ledger.commands(
      numbers(BATCH).map((index) => ({
        _tag: "PostMessage" as const,
        run_id: "crash",
        source: "WORKER" as const,
        idempotency_key: `${key}.batch.${index}`,
        payload: { batch: key, of: BATCH }
      }))
    )
    const message_ids = results.map((result) => Result.getOrThrow(result).message_id)
    yield* tell({ did: "batch", by: name, message_ids })
  })

/** Posts a message with its claim, which says so, and tells of both. */
const postAndClaim = (ledger: LedgerShape, key: string) =>
  Effect.gen(function* () {
    const { lease, message_id } = yield* ledger.postMessage({
      run_id: "crash",
      source: "WORKER",
      idempotency_key: key,
      payload: { claimed: true },
      claim: { worker_id: name }
    })
    yield* tell({ did: "post", key, message_id })
    if (lease === null) throw new Error(`the new message ${message_id} was not claimed`)
    yield* tell({ did: "claim", by: name, step_id: lease.step_id, fencing_token: lease.fencing_token })
    return lease
  })

/** Posts, claims, renews and completes forever, several at a time, so that commands are committed in groups. */
const life = (ledger: LedgerShape) =>
  Effect.forEach(
    numbers(4),
    (lane) =>
      Effect.gen(function* () {
        for (let n = 0; ; n++) {
          const posted = yield* ledger.postMessage({
            run_id: "crash",
            source: "WORKER",
            idempotency_key: `${name}.${lane}.${n}`,
            payload: { lane, n, name }
          })
          yield* tell({ did: "post", key: `${name}.${lane}.${n}`, message_id: posted.message_id })
          const step = yield* claim(ledger, "crash")
          const held = step && (n % 2 === 0 ? yield* renew(ledger, step.lease) : step)
          if (held !== undefined && n % 3 !== 2) yield* complete(ledger, "crash", held)
          if (n % 4 === 0) yield* postBatch(ledger, `${name}.${lane}.${n}`)
          if (n % 4 === 2) {
            const lease = yield* postAndClaim(ledger, `${name}.${lane}.${n}.claimed`)
            yield* complete(ledger, "crash", yield* renew(ledger, lease))
          }
        }
      }),
    { concurrency: "unbounded" }
  )

/** Claims until nothing waits; gives every third step back once, so that tokens grow. */
const race = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    for (let n = 0; ; n++) {
      const step = yield* claim(ledger, "race")
      if (step === undefined) return
      if (step.fencing_token === 1 && n % 3 === 0) {
        const { fencing_token, step_id } = step
        yield* ledger.requeueStep({ ...step.lease, reason: "once more" })
        yield* tell({ did: "release", by: name, step_id, fencing_token })
      } else {
        yield* complete(ledger, "race", step)
      }
    }
  })

/** Waits for so many steps of runs that begin with `wait-`, and finishes each. */
const wait = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    let after_run: string | undefined
    for (let n = 0; n < amount; n++) {
      const { lease } = yield* ledger.claimAny({
        worker_id: name,
        prefix: "wait-",
        after_run,
        wait: "60 seconds"
      })
      after_run = lease.run_id
      yield* tell({ did: "claim", by: name, step_id: lease.step_id, fencing_token: lease.fencing_token })
      const held = n % 2 === 0 ? (yield* renew(ledger, lease)).lease : lease
      yield* complete(ledger, held.run_id, held)
    }
  })

/** Posts its own quota in its own run and finishes it. */
const quota = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    for (const n of numbers(amount)) {
      yield* ledger.postMessage({ run_id: name, source: "WORKER", payload: { n } })
      const step = yield* claim(ledger, name)
      if (step !== undefined) yield* complete(ledger, name, step)
    }
  })

const DAY = 86_400_000

/** A number below `limit` for the n-th of what this child does, the same whenever it has the same name. */
const drawn = (n: number, what: string, limit: number): number =>
  Number.parseInt(sha256(`${name} ${what} ${n}`).slice(0, 8), 16) % limit

/** Does what its name draws, on a clock that jumps by up to a day both ways before each command; refusals are answers. */
const jump = (ledger: LedgerShape) =>
  Effect.forEach(numbers(amount), (n) =>
    Effect.gen(function* () {
      clock.set(START - DAY + drawn(n, "clock", 2 * DAY))
      yield* ledger.postMessage({ run_id: "jump", source: "WORKER", payload: { n, name } })
      const worker_id = name
      const ttl_seconds = 1 + drawn(n, "ttl", 3_600)
      const { fencing_token, step_id } = yield* ledger.claimStep({ run_id: "jump", worker_id, ttl_seconds })
      yield* tell({ did: "claim", by: name, step_id, fencing_token })
      clock.set(START - DAY + drawn(n, "later", 2 * DAY))
      const end = drawn(n, "end", 5)
      const place = { run_id: "jump", step_id }
      if (end === 0) return yield* ledger.requeueStep({ ...place, reason: "ended" })
      if (end === 1) return yield* ledger.requeueStep({ ...place, reason: "stuck", force: true })
      const lease = { ...place, worker_id, fencing_token }
      if (end === 3) return yield* complete(ledger, "jump", yield* renew(ledger, lease))
      if (end === 2) return yield* ledger.requeueStep({ ...lease, reason: "given back" })
      return yield* complete(ledger, "jump", { step_id, fencing_token })
    }).pipe(
      Effect.catchTags({
        LeaseExpired: () => Effect.void,
        LeaseNotExpired: () => Effect.void,
        NoPendingStep: () => Effect.void
      })
    )
  )

const roles = { life, race, wait, quota, jump }
const play = Object.hasOwn(roles, role) ? roles[role as keyof typeof roles] : undefined
if (play === undefined) throw new Error(`there is no role ${role}`)

await Effect.gen(function* () {
  const ledger = yield* LedgerService
  yield* tell({ did: "open", by: name })
  yield* play(ledger)
  yield* tell({ did: "end", by: name })
}).pipe(
  Effect.provide(Ledger.layer({ filename, durability: "full", busyDeadline: 120_000 })),
  role === "jump" ? withClock(clock) : (program) => program,
  Effect.runPromise
)
