// A child that serves a cassette: it answers as reading in this process does, a late one is killed and comes back, and
// none outlives its parent, not even one that hangs.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { isAlive, isGone } from "../../testing/programs/process-end.ts"
import { programOf } from "../../testing/programs/program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { childCassette, type ChildCassetteOptions } from "./child-cassette.ts"
import { cassetteWith, local, servedApart, withNetworkOf } from "../testing/cassettes.ts"

const hangingProgram = programOf("infrastructure/network/testing/hanging-child.ts")
const babblingProgram = programOf("infrastructure/network/testing/babbling-child.ts")
const parentProgram = programOf("infrastructure/network/testing/parent-of-hanging-child.ts")

const child = (file: string, options: Partial<ChildCassetteOptions> = {}) => {
  const cassette = servedApart({ id: "one", file, shownPath: "one.db", ...options })
  onTestFinished(() => Effect.runPromise(cassette.close))
  return cassette
}

const count = {
  op: "count",
  scope: { now: "2026-01-01T00:00:00.000Z", agent: null },
  terms: ["text"]
} as const

describe("a child", () => {
  it("answers as reading in this process does", async () => {
    const documents = { "a/b.md": "# One\n\nfirst text", "a/c.md": "second text" }
    const file = cassetteWith(temporaryFolder(), "one", documents)
    const ask = (cassette: ReturnType<typeof local>) =>
      withNetworkOf([cassette], (network) =>
        Effect.map(Effect.all([network.query("text"), network.status]), ([{ hits }, [health]]) => ({
          hits,
          health: { ...health, took_ms: 0 }
        }))
      )
    expect(await ask(child(file))).toEqual(await ask(local("one", file)))
  })

  it("tells what is wrong with its file", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "text.db"), "no database")
    for (const [name, status] of [
      ["text.db", "error"],
      ["missing.db", "offline"]
    ] as const) {
      const failure = await Effect.runPromise(Effect.flip(child(join(folder, name)).getStats))
      expect(failure).toMatchObject({ cassette_id: "one", status })
    }
  })

  it("is killed when it is late, and left alone for a while", async () => {
    const cassette = child("one.db", { program: hangingProgram, deadlineMillis: 2_500, pauseMillis: 60_000 })
    const ask = cassette.askIndex
    const { chunks: pid } = await Effect.runPromise(ask(count))
    expect(isAlive(pid)).toBe(true)
    expect(await Effect.runPromise(Effect.flip(ask(count)))).toMatchObject({ status: "timeout" })
    expect(await isGone(pid)).toBe(true)
    expect(await Effect.runPromise(Effect.flip(ask(count)))).toMatchObject({ status: "offline" })
  })

  it("that breaks is told with the signal that ended it", async () => {
    const cassette = child("one.db", { program: hangingProgram })
    const ask = cassette.askIndex
    const { chunks: pid } = await Effect.runPromise(ask(count))
    const waits = Effect.runPromise(Effect.flip(ask(count)))
    process.kill(pid, "SIGSEGV")
    expect(await waits).toMatchObject({ status: "error", reason: "its process ended with SIGSEGV" })
  })

  it.each([
    "nonsense",
    "null",
    "[]",
    '{"number":0}',
    '{"number":0,"fault":5}',
    '{"number":0,"fault":{}}',
    '{"number":0,"fault":{"status":"zzz","reason":"broken"}}',
    '{"number":0,"fault":{"status":"toString","reason":"broken"}}',
    '{"number":0,"fault":{"status":"error","reason":1}}'
  ])("that answers %s is killed", async (answer) => {
    const cassette = child(answer, { program: babblingProgram })
    const fault = await Effect.runPromise(Effect.flip(cassette.askIndex(count)))
    expect(fault).toMatchObject({
      status: "error",
      reason: "its process answered what is no answer to the question"
    })
  })

  it("serves a file that was repaired", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "one.db")
    writeFileSync(file, "no database")
    const cassette = child(file, { pauseMillis: 1 })
    await Effect.runPromise(Effect.flip(cassette.getStats))
    rmSync(file)
    cassetteWith(folder, "one", { "a/b.md": "text" })
    expect((await Effect.runPromise(cassette.getStats)).total_chunks).toBe(1)
  })

  it("is stopped when it has nothing to do", async () => {
    const cassette = child("one.db", { program: hangingProgram, idleMillis: 20 })
    const { chunks: first } = await Effect.runPromise(cassette.askIndex(count))
    expect(await isGone(first)).toBe(true)
  })

  it("does not keep the others from answering", async () => {
    const folder = temporaryFolder()
    const good = local("good", cassetteWith(folder, "good", { "a/b.md": "first text" }))
    const hung = childCassette({
      id: "hung",
      file: "hung.db",
      shownPath: "hung.db",
      program: hangingProgram,
      deadlineMillis: 300
    })
    const { answers, hits, partial } = await withNetworkOf([hung, good], (network) => network.query("text"))
    expect(hits).toHaveLength(1)
    expect(partial).toBe(true)
    expect(answers["hung"]?.status).toBe("timeout")
  })

  it("does not outlive its parent, even while it hangs", async () => {
    const parent = spawn(process.execPath, [parentProgram], { stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => {
      parent.kill("SIGKILL")
    })
    const [line] = (await once(parent.stdout, "data")) as [Buffer]
    const pid = Number(line.toString())
    expect(isAlive(pid)).toBe(true)
    parent.kill("SIGKILL")
    expect(await isGone(pid)).toBe(true)
  })
})
