// Fifty real processes open one file that does not exist, all released by one word. Every one must succeed and see
// the same ledger, which was created once; none may find a half-made schema or a lock that it gives up on.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../application/ledger/ledger.ts"
import { startChild } from "../infrastructure/testing/child-process.ts"
import { withLedger } from "../infrastructure/testing/ledger-program.ts"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"

const PROCESSES = 50
const STARTED_AT_ONCE = 4

describe("first openers", () => {
  it.live("fifty processes make one ledger", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "new.db")
      const children = yield* Effect.forEach(
        Array.from({ length: PROCESSES }, (_, n) => n),
        () =>
          Effect.promise(async () => {
            const child = startChild([filename, "1"], { script: "opener" })
            assert.strictEqual(await child.line(), "ready")
            return child
          }),
        { concurrency: STARTED_AT_ONCE }
      )
      assert.isFalse(existsSync(filename))
      for (const child of children) child.send("go")
      const answers = yield* Effect.promise(() => Promise.all(children.map((child) => child.line())))
      const ids = answers.map((answer) => JSON.stringify((answer as { value?: unknown }).value ?? answer))
      const report = yield* withLedger(
        { filename },
        Ledger.use((ledger) => ledger.verifyCassette())
      )
      assert.strictEqual(new Set(ids).size, 1, ids.join("\n"))
      assert.strictEqual(report.verdict, "PASS")
      assert.strictEqual(report.counts["events"], 1)
    })
  )
})
