// Many runs in workerd, a ledger each: every step is claimed once by many workers, and the fleet finds the object that was wiped.
import { createPublicKey } from "node:crypto"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { AUDIT_KEY } from "../../interfaces/durable-objects/testing/audit-key.ts"
import { describeInWorkerd } from "../../interfaces/durable-objects/testing/describe-workerd.ts"
import type { Verdict } from "./fleet.ts"
import { claimAll, postSteps, sender } from "./testing/claiming.ts"

const RUNS = 12
const STEPS = 5
const WORKERS = 16

describeInWorkerd(
  "runs with a ledger each",
  (running) => {
    const send = <A>(path: string) => sender(running.workerd().address)<A>(path)
    const post = (run_id: string) => postSteps(running.workerd().address, run_id, STEPS)
    const failing = async () =>
      (await send<ReadonlyArray<Verdict>>("/fleet"))
        .filter(({ verdict }) => verdict === "FAIL")
        .map(({ run_id }) => run_id)
    const fleet = <A>(method: string) => running.workerd().ask<A>("FLEET", "fleet", method)

    it("every step is claimed once, by many workers at a time", async () => {
      const runs = Array.from({ length: RUNS }, (_, n) => `run-${n}`)
      for (const { ok } of await Promise.all(runs.map(post))) expect(ok).toBe(true)
      const claimed = await claimAll(running.workerd().address, WORKERS)
      expect(claimed.length).toBe(RUNS * STEPS)
      expect(new Set(claimed).size).toBe(claimed.length)
    })

    it("the fleet passes what is whole, and finds what was wiped and used again", async () => {
      expect(await fleet<number>("noteAll")).toBe(RUNS)
      const whole = await send<ReadonlyArray<Verdict>>("/fleet")
      expect(whole.map(({ verdict }) => verdict)).toEqual(Array.from({ length: RUNS }, () => "PASS"))
      await running
        .workerd()
        .ask("RUN", "run-1", "wipe")
        .catch(() => undefined)
      await running.kill()
      await running.start()
      expect((await post("run-1")).ok).toBe(true)
      expect(await running.workerd().ask("RUN", "run-1", "verify")).toMatchObject({
        ok: true,
        data: { verdict: "PASS" }
      })
      const failed = (await send<ReadonlyArray<Verdict>>("/fleet")).filter(
        ({ verdict }) => verdict === "FAIL"
      )
      expect(failed.map(({ run_id }) => run_id)).toEqual(["run-1"])
      expect(failed[0]?.findings.join()).toContain("HISTORY_REWRITTEN")
      // What is noted later forgives nothing.
      expect(await fleet<number>("noteAll")).toBe(RUNS - 1)
      expect(await failing()).toEqual(["run-1"])
      // The notes are a ledger, and verify as one.
      expect(await fleet("verify")).toMatchObject({ ok: true, data: { verdict: "PASS" } })
    })

    it("one signed checkpoint covers the heads of all runs", async () => {
      const { data } = await send<{ readonly data: { readonly note: string; readonly size: number } }>(
        "/checkpoint"
      )
      expect(data.size).toBe(RUNS + 1)
      const name = "cassette/fleet"
      const public_key = createPublicKey(AUDIT_KEY).export({ format: "pem", type: "spki" })
      const keys = [{ name, public_key, scope: { ledgers: ["fleet"] }, enabled: true }]
      const checkpoint = { note: data.note, trust: { keys } }
      expect(await running.workerd().ask("FLEET", "fleet", "verify", { checkpoint })).toMatchObject({
        data: { verdict: "PASS" }
      })
    })

    it("the fleet finds a run that was put back to an earlier time", async () => {
      const runs = join(running.folder, "data", "run")
      const earlier = join(running.folder, "earlier")
      await running.kill()
      cpSync(runs, earlier, { recursive: true })
      await running.start()
      const later = { run_id: "run-2", source: "USER", payload: {}, idempotency_key: "later" }
      expect(await running.workerd().ask("RUN", "run-2", "post", later)).toMatchObject({ ok: true })
      await fleet("noteAll")
      await running.kill()
      rmSync(runs, { recursive: true })
      cpSync(earlier, runs, { recursive: true })
      await running.start()
      expect(await running.workerd().ask("RUN", "run-2", "verify")).toMatchObject({
        data: { verdict: "PASS" }
      })
      expect(await failing()).toEqual(["run-1", "run-2"])
    })

    it("answers nothing but what it is made for", async () => {
      expect((await fetch(`${running.workerd().address}/runs/run-2/wipe`)).status).toBe(404)
      expect((await fetch(`${running.workerd().address}/else`)).status).toBe(404)
    })
  },
  "../../../examples/durable-objects/testing/worker.ts",
  ["Run", "Directory", "Fleet"]
)
