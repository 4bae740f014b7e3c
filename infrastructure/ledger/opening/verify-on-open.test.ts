/**
 * How much is verified when a ledger opens: by default the newest thousand events, so that damage before them is
 * found by verification alone, and with `verifyOnOpen: "full"` everything.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { post, postMany, withLedger } from "../../testing/programs/ledger-program.ts"
import { tamper } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"

const EVENTS = 1_200

const kept = keptFolder()
const original = join(kept.folder, "a.db")
beforeAll(() => Effect.runPromise(withLedger({ filename: original }, postMany("r", EVENTS))))
afterAll(kept.remove)

/** A ledger of 1,201 events, with the one at `position` changed and its hash left as it was. */
const damagedAt = (position: number) =>
  Effect.sync(() => {
    const filename = join(temporaryFolder(), "a.db")
    copyFileSync(original, filename)
    tamper(filename, [
      `UPDATE events SET data = replace(data, 'USER', 'SYSTEM') WHERE position = ${position}`
    ])
    return filename
  })

const tagOfPost = post("r", EVENTS).pipe(
  Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "posted" })
)

const openedWith = (filename: string, verifyOnOpen: "recent" | "full") =>
  withLedger(
    { filename, verifyOnOpen },
    Effect.gen(function* () {
      const ledger = yield* Ledger
      return { fault: ledger.fault, posted: yield* tagOfPost, report: yield* ledger.verifyCassette() }
    })
  )

describe("verifyOnOpen", () => {
  it.live("full finds damage older than the newest thousand events and closes the ledger for writing", () =>
    Effect.gen(function* () {
      const filename = yield* damagedAt(50)
      const full = yield* openedWith(filename, "full")
      assert.deepInclude(full.fault, { code: "CHAIN_BROKEN", where: "event 50" })
      assert.strictEqual(full.posted, "StoreCorrupt")
      assert.strictEqual(full.report.verdict, "FAIL")
      assert.strictEqual(full.report.head.position, EVENTS + 1)
    })
  )

  it.live("recent does not look there, and verification does", () =>
    Effect.gen(function* () {
      const filename = yield* damagedAt(50)
      const recent = yield* openedWith(filename, "recent")
      assert.isUndefined(recent.fault)
      assert.strictEqual(recent.posted, "posted")
      assert.strictEqual(recent.report.verdict, "FAIL")
      assert.include(
        recent.report.findings.map(({ code, where }) => `${code} ${where}`),
        "CHAIN_BROKEN event 50"
      )
    })
  )

  it.live("recent looks at the newest thousand, to the first of them", () =>
    Effect.gen(function* () {
      const first = EVENTS + 1 - 1_000 + 1
      const inside = yield* openedWith(yield* damagedAt(first), "recent")
      assert.deepInclude(inside.fault, { code: "CHAIN_BROKEN", where: `event ${first}` })
      assert.strictEqual(inside.posted, "StoreCorrupt")
      const outside = yield* openedWith(yield* damagedAt(first - 1), "recent")
      assert.isUndefined(outside.fault)
    })
  )

  it.live("full finds what is wrong with the tables too", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* withLedger({ filename }, postMany("r", 3))
      tamper(filename, ["UPDATE cassette_jobs SET intent = 'mine' WHERE event_position = 2"])
      assert.isUndefined((yield* openedWith(filename, "recent")).fault)
      const { fault, posted } = yield* openedWith(filename, "full")
      assert.strictEqual(fault?.code, "ROW_DIFFERS")
      assert.strictEqual(posted, "StoreCorrupt")
    })
  )

  it.live("full lets an undamaged ledger work", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* withLedger({ filename }, postMany("r", 3))
      const { fault, posted, report } = yield* openedWith(filename, "full")
      assert.isUndefined(fault)
      assert.strictEqual(posted, "posted")
      assert.strictEqual(report.verdict, "PASS")
    })
  )
})
