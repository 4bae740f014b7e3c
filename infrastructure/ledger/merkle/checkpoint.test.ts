// Checkpoints and proofs of real ledgers: made, checked by plain node:crypto and by ourselves, and held against histories
// that were changed behind the program's back in every way.
import { createPublicKey, generateKeyPairSync, hash, verify } from "node:crypto"
import { copyFileSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { MerkleLog } from "../../../application/ledger/proofs/merkle-log.ts"
import { makeCheckpoint, verifyCheckpoint } from "../../../application/ledger/proofs/checkpoint.ts"
import { LedgerReader } from "../../../application/ledger/reading/ledger-reader.ts"
import { verifyProof } from "../../../application/ledger/proofs/proof-verification.ts"
import { proveConsistency, proveInclusion } from "../../../application/ledger/proofs/proofs.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { RewriteReason } from "../../../domain/evidence/checkpoint-errors.ts"
import { parseCheckpoint } from "../../../domain/evidence/checkpoint.ts"
import { formatProof, type InclusionProof } from "../../../domain/evidence/proof.ts"
import { naiveRoot } from "../../../domain/evidence/testing/naive-merkle.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import { nodeSigningLayer } from "../../keys/ed25519.ts"
import { generateKeyFiles, loadSigningKey } from "../../keys/key-files.ts"
import { chainedEvents, inputsOf, merkleOver } from "../../testing/merkle-events.ts"
import { makeLedgerFile, postMany, withLedger } from "../../testing/programs/ledger-program.ts"
import { rechain, tamper } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { merkleFileLayer } from "./merkle-file-log.ts"
import { sqliteLedgerLayer } from "../sqlite-ledger.ts"

const EVENTS = 10

const ports = (filename: string) =>
  merkleFileLayer(filename).pipe(
    Layer.provideMerge(sqliteLedgerLayer({ filename, mode: "read" })),
    Layer.provideMerge(nodeSigningLayer)
  )

const allEvents = LedgerReader.use((reader) => reader.events(0, 1_000))

/** A key in a folder, with a trust file for some ledgers. */
const keyIn = (folder: string, ...ledgers: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = join(folder, "key.pem")
    const { public_key } = yield* generateKeyFiles(file)
    const trust: TrustFile = { keys: [{ name: "ops", public_key, scope: { ledgers }, enabled: true }] }
    return { key: yield* loadSigningKey(file), trust, public_key }
  })

const onFile =
  (filename: string) =>
  <A, E>(program: Effect.Effect<A, E, Layer.Success<ReturnType<typeof ports>>>) =>
    Effect.provide(program, ports(filename))

/** A new closed ledger file with ten events, its id, a trusted key and a checkpoint over all of it. */
const made = Effect.fnUntraced(function* (folder: string) {
  const filename = join(folder, "l.db")
  yield* makeLedgerFile(filename)
  const ledgerId =
    (yield* withLedger(
      { filename },
      Ledger.use(({ ledgerId }) => Effect.succeed(ledgerId))
    )) ?? ""
  const signer = yield* keyIn(folder, ledgerId)
  const on = onFile(filename)
  const checkpoint = yield* on(makeCheckpoint({ key: signer.key, keyName: "ops" }))
  return { filename, ledgerId, on, checkpoint, ...signer }
})

const kept = keptFolder()
let original: Effect.Success<ReturnType<typeof made>>
beforeAll(async () => {
  original = await Effect.runPromise(made(kept.folder))
})
afterAll(kept.remove)

/** A copy of one that was made once. */
const fixture = Effect.sync(() => {
  const filename = join(temporaryFolder(), "l.db")
  copyFileSync(original.filename, filename)
  return { ...original, filename, on: onFile(filename) }
})

/** One of another ledger. */
const another = Effect.suspend(() => made(temporaryFolder()))

