// Hooks of several sessions in any order, told twice, lost, and at once: the ledger verifies, each call has one step at most, and
// what was acknowledged is there. Processes that are killed at any moment leave no half of a call.
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hookEventOf } from "../domain/agents/hook-event.ts"
import type { HookName } from "../domain/agents/hosts.ts"
import { runCortex, startCortex } from "../interfaces/cli/testing/child-process.ts"
import { recordHookEvent, sha256 } from "../interfaces/embedding/hook-recording.ts"
import { openLedger } from "../interfaces/promise/index.ts"
import { propParameters } from "./support/configuration.ts"

interface Told {
  readonly hook: HookName
  readonly session: string
  readonly id: string
}

const told: fc.Arbitrary<Told> = fc.record({
  hook: fc.constantFrom("pre", "pre", "post", "post", "stop"),
  session: fc.constantFrom("a", "b", "c"),
  id: fc.constantFrom("t1", "t2", "t3", "t4")
})

const events = { pre: "PreToolUse", post: "PostToolUse", stop: "Stop" } as const

const jsonOf = ({ hook, id, session }: Told) => ({
  session_id: session,
  hook_event_name: events[hook],
  tool_name: "Bash",
  tool_use_id: id,
  tool_input: { command: id },
  ...(hook === "post" ? { tool_response: id } : {})
})

const RULE = { bodies: "hash", ttl_seconds: 3_600, on_error: "warn" } as const

/** Records what a host told; true once it is acknowledged. */
const record = async (filename: string, event: Told): Promise<boolean> => {
  const taken = Result.getOrThrow(
    hookEventOf(sha256, jsonOf(event), { hook: event.hook, host: "claude-code" })
  )
  return Exit.isSuccess(await Effect.runPromiseExit(recordHookEvent({ filename }, taken, RULE)))
}

interface Judged {
  readonly verdict: string
  /** The calls that were posted, once for each message, and those that were completed. */
  readonly posted: ReadonlyArray<string>
  readonly completed: ReadonlyArray<string>
}

const nameOf = ({ id, session }: Pick<Told, "id" | "session">): string => `${session}/${id}`

const judge = async (filename: string): Promise<Judged> => {
  await using ledger = await openLedger({ filename, mode: "append" })
  const { verdict } = await ledger.verifyCassette()
  const names = new Map<string, string>()
  const completed: Array<string> = []
  for await (const { data, type } of ledger.events({ live: false })) {
    const event = JSON.parse(data) as {
      readonly message_id: string
      readonly step_id: string
      readonly payload: { readonly session: string; readonly refs?: { readonly call: string } }
    }
    if (type === "MessagePosted" && event.payload.refs !== undefined) {
      const { refs, session } = event.payload
      names.set(event.message_id.slice("msg_".length), nameOf({ session, id: refs.call }))
    }
    const name =
      type === "StepCompleted"
        ? names.get(event.step_id.slice("step_".length).split(".")[0] ?? "")
        : undefined
    if (name !== undefined) completed.push(name)
  }
  return { verdict, posted: [...names.values()], completed }
}

/** Nothing that was acknowledged is lost, and no call has two steps. */
const expectSound = ({ completed, posted, verdict }: Judged, acknowledged: ReadonlyArray<Told>): void => {
  expect(verdict).toBe("PASS")
  expect(new Set(posted).size).toBe(posted.length)
  expect(new Set(completed).size).toBe(completed.length)
  for (const each of acknowledged) {
    if (each.hook === "stop") continue
    expect(posted).toContain(nameOf(each))
    if (each.hook === "post") expect(completed).toContain(nameOf(each))
  }
}

const inFolder = async (use: (file: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "hooks-"))
  try {
    await use(join(folder, "calls.db"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("hooks", () => {
  it("of several sessions in any order record each call once", async () => {
    const groups = fc.array(fc.array(told, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(groups, (plan) =>
        inFolder(async (file) => {
          for (const together of plan) {
            const answers = await Promise.all(together.map((each) => record(file, each)))
            // Calls here end in one way, so that nothing may be refused.
            expect(answers).toEqual(together.map(() => true))
          }
          expectSound(await judge(file), plan.flat())
        })
      ),
      propParameters(0.2)
    )
  })

  it("as 32 processes at once make each call one step", () =>
    inFolder(async (file) => {
      const calls = Array.from({ length: 32 }, (_, index) => ({
        hook: "pre" as const,
        session: "a",
        id: `t${index % 16}`
      }))
      const ran = await Promise.all(
        calls.map((call) =>
          runCortex(["hook", "pre", "--db", file, "--timeout", "50"], {
            env: { ...process.env, CORTEX_ROOT: "" },
            input: JSON.stringify(jsonOf(call))
          })
        )
      )
      expect(ran).toEqual(calls.map(() => ({ code: 0, stdout: "", stderr: "" })))
      const { posted, verdict } = await judge(file)
      expect(verdict).toBe("PASS")
      expect(posted.toSorted()).toEqual([...new Set(calls.map(nameOf))].sort())
    }))

  it("that are killed at any moment leave no half of a call, and lose nothing acknowledged", async () => {
    const kill = fc.record({ event: told, after: fc.nat({ max: 1_500 }) })
    const plans = fc.array(kill, { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(plans, (plan) =>
        inFolder(async (file) => {
          const ran = await Promise.all(
            plan.map(async ({ after, event }) => {
              const line = ["hook", event.hook, "--db", file, "--timeout", "50", "--on-error", "block"]
              const child = startCortex(line, { env: process.env })
              const closed = once(child, "close") as Promise<[number | null]>
              child.stdin.on("error", () => {})
              child.stdin.end(JSON.stringify(jsonOf(event)))
              const stop = new AbortController()
              void pause(after, undefined, { signal: stop.signal }).then(
                () => child.kill("SIGKILL"),
                () => {}
              )
              const [code] = await closed
              stop.abort()
              return { code, event }
            })
          )
          expect([0, null]).toEqual(expect.arrayContaining([...new Set(ran.map(({ code }) => code))]))
          const acknowledged = ran.filter(({ code }) => code === 0).map(({ event }) => event)
          if (acknowledged.length > 0) expectSound(await judge(file), acknowledged)
        })
      ),
      propParameters(0.02)
    )
  })
})
