// Checkpoints and proofs as a host program makes and checks them: through the main entry point alone.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { onTestFinished, vi } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import {
  Checkpoints,
  formatProof,
  generateKeyFiles,
  Ledger,
  loadSigningKey,
  type TrustFile,
  verifyProof
} from "./index.ts"

const post = (n: number) =>
  Ledger.use((ledger) => ledger.postMessage({ run_id: "r", source: "USER", payload: { n } }))

const signer = Effect.gen(function* () {
  const file = join(temporaryFolder(), "key.pem")
  const { public_key } = yield* generateKeyFiles(file)
  const { ledgerId = "" } = yield* Ledger
  const trust: TrustFile = {
    keys: [{ name: "ops", public_key, scope: { ledgers: [ledgerId] }, enabled: true }]
  }
  return { options: { key: yield* loadSigningKey(file), keyName: "ops" }, trust }
})

/** Signs, goes on, signs again, and proves that the one continues the other. */
const program = Effect.gen(function* () {
  const checkpoints = yield* Checkpoints
  const { options, trust } = yield* signer
  yield* post(1)
  const older = yield* checkpoints.make(options)
  yield* post(2)
  const newer = yield* checkpoints.make(options)
  assert.strictEqual((yield* checkpoints.verify(older.note, trust)).log_size, 3)
  const consistency = yield* checkpoints.proveConsistency({
    oldCheckpoint: older.note,
    checkpoint: newer.note
  })
  const both = { checkpoints: [older.note, newer.note], trust }
  assert.strictEqual(
    (yield* verifyProof({ proof: formatProof(consistency), ...both })).proof.kind,
    "consistency"
  )
  const inclusion = yield* checkpoints.proveInclusion({ position: 2, checkpoint: older.note })
  assert.strictEqual(inclusion.size, 2)
  yield* verifyProof({ proof: formatProof(inclusion), checkpoints: [older.note], trust })
  const ledger = yield* Ledger
  const report = yield* ledger.verifyCassette({ checkpoint: { note: older.note, trust } })
  assert.strictEqual(report.verdict, "PASS")
})

const trees = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("cassette-merkle-"))

describe("Ledger.layer", () => {
  it.live("has checkpoints, and a tree beside the file only once a proof was made", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "l.db")
      yield* Effect.provide(post(0), Ledger.layer({ filename }))
      assert.isFalse(existsSync(`${filename}.merkle`))
      const other = join(temporaryFolder(), "l.db")
      yield* Effect.provide(program, Ledger.layer({ filename: other }))
      assert.isTrue(existsSync(`${other}.merkle`))
    })
  )

  it.live("has them in memory too, with a tree that vanishes with the scope", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      vi.stubEnv("TMPDIR", folder)
      onTestFinished(() => void vi.unstubAllEnvs())
      const counts = Effect.gen(function* () {
        const before = trees(folder).length
        yield* program
        return [before, trees(folder).length]
      })
      assert.deepStrictEqual(yield* Effect.provide(counts, Ledger.layer({ filename: ":memory:" })), [0, 1])
      assert.deepStrictEqual(trees(folder), [])
    })
  )

  it.live("refuses another ledger's note, and sizes that are not there", () =>
    Effect.gen(function* () {
      const foreign = yield* Effect.provide(
        Effect.gen(function* () {
          const { options } = yield* signer
          return yield* (yield* Checkpoints).make(options)
        }),
        Ledger.layer({ filename: ":memory:" })
      )
      const tags = yield* Effect.provide(
        Effect.gen(function* () {
          const { proveConsistency, proveInclusion } = yield* Checkpoints
          return yield* Effect.all(
            [
              Effect.asVoid(proveInclusion({ position: 1, checkpoint: foreign.note })),
              Effect.asVoid(proveConsistency({ oldCheckpoint: foreign.note })),
              Effect.asVoid(proveConsistency({ from: 1, checkpoint: foreign.note })),
              Effect.asVoid(proveConsistency({ from: 1, checkpoint: "x" })),
              Effect.asVoid(proveConsistency({}))
            ].map((proof) => Effect.map(Effect.flip(proof), ({ _tag }) => _tag))
          )
        }),
        Ledger.layer({ filename: ":memory:" })
      )
      const other = "CheckpointOfAnotherLedger"
      assert.deepStrictEqual(tags, [other, other, other, "NotACheckpoint", "InvalidInput"])
    })
  )
})