describe("a checkpoint", () => {
  it.live("is a note that plain node:crypto takes, over the events' hashes", () =>
    Effect.gen(function* () {
      const { checkpoint, ledgerId, on, public_key } = yield* fixture
      const events = yield* on(allEvents)
      const root = Buffer.from(naiveRoot(inputsOf(events)))
      assert.strictEqual(events.length, EVENTS)
      const [text = "", signatures = ""] = checkpoint.note.split(/(?<=\n)\n/)
      assert.strictEqual(text, `cassette/${ledgerId}\n${EVENTS}\n${root.toString("base64")}\n`)
      const [, name = "", encoded = ""] = /^— (\S+) (\S+)\n$/.exec(signatures) ?? []
      const bytes = Buffer.from(encoded, "base64")
      const publicKey = createPublicKey(public_key)
      const raw = publicKey.export({ format: "der", type: "spki" }).subarray(12)
      assert.strictEqual(name, "ops")
      assert.strictEqual(bytes.length, 68)
      const keyHash = hash("sha256", Buffer.concat([Buffer.from("ops\n\u0001"), raw]), "buffer").subarray(
        0,
        4
      )
      assert.isTrue(bytes.subarray(0, 4).equals(keyHash))
      assert.isTrue(verify(null, Buffer.from(text), publicKey, bytes.subarray(4)))
      assert.deepStrictEqual(
        { ...checkpoint, note: "" },
        {
          note: "",
          origin: `cassette/${ledgerId}`,
          size: EVENTS,
          root: root.toString("hex"),
          key_name: "ops"
        }
      )
    })
  )

  it.live("is the same bytes each time, and leaves no file beside the ledger", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, key, on } = yield* fixture
      assert.deepStrictEqual(yield* on(makeCheckpoint({ key, keyName: "ops" })), checkpoint)
      assert.isFalse(existsSync(`${filename}.merkle`))
    })
  )

  it.live("names its key after the origin unless told otherwise", () =>
    Effect.gen(function* () {
      const { key, ledgerId, on } = yield* fixture
      assert.strictEqual((yield* on(makeCheckpoint({ key }))).key_name, `cassette/${ledgerId}`)
      const error = yield* Effect.flip(on(makeCheckpoint({ key, keyName: "two words" })))
      assert.strictEqual(error._tag, "InvalidKeyName")
    })
  )

  it.live("is not signed when the chain does not hold", () =>
    Effect.gen(function* () {
      const { filename, key, on } = yield* fixture
      tamper(filename, ["UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = 3"])
      const error = yield* Effect.flip(on(makeCheckpoint({ key, keyName: "ops" })))
      assert.deepInclude(error, { _tag: "StoreCorrupt", code: "CHAIN_BROKEN", where: "event 3" })
    })
  )

  it.live("is not signed when the head says more than there is", () =>
    Effect.gen(function* () {
      const { filename, key, on } = yield* fixture
      tamper(filename, ["DELETE FROM events WHERE position > 8"])
      const error = yield* Effect.flip(on(makeCheckpoint({ key, keyName: "ops" })))
      assert.deepInclude(error, { _tag: "StoreCorrupt", code: "HEAD_MISMATCH" })
    })
  )
})

