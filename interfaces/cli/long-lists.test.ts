// Lists of any length are written while they are read: the document is the one that the whole list would give, and people
// get tables of a thousand rows.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Ledger, Thoughts } from "../embedding/index.ts"
import { successEnvelope } from "../shared/envelope.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const filename = join(folder, "l.db")
const on = <A, E>(use: Effect.Effect<A, E, Ledger | Thoughts>): Promise<A> =>
  Effect.runPromise(Effect.provide(use, Ledger.layer({ filename, durability: "normal" })))
const ROWS = 1_100
/** So much text that a page ends long before it holds a thousand records. */
const LONG = "t".repeat(20_000)

beforeAll(() =>
  on(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const thoughts = yield* Thoughts
      yield* Effect.forEach(
        Array.from({ length: ROWS }, (_, n) => n),
        (n) =>
          Effect.all([
            ledger.postMessage({ run_id: `r${ROWS - n}`, source: "USER", payload: { n } }),
            thoughts.createThoughtRecord({
              id: `id-${n}`,
              type: "plan",
              task_id: n % 2 === 0 ? "even" : "odd",
              agent_id: "a",
              content: n < 500 ? LONG : "short"
            })
          ]),
        { concurrency: 64 }
      )
    })
  )
)

/** Runs a command; gives what it wrote, and in how many pieces. */
const pieces = async (args: ReadonlyArray<string>) => {
  let count = 0
  let stdout = ""
  const { code } = await runCli([...args, "--db", filename], {
    cwd: folder,
    host: {
      write: async (stream, text) => {
        if (stream === "stdout") {
          count += 1
          stdout += text
        }
      }
    }
  })
  expect(code).toBe(0)
  return { stdout, count }
}

const rowsAndHeaders = (stdout: string, row: RegExp, header: RegExp) => {
  const lines = stdout.split("\n")
  return [lines.filter((line) => row.test(line)).length, lines.filter((line) => header.test(line)).length]
}

describe("cortex thought list", () => {
  it.each([[[]], [["--desc"]], [["--task", "odd"]], [["--task", "even", "--desc"]], [["--limit", "1050"]]])(
    "%j writes the whole document in pieces",
    async (flags) => {
      const records = await on(
        Thoughts.use((thoughts) =>
          thoughts.listThoughtRecords({
            descending: flags.includes("--desc"),
            task_id: flags.includes("--task") ? flags[1] : undefined,
            limit: flags.includes("--limit") ? 1_050 : undefined
          })
        )
      )
      const { count, stdout } = await pieces(["thought", "list", ...flags, "--format", "json"])
      expect(stdout).toBe(`${successEnvelope({ records })}\n`)
      expect(count).toBeGreaterThan(1)
      expect(records).toHaveLength(
        flags.includes("--task") ? ROWS / 2 : flags.includes("--limit") ? 1_050 : ROWS
      )
      expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
    }
  )

  it("shows every record, in tables of a thousand", async () => {
    const { stdout } = await pieces(["thought", "list"])
    expect(rowsAndHeaders(stdout, /^id-/, /^id /)).toEqual([ROWS, 2])
  })

  it("answers an unknown cursor with that error alone", async () => {
    const args = ["thought", "list", "--after", "unknown", "--db", filename]
    const { document } = await runJson(args, { cwd: folder })
    expect(document.error?.code).toBe("THOUGHT_NOT_FOUND")
  })
})

describe("all runs", () => {
  it("come whole from cortex cassette status, in the order of their ids", async () => {
    const [runs, head, ledger_id] = await on(
      Ledger.use((ledger) => Effect.all([ledger.runs, ledger.head, Effect.succeed(ledger.ledgerId)]))
    )
    const { stdout } = await pieces(["cassette", "status", "--format", "json"])
    const { hash, position } = head
    expect(stdout).toBe(`${successEnvelope({ ledger_id, head: { position, hash }, fault: null, runs })}\n`)
    const ids = runs.map(({ run_id }) => run_id)
    expect(ids).toEqual(Array.from({ length: ROWS }, (_, n) => `r${n + 1}`).sort())
  })

  it.each([[["status"]], [["at", String(2 * ROWS + 1)]]])(
    "are shown by cortex cassette %j in tables of a thousand",
    async (command) => {
      const { stdout } = await pieces(["cassette", ...command])
      expect(rowsAndHeaders(stdout, /^r\d+ /, /^run /)).toEqual([ROWS, 2])
      expect(stdout).toMatch(/^r7 +1 +/m)
    }
  )
})
