// A busy run of a ledger whose write-ahead log is kept whole: a reading transaction that is open from the beginning keeps
// every checkpoint, automatic or idle, from moving anything. It tells for each commit how long the log was then, and
// for each answer too. Files are read with `fs` only where SQLite has no locks: the log, and the database before it is open.

import { copyFileSync, readFileSync, statSync } from "node:fs"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { openServices, rawSql } from "../../../infrastructure/testing/ledgers.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import type { Plan } from "../../../interfaces/test-kit/ledger-commands.ts"
import { LedgerModel } from "../../../interfaces/test-kit/ledger-model.ts"
import { answerOf, START } from "../../../interfaces/test-kit/driven-ledger.ts"

/** What stood in the log of the database when a position was committed or answered. */
export interface Mark {
  readonly position: number
  /** Length of the write-ahead log (bytes). */
  readonly bytes: number
}

export interface RecordedRun {
  /** The database file from before the first frame. */
  readonly base: string
  readonly wal: Buffer
  /** One for each commit, the state of the base first. */
  readonly commits: ReadonlyArray<Mark>
  /** The newest position that a caller knew of, whenever some had been answered. */
  readonly answers: ReadonlyArray<Mark>
  /** The first and the last event of each command that has several. */
  readonly together: ReadonlyArray<{ readonly first: number; readonly last: number }>
  /** The hashes of all events, in order. */
  readonly hashes: ReadonlyArray<string>
  /** How many events there are of each type. */
  readonly types: ReadonlyMap<string, number>
}

/** The hashes of all events of a file, in order. */
export const hashesOf = (file: string): ReadonlyArray<string> =>
  rawSql(file, (database) =>
    database.prepare<[], string>("SELECT hash FROM events ORDER BY position").pluck().all()
  )

const typesOf = (file: string): ReadonlyMap<string, number> =>
  rawSql(
    file,
    (database) =>
      new Map(
        database.prepare<[], [string, number]>("SELECT type, count(*) FROM events GROUP BY type").raw().all()
      )
  )

/** Performs the groups one after the other, the commands of each together, and records them. */
export const record = async (
  filename: string,
  groups: ReadonlyArray<ReadonlyArray<Plan>>
): Promise<RecordedRun> => {
  const clock = makeManualClock(START)
  const model = new LedgerModel(START)
  await Effect.runPromise(withClock(clock)(Effect.scoped(openServices({ filename }))))
  const base = `${filename}-base`
  copyFileSync(filename, base)
  const wal = `${filename}-wal`
  const commits: Array<Mark> = [{ position: 1, bytes: 0 }]
  const answers: Array<Mark> = []
  const together: Array<{ first: number; last: number }> = []
  const reader = new Database(filename)
  reader.exec("BEGIN; SELECT count(*) FROM events")
  const program = Effect.gen(function* () {
    const services = yield* openServices({
      filename,
      durability: "full",
      wrap: (store) => ({
        transact: (work) =>
          Effect.tap(store.transact(work), (result) =>
            Effect.sync(() => {
              const { head } = result as { readonly head: { readonly position: number } }
              commits.push({ position: head.position, bytes: statSync(wal).size })
            })
          )
      })
    })
    for (const [number, group] of groups.entries()) {
      yield* Effect.all(
        group.map((plan) => {
          const command = plan(model)
          const before = model.position
          model.apply(command)
          if (model.position > before + 1) together.push({ first: before + 1, last: model.position })
          return answerOf(services.ledger, command)
        }),
        { concurrency: "unbounded" }
      )
      const thought = { id: `t${number}`, type: "plan", task_id: "t", agent_id: "a", content: "x" } as const
      if (number % 3 === 0) {
        yield* services.thoughts.createThoughtRecord(thought)
        model.position += 1
      }
      const { position } = yield* services.ledger.head
      // Commands find their steps only where the model's ids are the ledger's.
      if (position !== model.position)
        throw new Error(`the model is at ${model.position}, the ledger at ${position}`)
      answers.push({ position, bytes: statSync(wal).size })
    }
    // Before anybody closes, since the last one to close moves the log and removes it.
    return readFileSync(wal)
  })
  try {
    const bytes = await Effect.runPromise(withClock(clock)(Effect.scoped(program)))
    return {
      base,
      wal: bytes,
      commits,
      answers,
      together,
      hashes: hashesOf(filename),
      types: typesOf(filename)
    }
  } finally {
    reader.close()
  }
}
