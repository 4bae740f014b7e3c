// Ports of a program's own over those of SQLite, one by one: each is what the ledger uses, and the others stay.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Hashing } from "../../application/foundation/hashing.ts"
import { Signing } from "../../application/foundation/signing.ts"
import { LedgerStore } from "../../application/ledger/commands/ledger-store.ts"
import { MerkleLog } from "../../application/ledger/proofs/merkle-log.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { LedgerEvidence } from "../../application/ledger/verification/ledger-evidence.ts"
import { RandomIds } from "../../application/ledger/thoughts/random-ids.ts"
import { Checkpoints, Ledger, SqliteLedger, Thoughts } from "./index.ts"

const sqlite = SqliteLedger.layer({ filename: ":memory:" })

/** Uses every port in some way. */
const everything = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { message_id } = yield* ledger.postMessage({ run_id: "r", source: "USER", payload: {} })
  yield* (yield* Thoughts).createThoughtRecord({ type: "plan", task_id: "t", agent_id: "a", content: "c" })
  yield* (yield* Checkpoints).proveInclusion({ position: 2 })
  const message = yield* ledger.message(message_id)
  return [message?.run_id, (yield* ledger.verifyCassette()).verdict]
})

/** A service whose functions and effects count how often they are used. */
const counted = <S extends object>(service: S, count: () => void): S =>
  new Proxy(service, {
    get: (target, name) => {
      count()
      return Reflect.get(target, name)
    }
  })

describe("Ledger.layerFrom", () => {
  it.effect.each([LedgerReader, LedgerStore, LedgerEvidence, MerkleLog, Hashing, Signing, RandomIds])(
    "takes a $key of the program's own",
    (port) =>
      Effect.gen(function* () {
        let used = 0
        // The seven tags are of seven types; what is wrapped is what stood there.
        const tag = port as unknown as typeof LedgerReader
        const own = Layer.effect(
          tag,
          Effect.map(tag, (service) => counted(service, () => (used += 1)))
        )
        const ledger = Ledger.layerFrom(Layer.provideMerge(own, sqlite))
        assert.deepStrictEqual(yield* Effect.provide(everything, ledger), ["r", "PASS"])
        assert.isAbove(used, 0)
      })
  )

  it.effect("ends its services with the scope", () =>
    Effect.gen(function* () {
      const ledger = yield* Effect.provide(Ledger, Ledger.layerFrom(sqlite))
      assert.strictEqual((yield* Effect.flip(ledger.head))._tag, "LedgerClosed")
    })
  )

  it.effect("refuses a queue that holds nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Ledger, Ledger.layerFrom(sqlite, { queueCapacity: 0 })))
      assert.strictEqual(error._tag, "InvalidInput")
    })
  )
})
