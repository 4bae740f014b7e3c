// Thought chains under every kind of tampering: every change, loss, exchange or addition behind the guards,
// in the table alone, is found by both verifications and named. Tasks that are interleaved at random verify clean, and
// their hashes are those that another program computes.

import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type Database from "better-sqlite3"
import canonicalize from "canonicalize"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { behindTheTriggers, openServices, rawSql } from "../infrastructure/testing/ledgers.ts"
import type { VerificationReport } from "../domain/ledger/verification.ts"
import type { ThoughtChainReport } from "../domain/ledger/thoughts/chain-report.ts"
import { THOUGHT_TYPES, type ThoughtRecord } from "../domain/ledger/thoughts/thought-record.ts"
import { propParameters } from "./support/configuration.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-thoughts-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ZEROS = "0".repeat(64)

const tasks = ["a", "b"] as const

const anyThought = fc.record({
  task_id: fc.constantFrom(...tasks),
  agent_id: fc.constantFrom("w1", "w2"),
  type: fc.constantFrom(...THOUGHT_TYPES),
  content: fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\u0000", "")),
  timestamp: fc.constantFrom("2026-04-17T00:00:00Z", "2026-04-16T23:00:00.5-01:00")
})

const anyHistory = fc.array(anyThought, { minLength: 2, maxLength: 9 })

type Thoughts = ReadonlyArray<typeof anyThought extends fc.Arbitrary<infer A> ? A : never>

let files = 0

/** A new file with these thoughts, each with an id that tells its place. */
const recorded = (history: Thoughts) =>
  Effect.scoped(
    Effect.gen(function* () {
      const filename = join(folder, `${(files += 1)}.db`)
      const { thoughts } = yield* openServices({ filename, durability: "normal" })
      const records = yield* Effect.forEach(
        history,
        (thought, index) => thoughts.createThoughtRecord({ ...thought, id: `r${index + 1}` }),
        { concurrency: "unbounded" }
      )
      return { filename, records }
    })
  )

interface Verdicts {
  readonly chains: ThoughtChainReport
  readonly byTask: { readonly [task: string]: ThoughtChainReport }
  readonly report: VerificationReport
}

const verdictsOn = (filename: string): Effect.Effect<Verdicts, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ledger, thoughts } = yield* openServices({ filename, mode: "read" })
      const [a, b] = yield* Effect.forEach(tasks, (task_id) => thoughts.verifyChain({ task_id }))
      if (a === undefined || b === undefined) throw new Error("there are two tasks")
      const chains = yield* thoughts.verifyChain()
      return { chains, byTask: { a, b }, report: yield* ledger.verifyCassette({ pure: true }) }
    })
  )

/** Verdicts on a history that was changed behind the table's guards. */
const verdictsAfter = async (
  history: Thoughts,
  tamper: (database: Database.Database, records: ReadonlyArray<ThoughtRecord>) => void
) => {
  const { filename, records } = await Effect.runPromise(recorded(history))
  rawSql(filename, (database) =>
    behindTheTriggers(database, "thought_records", () => tamper(database, records))
  )
  return { records, ...(await Effect.runPromise(verdictsOn(filename))) }
}

const namesIn = (report: VerificationReport): string =>
  report.findings.map(({ code, where }) => `${code} ${where} `).join("\n")

/** Both verifications find it, and name the record. */
const expectFound = ({ chains, report }: Pick<Verdicts, "chains" | "report">, id: string): void => {
  expect(chains.valid).toBe(false)
  expect(chains.first_broken_at).toBe(id)
  expect(report.verdict).toBe("FAIL")
  expect(namesIn(report)).toContain(`thought_records ${id} `)
}

/** The same length and kind of value, and another one. */
const changes: Readonly<Record<string, (record: ThoughtRecord) => string | number>> = {
  id: ({ id }) => `${id}x`,
  type: ({ type }) => (type === "plan" ? "analysis" : "plan"),
  task_id: ({ task_id }) => `${task_id}x`,
  agent_id: ({ agent_id }) => `${agent_id}x`,
  content: ({ content }) => `${content}x`,
  timestamp: ({ timestamp }) => timestamp.replace("2026", "2025"),
  prev_hash: ({ prev_hash }) => prev_hash.replace(/^./, (digit) => (digit === "f" ? "e" : "f")),
  hash: ({ hash }) => hash.replace(/^./, (digit) => (digit === "f" ? "e" : "f")),
  created_at: () => "1999-01-01T00:00:00.000Z",
  event_position: () => 1_000
}

const columns = Object.keys(changes)

const anyIndex = fc.nat({ max: 1_000 })

const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("the list is empty")
  return found
}

