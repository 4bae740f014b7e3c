// The evidence of an execution: its runs are handed over as dossiers of the ledger that the engine's layer gives.
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Activity, DurableClock, Workflow } from "effect/workflow"
import { temporaryFile } from "../../infrastructure/testing/ledgers.ts"
import { Dossiers, generateKeyFiles, Ledger, loadSigningKey, type TrustFile } from "../embedding/index.ts"
import { CassetteWorkflowEngine } from "./index.ts"

const Report = Workflow.make("Report", {
  payload: { city: Schema.String },
  success: Schema.Number,
  idempotencyKey: ({ city }) => city
})

const measure = Activity.make({ name: "measure", success: Schema.Number, execute: Effect.succeed(21) })

const ReportLive = Report.toLayer(() =>
  Effect.andThen(
    DurableClock.sleep({ name: "a while", duration: "10 millis", inMemoryThreshold: 0 }),
    measure
  )
)

it.live("each run of an execution leaves as a dossier, over the engine's layer alone", () =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    const services = Layer.mergeAll(ReportLive, Dossiers.layer).pipe(
      Layer.provideMerge(CassetteWorkflowEngine.layer({ filename }))
    )
    const verdicts = yield* Effect.gen(function* () {
      yield* Report.execute({ city: "Oslo" })
      const [dossiers, ledger] = [yield* Dossiers, yield* Ledger]
      const { public_key } = yield* generateKeyFiles(`${filename}.pem`)
      const key = yield* loadSigningKey(`${filename}.pem`)
      const scope = { ledgers: [ledger.ledgerId ?? ""] }
      const trust: TrustFile = { keys: [{ name: "audit", public_key, scope, enabled: true }] }
      const id = yield* Report.executionId({ city: "Oslo" })
      return yield* Effect.forEach(["workflow", "activity", "timer"], (kind) =>
        Effect.gen(function* () {
          const path = join(filename, "..", kind)
          const run_id = `${kind}/Report/${id}`
          yield* dossiers.export({ run_id }, { key, keyName: "audit" }, path)
          const { report } = yield* dossiers.verify(path, { trust })
          return { verdict: report.verdict, complete: report.complete, signers: report.signers }
        })
      )
    }).pipe(Effect.provide(services))
    const whole = { verdict: "PASS", complete: true, signers: ["audit"] } as const
    assert.deepStrictEqual(verdicts, [whole, whole, whole])
  })
)
