// Judges database files in a process of its own: each line on standard input is a job of JSON, each answer one line. What
// is asked is what the command line asks, through the same doors; that it never ends, or ends this process, is seen by
// who started it. Started by the property of damaged files; never by hand.

import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { type StoreKind, storeKinds } from "../../../infrastructure/testing/store-kinds.ts"
import { contentOf, type ContentQuery } from "./content-queries.ts"
import { evidenceIn } from "../evidence-rows.ts"
import { type FilePlace, refused, type Verdict, verdictOf } from "./store-verdict.ts"

export interface JudgeJob extends FilePlace {
  readonly queries: ReadonlyArray<ContentQuery>
  readonly writes: boolean
  /** Rows of evidence of the honest file: damage may make others, which are no evidence. */
  readonly evidence: ReadonlyArray<string>
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

/** Writes one more thing; what was acknowledged must be there, and all evidence that was there before. */
const writing = ({
  evidence,
  file,
  store
}: JudgeJob): Effect.Effect<Pick<Judgement, "lost" | "acknowledged">> =>
  Effect.gen(function* () {
    const honest = new Set(evidence)
    const before = evidenceIn(file, store)
    const kind: StoreKind = storeKinds[store]
    const outcome = yield* Effect.match(kind.write(file, 4_711, { text: "x".repeat(3_000) }), {
      onFailure: (error): string => error._tag,
      onSuccess: () => undefined
    })
    if (outcome !== undefined) return { lost: undefined, acknowledged: false }
    const after = new Set(evidenceIn(file, store))
    const gone = before.find((row) => honest.has(row) && !after.has(row))
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
