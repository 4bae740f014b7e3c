// Judges database files in a process of its own: each line on standard input is a job of JSON, each answer one line. What
// is asked is what the command line asks, through the same doors; that it never ends, or ends this process, is seen by
// who started it. Started by the property of damaged files; never by hand.

import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Corpus } from "../../application/corpus/corpus.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import { CassetteFile } from "../../infrastructure/network/cassette-file.ts"
import { verifyCassette } from "../../infrastructure/network/cassette-verification.ts"
import { corpusLayer } from "../../infrastructure/testing/corpus-program.ts"
import { withLedger } from "../../infrastructure/testing/ledger-program.ts"
import { type StoreKind, storeKinds } from "../../infrastructure/testing/store-kinds.ts"
import { exitCodes } from "../../interfaces/cli/exit-codes.ts"
import { contentOf, type ContentQuery } from "./content-queries.ts"
import { CASSETTE_ID, type StoreName } from "./honest-files.ts"

export interface JudgeJob {
  readonly store: StoreName
  readonly file: string
  /** The folder that a corpus database lies below. */
  readonly root: string
  readonly queries: ReadonlyArray<ContentQuery>
  readonly writes: boolean
}

export interface Judgement {
  readonly verdict: "PASS" | "FAIL" | "REFUSED"
  /** The first finding, or the error. */
  readonly said: string
  /** What a command that ends with this ends the process with. */
  readonly exit: number
  /** Reading has left the file's bytes alone. */
  readonly untouched: boolean
  /** The content as this program's SQLite reads it, when it passes. */
  readonly content: ReadonlyArray<string> | undefined
  /** What is wrong after a write that was acknowledged; undefined when none was asked for or acknowledged. */
  readonly lost: string | undefined
  readonly acknowledged: boolean
}

type Verdict = Pick<Judgement, "verdict" | "said" | "exit">

const found = (findings: ReadonlyArray<{ code: string; where: string; message: string }>): Verdict => {
  const [first] = findings
  return first === undefined
    ? { verdict: "PASS", said: "", exit: 0 }
    : { verdict: "FAIL", said: `${first.code} ${first.where}: ${first.message}`, exit: 1 }
}

/** An error without an exit code of its own is a fault of the program, which is what 3 stands for. */
const refused = (error: { readonly _tag: string; readonly message?: string }): Verdict => ({
  verdict: "REFUSED",
  said: `${error._tag}: ${error.message ?? ""}`,
  exit: (exitCodes as Readonly<Record<string, number>>)[error._tag] ?? 3
})

const verdicts: Readonly<Record<StoreName, (job: JudgeJob) => Effect.Effect<Verdict>>> = {
  ledger: ({ file }) =>
    withLedger(
      { filename: file, mode: "read" },
      Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
    ).pipe(Effect.match({ onFailure: refused, onSuccess: ({ findings }) => found(findings) })),
  corpus: ({ root }) =>
    Corpus.use((corpus) => corpus.verify()).pipe(
      Effect.provide(corpusLayer({ root, mode: "read", asFound: true })),
      Effect.match({ onFailure: refused, onSuccess: ({ findings }) => found(findings) })
    ),
  cassette: ({ file }) =>
    Effect.sync(() => {
      const cassette = new CassetteFile(file, CASSETTE_ID)
      const read = cassette.read(({ connection }) => verifyCassette(connection, CASSETTE_ID))
      cassette.close()
      return "value" in read
        ? found(read.value.findings)
        : refused({ _tag: "CassetteOffline", message: `${read.status}: ${read.reason}` })
    })
}

const evidence: Readonly<Record<StoreName, string>> = {
  ledger: "SELECT position || ' ' || hash FROM events NOT INDEXED",
  corpus:
    "SELECT run_id || ' ' || symbol_id || ' ' || slice || ' ' || payload_hash FROM expansions NOT INDEXED",
  cassette: "SELECT receipt_index || ' ' || receipt_hash FROM write_receipts NOT INDEXED"
}

/** What the evidence reads; nothing of what cannot be read. */
const rowsIn = (file: string, sql: string): ReadonlyArray<string> => {
  const database = new Database(file)
  const rows: Array<string> = []
  try {
    for (const row of database.prepare<[], string>(sql).pluck().iterate()) rows.push(row)
  } catch {
    // A page behind these rows is damaged, and that is judged by the verdict.
  } finally {
    database.close()
  }
  return rows
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
    verdicts[job.store](job).pipe(
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
