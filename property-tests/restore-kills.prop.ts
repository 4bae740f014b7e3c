// A restore is killed before each of its steps in the file system, in turn. Whenever that is, the ledger is the old one or the
// restored one, whole; what was replaced is still there; a writer is told what is to be done; and the restore, run again, ends.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  contentsBeside,
  damageWithLog,
  headOf,
  leaveLog,
  ledgerWithBackup,
  restoreInChild
} from "../infrastructure/testing/restoring.ts"
import { post, withLedger } from "../infrastructure/testing/programs/ledger-program.ts"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"
import { restoreLedger } from "../infrastructure/ledger/copies/ledger-restore.ts"
import { propRuns, propSeed } from "./support/configuration.ts"

const states = {
  "a ledger with a log": leaveLog,
  "a damaged ledger": async (filename: string) => damageWithLog(filename)
}

/** With fewer runs than all steps need, some are left out, others with each seed. */
const STRIDE = Math.max(1, Math.round(200 / propRuns))

const killedBefore = async (dieBefore: number, state: keyof typeof states, hardLinks: boolean) => {
  const { backup, before, filename } = await Effect.runPromise(ledgerWithBackup(temporaryFolder()))
  await states[state](filename)
  const isSound = state === "a ledger with a log"
  const old = isSound ? await Effect.runPromise(headOf(filename)) : undefined
  const contents = contentsBeside(filename)
  const options = { backup, filename, discardNewer: true }
  const died = (await restoreInChild({ ...options, hardLinks, dieBefore })) === "died"
  // The file stands, and is one of the two.
  expect(existsSync(filename)).toBe(true)
  const left = contentsBeside(filename)
  if (isSound) expect([old, before]).toContainEqual(await Effect.runPromise(headOf(filename)))
  else for (const content of contents) expect(left).toContain(content)
  const written = await Effect.runPromise(Effect.result(withLedger({ filename }, post("after", 1))))
  if (isSound && written._tag === "Failure") {
    expect(written.failure).toMatchObject({ _tag: "UnsafePlace", code: "SEVERAL_NAMES" })
    expect(written.failure.message).toContain(`a restore that was killed left ${filename}.replaced-`)
  }
  // Once more, and to its end.
  const { kept } = await Effect.runPromise(restoreLedger(options))
  expect(await Effect.runPromise(headOf(filename))).toEqual(before)
  for (const name of kept) expect(existsSync(name)).toBe(true)
  const held = contentsBeside(filename)
  if (!isSound) for (const content of contents) expect(held).toContain(content)
  await Effect.runPromise(withLedger({ filename }, post("later", 1)))
  return died
}

describe.each(Object.keys(states) as ReadonlyArray<keyof typeof states>)("of %s", (state) => {
  it.each([true, false])("a restore may be killed before each step (hard links: %s)", async (hardLinks) => {
    let step = 1 + (Math.abs(propSeed) % STRIDE)
    while (await killedBefore(step, state, hardLinks)) step += STRIDE
    // A draft, a second name, a name: fewer steps would be another way of doing it, which is to be looked at.
    expect(step).toBeGreaterThan(8)
  })
})
