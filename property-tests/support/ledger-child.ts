// What a child process of the crash and race properties does: `node ledger-child.ts <role> <file> <name> <count>`.
// Every acknowledgement goes to standard output as one JSON line, written synchronously, so that a line that the
// parent has read was answered by the ledger before; it may be killed at any moment.

import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Ledger as LedgerService, type LedgerShape } from "../../application/ledger/ledger.ts"
import { Ledger } from "../../interfaces/embedding/ledger.ts"

const [role = "", filename = "", name = "", count = "0"] = process.argv.slice(2)
const amount = Number(count)

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

/** Posts, claims and completes for ever, several at a time, so that commands are committed in groups. */
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
          if (step !== undefined && n % 3 !== 2) yield* complete(ledger, "crash", step)
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
        const lease = { worker_id: name, fencing_token }
        yield* ledger.requeueStep({ run_id: "race", step_id, reason: "once more", lease })
        yield* tell({ did: "release", by: name, step_id, fencing_token })
      } else {
        yield* complete(ledger, "race", step)
      }
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

const roles = { life, race, quota }
const play = Object.hasOwn(roles, role) ? roles[role as keyof typeof roles] : undefined
if (play === undefined) throw new Error(`there is no role ${role}`)

await Effect.gen(function* () {
  const ledger = yield* LedgerService
  yield* tell({ did: "open", by: name })
  yield* play(ledger)
  yield* tell({ did: "end", by: name })
}).pipe(
  Effect.provide(Ledger.layer({ filename, durability: "full", busyDeadline: 120_000 })),
  Effect.runPromise
)
