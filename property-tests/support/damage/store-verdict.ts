// One verdict over files of all kinds: what verification finds, or why it could not begin, with the exit code of a command
// that ends so.

import * as Effect from "effect/Effect"
import { Corpus } from "../../../application/corpus/corpus.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { CassetteFile } from "../../../infrastructure/network/cassette-file.ts"
import { verifyCassetteFile } from "../../../infrastructure/network/verification/cassette-verification.ts"
import { corpusLayer } from "../../../infrastructure/testing/programs/corpus-program.ts"
import { withLedger } from "../../../infrastructure/testing/programs/ledger-program.ts"
import { exitCodes } from "../../../interfaces/shared/exit-codes.ts"
import { CASSETTE_ID, type StoreName } from "./honest-files.ts"

export interface FilePlace {
  readonly store: StoreName
  readonly file: string
  /** The folder that a corpus database lies below. */
  readonly root: string
}

export interface Verdict {
  readonly verdict: "PASS" | "FAIL" | "REFUSED"
  /** The first finding, or the error. */
  readonly said: string
  /** What a command that ends with this ends the process with. */
  readonly exit: number
}

const found = (findings: ReadonlyArray<{ code: string; where: string; message: string }>): Verdict => {
  const [first] = findings
  return first === undefined
    ? { verdict: "PASS", said: "", exit: 0 }
    : { verdict: "FAIL", said: `${first.code} ${first.where}: ${first.message}`, exit: 1 }
}

/** An error without an exit code of its own is a fault of the program, which is what 3 stands for. */
export const refused = (error: { readonly _tag: string; readonly message?: string }): Verdict => ({
  verdict: "REFUSED",
  said: `${error._tag}: ${error.message ?? ""}`,
  exit: (exitCodes as Readonly<Record<string, number>>)[error._tag] ?? 3
})

const verdicts: Readonly<Record<StoreName, (job: FilePlace) => Effect.Effect<Verdict>>> = {
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
      const cassette = new CassetteFile(file, CASSETTE_ID, { asFound: true })
      const read = cassette.read(({ connection }) => verifyCassetteFile(connection, CASSETTE_ID))
      cassette.close()
      return "value" in read
        ? found(read.value.findings)
        : refused({ _tag: "CassetteOffline", message: `${read.status}: ${read.reason}` })
    })
}

/** Verifies a file of any kind, as the command line does. */
export const verdictOf = (place: FilePlace): Effect.Effect<Verdict> => verdicts[place.store](place)
