/**
 * The snapshot and the same statements under Python's own SQLite, which is another version built by other people:
 * every state must come out the same, byte for byte, and every attack must be refused there too. Without python3 on
 * the machine there is no other host, and the tests are skipped.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { databaseIn, dump, dumpQueries, filledInsert, refusalsIn } from "./testing/attack.ts"
import { attacks } from "./testing/attacks/index.ts"
import { snapshot } from "./testing/ledger.ts"
import { states, type State } from "./testing/states.ts"

interface Report {
  readonly sqlite_version: string
  readonly dumps: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
  readonly outcomes: ReadonlyArray<{ readonly error: string | null; readonly changed: boolean }>
}

const python = (args: ReadonlyArray<string>, input: string) =>
  spawnSync("python3", args, { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })

const hasPython = python(["-c", "import sqlite3"], "").status === 0

const report = (): Report => {
  const job = {
    snapshot,
    states,
    dump_queries: dumpQueries,
    // Each fiftieth as its text alone, as a shell runs it.
    attacks: attacks.map(({ after = "", setup = "", sql, state }, index) => ({
      after,
      filled: index % 50 === 0 ? null : (filledInsert(sql) ?? null),
      setup,
      sql,
      state
    }))
  }
  const { status, stderr, stdout } = python(
    [fileURLToPath(new URL("testing/host.py", import.meta.url))],
    JSON.stringify(job)
  )
  if (status !== 0) {
    throw new Error(`python3 failed: ${stderr}`)
  }
  return JSON.parse(stdout) as Report
}

describe.skipIf(!hasPython)("under python3", () => {
  const { dumps, outcomes, sqlite_version } = hasPython
    ? report()
    : { dumps: {}, outcomes: [], sqlite_version: "" }

  it(`SQLite ${sqlite_version} makes every state the same`, () => {
    for (const state of Object.keys(states)) {
      const database = databaseIn(state as State)
      expect(dumps[state]?.map((rows) => rows.join("\n")).join("\n\n")).toBe(dump(database))
      database.close()
    }
  })

  it(`SQLite ${sqlite_version} refuses all ${attacks.length} attacks, and shows no trace of one`, () => {
    expect(outcomes.length).toBe(attacks.length)
    const successes = attacks.flatMap(({ name, silent }, index) => {
      const { changed = true, error = null } = outcomes[index] ?? {}
      const isRefused = error !== null || silent === true
      return changed || !isRefused ? [`${name}: ${changed ? "left a trace" : "was not refused"}`] : []
    })
    expect(successes).toEqual([])
  })

  it("says the same words", () => {
    const said = new Set(outcomes.map(({ error }) => error))
    expect(refusalsIn(snapshot).filter((message) => !said.has(message))).toEqual([])
    expect([...said].filter((error) => error?.includes("syntax error"))).toEqual([])
  })
})