describe("a checkpoint held against its ledger", () => {
  it.live("holds now and after the ledger has grown", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, on, trust } = yield* fixture
      const { note, origin, root, size } = checkpoint
      const expected = { origin, size, root, signers: ["ops"] }
      assert.deepStrictEqual(yield* on(verifyCheckpoint(note, trust)), { ...expected, log_size: EVENTS })
      yield* withLedger({ filename }, postMany("later", 1_200))
      const grown = { ...expected, log_size: EVENTS + 1_200 }
      assert.deepStrictEqual(yield* on(verifyCheckpoint(note, trust)), grown)
    })
  )

  const rewrites: ReadonlyArray<readonly [string, (database: Database.Database) => void, RewriteReason]> = [
    [
      "an old event changed and the chain mended to the end",
      (database) => {
        database.exec("UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = 3")
        rechain(database)
      },
      "root_differs"
    ],
    [
      "an old event changed with its hash, the chain left broken",
      (database) => database.exec(`UPDATE events SET hash = '${"ab".repeat(32)}' WHERE position = 3`),
      "root_differs"
    ],
    [
      "the newest event changed",
      (database) => {
        database.exec(`UPDATE events SET recorded_at = '2026-11-28T00:00:00.000Z' WHERE position = ${EVENTS}`)
        rechain(database)
      },
      "root_differs"
    ],
    [
      "the tail cut and the head moved",
      (database) => {
        database.exec("DELETE FROM events WHERE position > 8")
        rechain(database)
      },
      "cut"
    ],
    [
      "events cut below the head",
      (database) => database.exec(`DELETE FROM events WHERE position = ${EVENTS}`),
      "root_differs"
    ],
    [
      "an event taken out in the middle",
      (database) => database.exec("DELETE FROM events WHERE position = 5"),
      "root_differs"
    ]
  ]

  it.live.each(rewrites)("does not hold with %s", ([, change, reason]) =>
    Effect.gen(function* () {
      const { checkpoint, filename, on, trust } = yield* fixture
      // A tree of the old history beside the ledger must not vouch for it.
      yield* on(proveConsistency({ from: 1 }))
      tamper(filename, change)
      const error = yield* Effect.flip(on(verifyCheckpoint(checkpoint.note, trust)))
      assert.deepInclude(error, { _tag: "HistoryRewritten", reason, size: EVENTS, root: checkpoint.root })
    })
  )

  it.live("finds events changed under hashes that were left", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, on, trust } = yield* fixture
      tamper(filename, ["UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = 3"])
      const error = yield* Effect.flip(on(verifyCheckpoint(checkpoint.note, trust)))
      assert.deepInclude(error, { _tag: "StoreCorrupt", code: "CHAIN_BROKEN", where: "event 3" })
    })
  )

  it.live("is another ledger's, no matter who of the trusted signed it", () =>
    Effect.gen(function* () {
      const here = yield* fixture
      const there = yield* another
      const other = yield* there.on(makeCheckpoint({ key: here.key, keyName: "ops" }))
      const both: TrustFile = {
        keys: [{ ...here.trust.keys[0]!, scope: { ledgers: [here.ledgerId, there.ledgerId] } }]
      }
      for (const trust of [here.trust, both]) {
        const error = yield* Effect.flip(here.on(verifyCheckpoint(other.note, trust)))
        assert.deepInclude(error, {
          _tag: "CheckpointOfAnotherLedger",
          expected: `cassette/${here.ledgerId}`,
          actual: `cassette/${there.ledgerId}`
        })
      }
    })
  )

  it.live("is not looked at without a trusted signature", () =>
    Effect.gen(function* () {
      const { checkpoint, key, ledgerId, on, trust } = yield* fixture
      const stranger = yield* keyIn(temporaryFolder(), ledgerId)
      const reasonOf = (note: string, trust: TrustFile) =>
        Effect.map(Effect.flip(on(verifyCheckpoint(note, trust))), (error) =>
          error._tag === "CheckpointUntrusted" ? error.reason : error._tag
        )
      assert.strictEqual(yield* reasonOf(checkpoint.note, stranger.trust), "unknown_key")
      assert.strictEqual(yield* reasonOf(checkpoint.note, { keys: [] }), "unknown_key")
      const unnamed = (yield* on(makeCheckpoint({ key }))).note
      assert.strictEqual(yield* reasonOf(unnamed, trust), "unknown_key")
      const disabled: TrustFile = { keys: [{ ...trust.keys[0]!, enabled: false }] }
      assert.strictEqual(yield* reasonOf(checkpoint.note, disabled), "key_disabled")
      const elsewhere: TrustFile = { keys: [{ ...trust.keys[0]!, scope: { ledgers: ["other"] } }] }
      assert.strictEqual(yield* reasonOf(checkpoint.note, elsewhere), "key_out_of_scope")
      const grown = checkpoint.note.replace(`\n${EVENTS}\n`, "\n9\n")
      assert.strictEqual(yield* reasonOf(grown, trust), "wrong_signature")
      assert.strictEqual(yield* reasonOf(checkpoint.note.replace("— ops ", "— "), trust), "NotACheckpoint")
    })
  )
})

