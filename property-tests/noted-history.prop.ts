// Histories against what was noted along the way: an honest history bears out every head and every checkpoint that was
// noted while it grew and verifies clean from every such point; an older state of it, a fork and a rebuilt database
// tell apart exactly what was noted before and after.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { Ledger } from "../application/ledger/ledger.ts"
import type { VerificationOptions } from "../application/ledger/verification/verification.ts"
import { Thoughts } from "../application/ledger/thoughts/thoughts.ts"
import { sqliteLedgerLayer } from "../infrastructure/ledger/sqlite-ledger.ts"
import { propParameters } from "./support/configuration.ts"
import { noted, type Noted, trustFor } from "./support/noted.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-noted-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newFile = (): string => join(folder, `${(files += 1)}.db`)

const trust = trustFor("one")

const services = (filename: string, mode: "write" | "read") =>
  Thoughts.layerNoDeps.pipe(
    Layer.provideMerge(Ledger.layerWith()),
    Layer.provideMerge(
      sqliteLedgerLayer({
        filename,
        mode,
        durability: "normal",
        ...(mode === "write" ? { ledgerId: "one" } : {})
      })
    )
  )

const runs = fc.constantFrom("r1", "r2", "r3")

const anyAct = fc.oneof(
  fc.record({ kind: fc.constant("post" as const), run: runs, n: fc.nat(9) }),
  fc.record({ kind: fc.constant("work" as const), run: runs, finish: fc.boolean() }),
  fc.record({ kind: fc.constant("think" as const), task: fc.constantFrom("t1", "t2"), n: fc.nat(9) })
)
type Act = typeof anyAct extends fc.Arbitrary<infer A> ? A : never

const perform = Effect.fnUntraced(function* (act: Act) {
  const ledger = yield* Ledger
  switch (act.kind) {
    case "post":
      return yield* ledger.postMessage({ run_id: act.run, source: "USER", payload: { n: act.n } })
    case "think":
      return yield* (yield* Thoughts).createThoughtRecord({
        type: "plan",
        task_id: act.task,
        agent_id: "a",
        content: `${act.n}`
      })
    case "work": {
      const claim = ledger.claimStep({ run_id: act.run, worker_id: "w", ttl_seconds: 3_600 })
      const step = yield* Effect.catchTag(claim, "NoPendingStep", () => Effect.succeed(undefined))
      if (step === undefined || !act.finish) return undefined
      const { fencing_token, step_id } = step
      return yield* ledger.completeStep({
        run_id: act.run,
        step_id,
        worker_id: "w",
        fencing_token,
        receipt_payload: {},
        outcome: "SUCCESS"
      })
    }
  }
})

/** Performs the acts and notes what the ledger is before them and after each. */
const grown = async (acts: ReadonlyArray<Act>, filename: string): Promise<ReadonlyArray<Noted>> => {
  const program = Effect.gen(function* () {
    const notes = [yield* noted]
    for (const act of acts) {
      yield* perform(act)
      notes.push(yield* noted)
    }
    return notes
  })
  return Effect.runPromise(program.pipe(Effect.provide(services(filename, "write"))))
}

const codes = (filename: string, all: ReadonlyArray<VerificationOptions>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(services(filename, "read"))
        const ledger = Context.get(context, Ledger)
        const reports = yield* Effect.forEach(all, (options) =>
          ledger.verifyCassette({ pure: true, ...options })
        )
        return reports.map(({ findings }) => findings.map(({ code }) => code))
      })
    )
  )

const against = ({ note, point }: Noted): ReadonlyArray<VerificationOptions> => [
  { expectHead: point },
  { since: point },
  { checkpoint: { note, trust } },
  { since: point, expectHead: point, checkpoint: { note, trust } }
]

const anyHistory = fc.array(anyAct, { minLength: 1, maxLength: 8 })

describe("what was noted while a history grew", () => {
  it("is borne out by it, and by a database that is rebuilt from its log", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (acts) => {
        const filename = newFile()
        const notes = await grown(acts, filename)
        const options = notes.flatMap(against)
        const clean = options.map(() => [])
        expect(await codes(filename, options)).toEqual(clean)
        const rebuilt = newFile()
        const rebuild = Ledger.use((ledger) => ledger.rebuild(rebuilt))
        await Effect.runPromise(rebuild.pipe(Effect.provide(services(filename, "read"))))
        expect(await codes(rebuilt, options)).toEqual(clean)
      }),
      propParameters(0.1)
    )
  })

  it("is refused by an older state and by a fork exactly where it came after", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyHistory, fc.boolean(), async (before, after, forked) => {
        const older = newFile()
        const first = await grown(before, older)
        const filename = newFile()
        copyFileSync(older, filename)
        const common = first.at(-1)!.point.position
        const later = (await grown(after, filename)).filter(({ point }) => point.position > common)
        // A fork goes on in another way, with as many events or more.
        const other: ReadonlyArray<Act> = Array.from({ length: forked ? 20 : 0 }, () => ({
          kind: "post",
          run: "r9" as "r1",
          n: 0
        }))
        await grown(other, older)
        expect(await codes(older, first.flatMap(against))).toEqual(first.flatMap(against).map(() => []))
        const refused = await codes(older, later.flatMap(against))
        for (const found of refused) expect(new Set(found)).toEqual(new Set(["HISTORY_REWRITTEN"]))
      }),
      propParameters(0.1)
    )
  })
})
