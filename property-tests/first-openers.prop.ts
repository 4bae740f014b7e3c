// Fifty real processes open one file that does not exist, all released by one word: a ledger, a corpus database and a
// cassette; and fifty openers of one process. Every one must succeed and find its own thing in the one store that was made; none may see a half-made schema
// or a lock that it gives up on.
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../application/ledger/ledger.ts"
import { firstOpeners } from "../infrastructure/testing/programs/first-openers.ts"
import { withLedger } from "../infrastructure/testing/programs/ledger-program.ts"
import { type StoreKind, type StoreName, storeKinds } from "../infrastructure/testing/store-kinds.ts"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"

const PROCESSES = 50
const OPENERS = 50

describe("first openers", () => {
  for (const name of Object.keys(storeKinds) as ReadonlyArray<StoreName>) {
    it.live(`fifty processes make one ${name}`, () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        const answers = yield* firstOpeners(name, file, PROCESSES, 1)
        assert.deepStrictEqual(
          answers,
          Array.from({ length: PROCESSES }, () => "done")
        )
        assert.strictEqual(yield* storeKinds[name].count(file), PROCESSES)
        if (name !== "ledger") return
        const report = yield* withLedger(
          { filename: file },
          Ledger.use((ledger) => ledger.verifyCassette())
        )
        assert.strictEqual(report.verdict, "PASS")
        assert.strictEqual(report.counts["events"], PROCESSES + 1)
      })
    )

    it.live(`fifty openers of one process make one ${name}`, () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        const { count, write }: StoreKind = storeKinds[name]
        yield* Effect.all(
          Array.from({ length: OPENERS }, (_, n) => write(file, n)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* count(file), OPENERS)
      })
    )
  }
})
