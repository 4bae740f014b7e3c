// The other side of the tampering campaigns: an honest history is never accused. Eight real processes write one ledger
// at once, each on a clock that jumps by days both ways between its commands, and verification has nothing to say.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { withLedger } from "../infrastructure/testing/ledgers.ts"
import { startChild } from "./support/processes/child-process.ts"
import { propRuns, propSeed } from "./support/configuration.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-honest-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROCESSES = 8
const COMMANDS = 8

const rounds = Array.from({ length: Math.max(1, Math.round(propRuns / 200)) }, (_, index) => index + 1)

describe("eight processes on one ledger, on clocks that jump", () => {
  it.each(rounds)("leave a history without a finding (round %i)", async (round) => {
    const filename = join(folder, `${round}.db`)
    const children = Array.from({ length: PROCESSES }, (_, index) =>
      startChild("jump", filename, `${propSeed}.${round}.${index}`, COMMANDS)
    )
    try {
      for (const child of children) {
        const { how, stderr } = await child.ended
        expect(how, stderr).toBe(0)
        expect(child.told.at(-1)?.did).toBe("end")
      }
    } finally {
      for (const child of children) child.kill()
    }
    const { counts, findings, verdict } = await Effect.runPromise(
      withLedger({ filename, mode: "read" }, (ledger) => ledger.verifyCassette({ pure: true }))
    )
    console.log(
      `honest histories: ${counts["events"]} events of ${PROCESSES} processes, ${findings.length} false alarms`
    )
    expect({ verdict, findings }).toEqual({ verdict: "PASS", findings: [] })
    expect(counts["cassette_messages"]).toBe(PROCESSES * COMMANDS)
    expect(counts["events"]).toBeGreaterThan(2 * PROCESSES * COMMANDS)
  })
})
