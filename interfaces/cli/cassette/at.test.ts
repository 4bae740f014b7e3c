// `cassette at` writes while it reads: the document is the one that the whole state would give, and the text holds every
// step of a run, in tables of a thousand.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Ledger, Thoughts } from "../../embedding/index.ts"
import { successEnvelope } from "../../shared/envelope.ts"
import { runCli, runJson, temporaryFolder } from "../testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const filename = join(folder, "l.db")
const on = <A, E>(use: Effect.Effect<A, E, Ledger | Thoughts>): Promise<A> =>
  Effect.runPromise(Effect.provide(use, Ledger.layer({ filename })))
const STEPS = 2_500

beforeAll(() =>
  on(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const steps = Array.from({ length: STEPS }, (_, n) => ({ n, text: "\u202e\u0007" }))
      yield* ledger.postMessage({ run_id: "large", source: "USER", payload: { steps } })
      yield* ledger.postMessage({ run_id: "other", source: "USER", payload: { intent: "x" } })
      for (const id of ["z", "a"]) {
        yield* (yield* Thoughts).createThoughtRecord({
          id,
          type: "plan",
          task_id: "t",
          agent_id: "a",
          content: "c"
        })
      }
    })
  )
)

const at = (...args: ReadonlyArray<string>) => ["cassette", "at", ...args, "--db", filename]

describe("the state that is written as it is read", () => {
  it("is the document of the whole state, byte for byte", async () => {
    for (const position of [0, 1, 2, 5]) {
      const state = await on(Ledger.use((ledger) => ledger.stateAt({ position })))
      const { stdout } = await runCli([...at(String(position)), "--format", "json"], { cwd: folder })
      expect(stdout).toBe(`${successEnvelope(state)}\n`)
    }
    const state = await on(Ledger.use((ledger) => ledger.stateAt({ position: 5, runId: "other" })))
    const { document } = await runJson(at("5", "--run-id", "other"), { cwd: folder })
    expect(document.data).toEqual(state)
    expect(state.steps).toHaveLength(1)
  })

  it("keeps thoughts in the order of the log", async () => {
    const { document } = await runJson(at("5"), { cwd: folder })
    expect(document.data?.["thoughts"]).toMatchObject([{ id: "z" }, { id: "a" }])
  })

  it("names every step of a run, in tables of a thousand", async () => {
    const { stdout } = await runCli(at("5", "--run-id", "large"), { cwd: folder })
    const lines = stdout.split("\n")
    expect(lines.filter((line) => line.startsWith("step_"))).toHaveLength(STEPS)
    expect(lines.filter((line) => line.startsWith("step "))).toHaveLength(3)
    expect(stdout).toMatch(new RegExp(`^steps +${STEPS}$`, "m"))
  })

  it("ends with a failure where its reader has gone", async () => {
    const gone = await runCli([...at("5"), "--format", "json"], {
      cwd: folder,
      host: {
        write: (stream) =>
          stream === "stdout"
            ? Promise.reject(Object.assign(new Error("closed"), { code: "EPIPE" }))
            : Promise.resolve()
      }
    })
    expect(gone.code).toBe(0)
  })
})
