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
  SigningFailed,
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

describe("a key in another machine", () => {
  it.live("takes its time, while the ledger goes on, and may refuse", () =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints
      const { options, trust } = yield* signer
      const { publicKey } = options.key
      yield* post(1)
      // As the client of a key service: a promise that comes later.
      const sign = async (message: Uint8Array) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return Effect.runPromise(options.key.sign(message) as Effect.Effect<Uint8Array>)
      }
      const [made] = yield* Effect.all(
        [checkpoints.make({ key: { publicKey, sign }, keyName: "ops" }), post(2)],
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* checkpoints.verify(made.note, trust)).log_size, 3)
      const refusals = [
        () => Promise.reject(new Error("the vault is sealed")),
        () => Effect.fail(new SigningFailed({ reason: "the vault is sealed" }))
      ]
      for (const refusing of refusals) {
        const error = yield* Effect.flip(
          checkpoints.make({ key: { publicKey, sign: refusing }, keyName: "ops" })
        )
        assert.strictEqual(error._tag, "SigningFailed")
        assert.include(error.message, "the vault is sealed")
      }
    }).pipe(Effect.provide(Ledger.layer({ filename: ":memory:" })))
  )
})

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

  it.live("refuses what it would have to guess, and never says more than it has checked", () =>
    Effect.gen(function* () {
      const tags = Effect.gen(function* () {
        const { options, trust } = yield* signer
        const checkpoints = yield* Checkpoints
        const ledger = yield* Ledger
        const { note } = yield* checkpoints.make(options)
        const [key] = trust.keys
        const proof = formatProof(yield* checkpoints.proveInclusion({ position: 1, checkpoint: note }))
        const calls: ReadonlyArray<readonly [unknown, (input: never) => Effect.Effect<unknown, unknown>]> = [
          // Options of a verification: none of these may quietly check less.
          ...[
            { expecthead: yield* ledger.head },
            { rungs: [] },
            { rungs: ["chian"] },
            { rungs: "chain" },
            { now: "tomorrow" },
            { now: 5 },
            { pure: "false" },
            { runId: "" },
            { runId: "\ud800" },
            { run_id: "r" },
            { since: 1 },
            { since: { position: Number.NaN, hash: "0".repeat(64) } },
            { expectHead: { position: 1, hash: "A".repeat(64) } },
            { checkpoint: note },
            { checkpoint: { note } },
            { checkpoint: { note, trust: { keys: [{ ...key, enabled: "false" }] } } }
          ].map((input) => [input, ledger.verifyCassette] as const),
          // Whom to believe: a key is on, for a list of ledgers, once, or it is no entry.
          ...[
            undefined,
            null,
            { keys: key },
            { keys: [null] },
            { keys: [{ ...key, enabled: "false" }] },
            { keys: [{ ...key, enabled: 1 }] },
            { keys: [{ ...key, scope: { ledgers: `${ledger.ledgerId}-and-another` } }] },
            { keys: [{ ...key, scope: undefined }] },
            { keys: [{ ...key, public_key: "" }] },
            { keys: [key, key] },
            { keys: [{ ...key, scopes: [] }] }
          ].flatMap((whom) => [
            [whom, (input: never) => checkpoints.verify(note, input)] as const,
            [{ proof, checkpoints: [note], trust: whom }, verifyProof] as const
          ]),
          ...[undefined, null, 5, {}, new Uint8Array(3)].flatMap((wrong) => [
            [wrong, (input: never) => checkpoints.verify(input, trust)] as const,
            [wrong, checkpoints.make] as const,
            [{ key: wrong }, checkpoints.make] as const,
            [wrong, checkpoints.proveInclusion] as const,
            [wrong, verifyProof] as const,
            [{ proof: wrong, checkpoints: [note], trust }, verifyProof] as const,
            [{ proof, checkpoints: wrong, trust }, verifyProof] as const,
            [wrong, ledger.rebuild] as const,
            [wrong, ledger.backup] as const
          ]),
          ...[null, 5, {}].flatMap((wrong) => [
            [{ position: 1, checkpoint: wrong }, checkpoints.proveInclusion] as const,
            [{ from: 1, oldCheckpoint: wrong }, checkpoints.proveConsistency] as const,
            [{ ...options, keyName: wrong }, checkpoints.make] as const
          ]),
          // A signer that is not what it says: its note would verify nowhere.
          ...[new Uint8Array(3), new Uint8Array(64)].map(
            (signature) =>
              [
                { key: { publicKey: options.key.publicKey, sign: () => Effect.succeed(signature) } },
                checkpoints.make
              ] as const
          ),
          // A signer whose answer comes in no way that is known, and one that gives no bytes.
          ...[new Uint8Array(64), undefined, Effect.succeed("text"), Promise.resolve("text")].map(
            (answer) =>
              [{ key: { publicKey: options.key.publicKey, sign: () => answer } }, checkpoints.make] as const
          ),
          // Keys that anybody could sign for (of small order), and one that is not the signer's.
          ...[[], [1], [9]].map((start) => {
            const publicKey = new Uint8Array(32)
            publicKey.set(start)
            return [{ key: { publicKey, sign: options.key.sign } }, checkpoints.make] as const
          })
        ]
        return yield* Effect.forEach(calls, ([input, call]) =>
          call(input as never).pipe(
            Effect.as("accepted"),
            Effect.catchDefect((defect) => Effect.succeed(`defect: ${String(defect)}`)),
            Effect.catch((error) => Effect.succeed((error as { readonly _tag: string })._tag)),
            Effect.map((tag) => `${JSON.stringify(input)?.slice(0, 200)} ${tag}`)
          )
        )
      })
      for (const tag of yield* Effect.provide(tags, Ledger.layer({ filename: ":memory:" }))) {
        assert.match(tag, / InvalidInput$/)
      }
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
