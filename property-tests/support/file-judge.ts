// Judges database files in a process of its own: each line on standard input is a job of JSON, each answer one line. What
// is asked is what the command line asks, through the same doors; that it never ends, or ends this process, is seen by
// who started it. Started by the property of damaged files; never by hand.

import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { type StoreKind, storeKinds } from "../../infrastructure/testing/store-kinds.ts"
import { contentOf, type ContentQuery } from "./content-queries.ts"
import type { StoreName } from "./honest-files.ts"
import { type FilePlace, refused, type Verdict, verdictOf } from "./store-verdict.ts"

export interface JudgeJob extends FilePlace {
  readonly queries: ReadonlyArray<ContentQuery>
  readonly writes: boolean
}

export interface Judgement extends Verdict {
  /** Reading has left the file's bytes alone. */
  readonly untouched: boolean
  /** The content as this program's SQLite reads it, when it passes. */
  readonly content: ReadonlyArray<string> | undefined
  /** What is wrong after a write that was acknowledged; undefined when none was asked for or acknowledged. */
  readonly lost: string | undefined
  readonly acknowledged: boolean
}

const evidence: Readonly<Record<StoreName, string>> = {
  ledger: "SELECT position || ' ' || hash FROM events NOT INDEXED ORDER BY rowid",
  corpus:
    "SELECT run_id || ' ' || symbol_id || ' ' || slice || ' ' || payload_hash FROM expansions NOT INDEXED ORDER BY rowid",
  cassette: "SELECT receipt_index || ' ' || receipt_hash FROM write_receipts NOT INDEXED ORDER BY rowid"
}

/** What the evidence reads from both ends; a damaged page between them, which the verdict judges, hides no row behind it. */
const rowsIn = (file: string, sql: string): ReadonlyArray<string> => {
  const database = new Database(file)
  const rows = new Set<string>()
  for (const order of ["ASC", "DESC"]) {
    try {
      for (const row of database.prepare<[], string>(`${sql} ${order}`).pluck().iterate()) rows.add(row)
    } catch {
      // Here the damaged page begins.
    }
  }
  database.close()
  return [...rows]
}

/** Writes one more thing; what was acknowledged must be there, and everything that was there before. */
const writing = ({ file, store }: JudgeJob): Effect.Effect<Pick<Judgement, "lost" | "acknowledged">> =>
  Effect.gen(function* () {
    const before = rowsIn(file, evidence[store])
    const kind: StoreKind = storeKinds[store]
    const outcome = yield* Effect.match(kind.write(file, 4_711, { text: "x".repeat(3_000) }), {
      onFailure: (error): string => error._tag,
      onSuccess: () => undefined
    })
    if (outcome !== undefined) return { lost: undefined, acknowledged: false }
    const after = new Set(rowsIn(file, evidence[store]))
    const gone = before.find((row) => !after.has(row))
    const isNew = store === "corpus" || [...after].some((row) => !before.includes(row))
    const lost =
      gone === undefined ? (isNew ? undefined : "what was acknowledged is not there") : `${gone} is gone`
    return { lost, acknowledged: true }
  })

const judge = async (job: JudgeJob): Promise<Judgement> => {
  const stateOf = () => hash("sha256", readFileSync(job.file))
  const before = stateOf()
  const verdict = await Effect.runPromise(
    verdictOf(job).pipe(
      Effect.catchDefect((defect) => Effect.succeed(refused({ _tag: "Defect", message: String(defect) })))
    )
  )
  const untouched = stateOf() === before
  const content = verdict.verdict === "PASS" ? contentOf(job.file, job.queries) : undefined
  const written = job.writes
    ? await Effect.runPromise(
        writing(job).pipe(
          Effect.catchDefect((defect) =>
            Effect.succeed({ lost: `defect: ${String(defect)}`, acknowledged: true })
          )
        )
      )
    : { lost: undefined, acknowledged: false }
  return { ...verdict, untouched, content, ...written }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await judge(JSON.parse(line) as JudgeJob)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
