/** A claim by job takes a step of exactly that job; another id that leads to the same place has none. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../application/ledger/ledger.ts"
import { stepIdOf } from "../../domain/ledger/ids.ts"
import { openForReading } from "../sqlite/connection/better-sqlite3-host.ts"
import { post, withLedger } from "../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { nextPendingStep } from "./statements/ledger-lookups.ts"

const posted = Effect.gen(function* () {
  const filename = join(temporaryFolder(), "a.db")
  const { job_id } = yield* withLedger({ filename }, post("r", 1))

  return { filename, job_id, step_id: stepIdOf(job_id, 1) }
})

describe("the next step of a job", () => {
  it.live("is found by the job's own id alone", () =>
    Effect.gen(function* () {
      const { filename, job_id, step_id } = yield* posted
      const connection = openForReading(filename)
      const next = (id: string) => nextPendingStep(connection, { run_id: "r", job_id: id })?.step_id
      assert.strictEqual(next(job_id), step_id)
      const tail = job_id.slice("job_".length)
      for (const id of [tail, `_${tail}`, `msg_${tail}`, `x_${tail}`, `Job_${tail}`, job_id.slice(0, -1)]) {
        assert.isUndefined(next(id), id)
      }
      connection.close()
    })
  )

  it.live("of a job that is not there is refused", () =>
    Effect.gen(function* () {
      const { filename, job_id } = yield* posted
      const missing = job_id.replace(/\d{4}$/, "0002")
      const claim = Ledger.use((ledger) =>
        Effect.flip(ledger.claimStep({ run_id: "r", worker_id: "w", job_id: missing }))
      )
      assert.deepInclude(yield* withLedger({ filename }, claim), {
        _tag: "NoPendingStep",
        job_id: missing
      })
    })
  )
})