/** Exchanges the places in the log of two records. */
const exchange = (database: Database.Database, left: string, right: string): void => {
  const place = database
    .prepare<[string], number>("SELECT event_position FROM thought_records WHERE id = ?")
    .pluck()
  const [a, b] = [place.get(left), place.get(right)]
  const move = database.prepare("UPDATE thought_records SET event_position = ? WHERE id = ?")
  move.run(b, left)
  move.run(a, right)
}

describe("thought chains", () => {
  it("of interleaved tasks verify clean, with hashes that another program computes", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const { filename, records } = await Effect.runPromise(recorded(history))
        const { byTask, chains, report } = await Effect.runPromise(verdictsOn(filename))
        expect(report).toMatchObject({ verdict: "PASS", findings: [] })
        expect(chains).toMatchObject({ valid: true, record_count: history.length, broken_count: 0 })
        for (const task of tasks) {
          let prev_hash = ZEROS
          const own = records.filter(({ task_id }) => task_id === task)
          for (const { content, hash, id, prev_hash: linked, task_id, timestamp, type } of own) {
            expect(linked).toBe(prev_hash)
            const text = canonicalize({ id, type, task_id, content, timestamp, prev_hash }) ?? ""
            prev_hash = createHash("sha256").update(text, "utf8").digest("hex")
            expect(hash).toBe(prev_hash)
          }
          expect(byTask[task]).toEqual({
            valid: true,
            record_count: own.length,
            broken_count: 0,
            first_broken_at: null
          })
        }
      }),
      propParameters(0.1)
    )
  })

  it.each(columns)("show a changed %s, and in which record", async (column) => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyIndex, async (history, index) => {
        const change = changes[column]
        if (change === undefined) throw new Error(column)
        const verdicts = await verdictsAfter(history, (database, records) => {
          const record = at(records, index)
          database
            .prepare(`UPDATE thought_records SET ${column} = ? WHERE id = ?`)
            .run(change(record), record.id)
        })
        const record = at(verdicts.records, index)
        expectFound(verdicts, column === "id" ? `${record.id}x` : record.id)
        // A task that was not touched is as sound as it was.
        for (const task of tasks) expect(verdicts.byTask[task]?.valid).toBe(task !== record.task_id)
      }),
      propParameters(0.05)
    )
  })

  it("show a record that is gone, the last one too", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyIndex, async (history, index) => {
        const verdicts = await verdictsAfter(history, (database, records) => {
          database.prepare("DELETE FROM thought_records WHERE id = ?").run(at(records, index).id)
        })
        const { id, task_id } = at(verdicts.records, index)
        expectFound(verdicts, id)
        expect(namesIn(verdicts.report)).toContain(`ROW_MISSING thought_records ${id} `)
        expect(verdicts.byTask[task_id]?.first_broken_at).toBe(id)
      }),
      propParameters(0.1)
    )
  })

  it("show two records that changed places", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyIndex, anyIndex, async (history, left, right) => {
        fc.pre(left % history.length !== right % history.length)
        const verdicts = await verdictsAfter(history, (database, records) =>
          exchange(database, at(records, left).id, at(records, right).id)
        )
        expect(verdicts.chains.valid).toBe(false)
        expect(verdicts.chains.broken_count).toBeGreaterThanOrEqual(2)
        for (const index of [left, right]) {
          expect(namesIn(verdicts.report)).toContain(`thought_records ${at(verdicts.records, index).id} `)
        }
      }),
      propParameters(0.1)
    )
  })

  it("cannot fork, and show a record that was never recorded", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyIndex, async (history, index) => {
        const verdicts = await verdictsAfter(history, (database, records) => {
          const record = at(records, index)
          const insert = database.prepare(
            "INSERT INTO thought_records VALUES ('forged', 'plan', ?, 'a', '', '2026-04-17T00:00:00Z', ?, ?, '2026-04-17T00:00:00.000Z', 999)"
          )
          const forge = (prev_hash: string) => {
            const six = {
              id: "forged",
              type: "plan",
              task_id: record.task_id,
              content: "",
              timestamp: "2026-04-17T00:00:00Z",
              prev_hash
            }
            const hash = createHash("sha256")
              .update(canonicalize(six) ?? "", "utf8")
              .digest("hex")
            insert.run(record.task_id, prev_hash, hash)
          }
          expect(() => forge(record.prev_hash)).toThrow("UNIQUE constraint failed")
          const tail = records.findLast(({ task_id }) => task_id === record.task_id)
          forge(tail?.hash ?? ZEROS)
        })
        expectFound(verdicts, "forged")
        expect(verdicts.chains.broken_count).toBe(1)
      }),
      propParameters(0.1)
    )
  })
})