describe("proofs of a ledger", () => {
  it.live("every event is shown to be in it, and every older checkpoint to begin it", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, key, on, trust } = yield* fixture
      yield* withLedger({ filename }, postMany("later", 5))
      const size = EVENTS + 5
      yield* on(
        Effect.gen(function* () {
          const newer = yield* makeCheckpoint({ key, keyName: "ops" })
          const events = yield* allEvents
          for (let position = 1; position <= size; position++) {
            const proof = yield* proveInclusion({ position })
            assert.strictEqual(proof.hash, events[position - 1]!.hash)
            const verified = yield* verifyProof({
              proof: formatProof(proof),
              checkpoints: [newer.note],
              trust
            })
            assert.deepStrictEqual(verified, { proof, origin: newer.origin, signers: [["ops"]] })
          }
          const proof = formatProof(yield* proveConsistency({ from: EVENTS }))
          for (const checkpoints of [
            [checkpoint.note, newer.note],
            [newer.note, checkpoint.note]
          ]) {
            const verified = yield* verifyProof({ proof: `${proof}\n`, checkpoints, trust })
            assert.deepStrictEqual(verified.signers, [["ops"], ["ops"]])
          }
        })
      )
    })
  )

  it.live("need positions and sizes that exist", () =>
    Effect.gen(function* () {
      const { on } = yield* fixture
      const refusals = [
        Effect.flip(proveInclusion({ position: 0 })),
        Effect.flip(proveInclusion({ position: EVENTS + 1 })),
        Effect.flip(proveInclusion({ position: 1.5 })),
        Effect.flip(proveInclusion({ position: 9, size: 8 })),
        Effect.flip(proveInclusion({ position: 1, size: EVENTS + 1 })),
        Effect.flip(proveConsistency({ from: 0 })),
        Effect.flip(proveConsistency({ from: 9, to: 8 })),
        Effect.flip(proveConsistency({ from: 1, to: EVENTS + 1 })),
        Effect.flip(proveConsistency({ from: Number.NaN }))
      ]
      const tags: Array<string> = []
      yield* on(
        Effect.gen(function* () {
          for (const refusal of refusals) tags.push((yield* refusal)._tag)
        })
      )
      assert.strictEqual(tags.length, refusals.length)
      assert.deepStrictEqual(new Set(tags), new Set(["InvalidInput"]))
    })
  )

  it.live("are made for a checkpoint, and from a new tree when the one that is there does not fit it", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, on } = yield* fixture
      const body = Result.getOrThrow(parseCheckpoint(checkpoint.note))
      const right = yield* on(proveConsistency({ from: 4 }))
      const events = yield* on(allEvents)
      // A tree with invented leaves and the newest event: it is whole, and only a checkpoint shows that it is false.
      const falseTree = Effect.provide(
        MerkleLog.use((merkle) => merkle.rebuild(EVENTS)),
        merkleOver(filename, { events: [...chainedEvents(EVENTS - 1, "b"), events[EVENTS - 1]!], read: 0 })
      )
      yield* falseTree
      assert.notDeepEqual(yield* on(proveConsistency({ from: 4 })), right)
      assert.deepStrictEqual(yield* on(proveConsistency({ from: 4, checkpoints: [body] })), right)
      assert.deepStrictEqual(yield* on(proveConsistency({ from: 4 })), right)
      yield* falseTree
      assert.strictEqual((yield* on(proveInclusion({ position: 2, checkpoint: body }))).size, EVENTS)
      tamper(filename, (database) => {
        database.exec("UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = 3")
        rechain(database)
      })
      for (const refusal of [
        on(Effect.flip(proveConsistency({ from: 4, checkpoints: [body] }))),
        on(Effect.flip(proveInclusion({ position: 2, checkpoint: body })))
      ]) {
        assert.deepInclude(yield* refusal, {
          _tag: "HistoryRewritten",
          reason: "root_differs"
        })
      }
      tamper(filename, (database) => {
        database.exec("DELETE FROM events WHERE position > 6")
        rechain(database)
      })
      for (const refusal of [
        on(Effect.flip(proveConsistency({ from: EVENTS, checkpoints: [body] }))),
        on(Effect.flip(proveInclusion({ position: 2, checkpoint: body })))
      ]) {
        assert.deepInclude(yield* refusal, { _tag: "HistoryRewritten", reason: "cut" })
      }
    })
  )

  it.live("are refused by anyone who verifies them against other checkpoints", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, key, ledgerId, on, trust } = yield* fixture
      yield* withLedger({ filename }, postMany("later", 5))
      const newer = yield* on(makeCheckpoint({ key, keyName: "ops" }))
      const inclusion = yield* on(proveInclusion({ position: 2 }))
      const consistency = formatProof(yield* on(proveConsistency({ from: EVENTS })))
      const tagOf = (proof: string, checkpoints: ReadonlyArray<string>, trusted = trust) =>
        verifyProof({ proof, checkpoints, trust: trusted }).pipe(
          Effect.provide(nodeSigningLayer),
          Effect.flip,
          Effect.map((error) => ("reason" in error ? `${error._tag} ${error.reason}` : error._tag))
        )
      const wrong: InclusionProof = { ...inclusion, index: 2 }
      assert.strictEqual(yield* tagOf(formatProof(inclusion), [checkpoint.note]), "ProofRefused size_differs")
      assert.strictEqual(yield* tagOf(formatProof(wrong), [newer.note]), "ProofRefused root_differs")
      assert.strictEqual(yield* tagOf(formatProof(inclusion), []), "InvalidInput")
      assert.strictEqual(yield* tagOf(formatProof(inclusion), [newer.note, newer.note]), "InvalidInput")
      assert.strictEqual(yield* tagOf(consistency, [newer.note]), "InvalidInput")
      assert.strictEqual(yield* tagOf(consistency, [checkpoint.note, newer.note, newer.note]), "InvalidInput")
      assert.strictEqual(yield* tagOf(consistency, [newer.note, newer.note]), "ProofRefused size_differs")
      const lost = consistency.replace(/"[0-9a-f]{64}",/, "")
      assert.strictEqual(yield* tagOf(lost, [checkpoint.note, newer.note]), "HistoryRewritten proof_fails")
      assert.include(yield* tagOf(`${consistency} `, [checkpoint.note, newer.note]), "NotAProof")
      assert.strictEqual(
        yield* tagOf(consistency, [checkpoint.note, newer.note], { keys: [] }),
        "CheckpointUntrusted unknown_key"
      )

      const there = yield* another
      const other = yield* there.on(makeCheckpoint({ key, keyName: "ops" }))
      const both: TrustFile = {
        keys: [{ ...trust.keys[0]!, scope: { ledgers: [ledgerId, there.ledgerId] } }]
      }
      assert.strictEqual(
        yield* tagOf(consistency, [other.note, newer.note], both),
        "CheckpointOfAnotherLedger"
      )
    })
  )

  it.live("show a fork: two histories that were both signed", () =>
    Effect.gen(function* () {
      const { checkpoint, filename, key, on, trust } = yield* fixture
      tamper(filename, (database) => {
        database.exec("UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = 3")
        rechain(database)
      })
      yield* withLedger({ filename }, Effect.void)
      const forged = yield* on(makeCheckpoint({ key, keyName: "ops" }))
      assert.strictEqual(forged.size, EVENTS)
      const proof = formatProof(yield* on(proveConsistency({ from: EVENTS, to: EVENTS })))
      const error = yield* Effect.flip(
        on(verifyProof({ proof, checkpoints: [checkpoint.note, forged.note], trust }))
      )
      assert.deepInclude(error, { _tag: "HistoryRewritten", reason: "root_differs" })
    })
  )
})

describe("the tree's file", () => {
  it.live("is no part of a backup", () =>
    Effect.gen(function* () {
      const { filename, on } = yield* fixture
      yield* on(proveConsistency({ from: 1 }))
      assert.isTrue(existsSync(`${filename}.merkle`))
      const folder = temporaryFolder()
      yield* withLedger(
        { filename },
        Ledger.use((ledger) => ledger.backup(join(folder, "copy.db")))
      )
      assert.deepStrictEqual(readdirSync(folder), ["copy.db"])
    })
  )
})

describe("a first event that names no ledger", () => {
  it.live("leaves nothing to sign", () =>
    Effect.gen(function* () {
      const { filename, on } = yield* fixture
      tamper(filename, ["UPDATE events SET type = 'StepClaimed' WHERE position = 1"])
      const { privateKey } = generateKeyPairSync("ed25519")
      const key = {
        publicKey: new Uint8Array(32).fill(9),
        sign: () => Effect.succeed(new Uint8Array(privateKey.asymmetricKeyType!.length))
      }
      const error = yield* Effect.flip(on(makeCheckpoint({ key })))
      assert.deepInclude(error, { _tag: "StoreCorrupt", where: "event 1" })
    })
  )
})
