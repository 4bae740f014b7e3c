/**
 * The three kinds of database files behind one form, so that one contract of faults holds for all: making and opening
 * a file, writing one more thing into it, counting what it holds. Outside tests nothing may import it.
 */
import * as Effect from "effect/Effect"
import { Ledger } from "../../application/ledger/ledger.ts"
import { DEFAULT_TTL_MILLIS } from "../../domain/network/limits.ts"
import { CorpusDatabase, corpusDatabaseLayer } from "../corpus/corpus-database.ts"
import { corpusSteps } from "../corpus/schema-snapshots.ts"
import { schemaSteps } from "../ledger/opening/schema-snapshots.ts"
import { CassetteFile } from "../network/cassette-file.ts"
import { cassetteSteps } from "../network/schema-snapshots.ts"
import { openCassetteWriter } from "../network/writing/cassette-writer.ts"
import { putDocument } from "../network/writing/document-writing.ts"
import type { SchemaStep } from "../sqlite/checks/schema-steps.ts"
import { withLedger } from "./programs/ledger-program.ts"

/** What every refusal has. */
export interface Refusal {
  readonly _tag: string
  readonly message: string
}

export interface WriteOptions {
  readonly text?: string
  /** How long to wait for other writers (milliseconds). */
  readonly busyDeadline?: number
}

export interface StoreKind {
  /** Opens the file for writing, making it when it is missing, and writes the thing with this number. */
  readonly write: (file: string, n: number, options?: WriteOptions) => Effect.Effect<void, Refusal>
  /** How many things the file holds, read without writing. */
  readonly count: (file: string) => Effect.Effect<number, Refusal>
  readonly steps: () => ReadonlyArray<SchemaStep>
  /** Makes a database say that a newer program wrote it. */
  readonly makeNewer: ReadonlyArray<string>
  /** What a file is called that is none of this kind. */
  readonly stranger: string
  /** What damage is called. */
  readonly damage: string
  /** The command that lists every fault. */
  readonly verify: string
}

const birth = { id: "one", mutability: "mutable", memories: "shared", ttlMillis: DEFAULT_TTL_MILLIS } as const
const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-02T00:00:00.000Z" }

/** The kinds by their names. */
export const storeKinds = {
  ledger: {
    write: (filename, n, { busyDeadline, text = "" } = {}) =>
      withLedger(
        { filename, busyDeadline },
        Ledger.use((ledger) =>
          ledger.postMessage({
            run_id: "r",
            source: "USER",
            payload: { text },
            idempotency_key: `${n}`
          })
        )
      ).pipe(Effect.asVoid),
    count: (filename) =>
      withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) => Effect.map(ledger.messages("r"), ({ length }) => length))
      ),
    steps: schemaSteps,
    makeNewer: [
      "DROP TRIGGER tr_meta_append_only_update",
      "UPDATE cassette_meta SET value = '99' WHERE key = 'db_version'"
    ],
    stranger: "NotALedger",
    damage: "StoreCorrupt",
    verify: "cortex cassette verify"
  },
  corpus: {
    write: (filename, n, { busyDeadline, text = "" } = {}) =>
      CorpusDatabase.use(({ run }) =>
        run((connection) =>
          connection.run("INSERT INTO symbols VALUES (?, 'a.md', ?, NULL, 'x')", [`@A/${n}`, text])
        )
      ).pipe(Effect.asVoid, Effect.provide(corpusDatabaseLayer({ filename, busyDeadline }))),
    count: (filename) =>
      CorpusDatabase.use(({ run }) =>
        run((connection) => connection.all("SELECT * FROM symbols").length)
      ).pipe(Effect.provide(corpusDatabaseLayer({ filename, mode: "read" }))),
    steps: corpusSteps,
    makeNewer: ["INSERT INTO corpus_migrations VALUES (99, '0099-later', 'x')"],
    stranger: "NotACorpus",
    damage: "CorpusCorrupt",
    verify: "cortex cache verify"
  },
  cassette: {
    write: (file, n, { busyDeadline, text = "" } = {}) =>
      Effect.scoped(
        Effect.gen(function* () {
          const write = yield* openCassetteWriter(file, birth, "full", busyDeadline)
          const document = { path: `${n}.md`, type: "text", text: `${n} ${text}` }
          yield* write((connection) => putDocument(connection, document, time))
        })
      ),
    count: (path) =>
      Effect.suspend(() => {
        const file = new CassetteFile(path, birth.id)
        try {
          const read = file.read(({ connection }) => connection.all("SELECT * FROM documents").length)
          return "value" in read
            ? Effect.succeed(read.value)
            : Effect.fail({ _tag: `${read.status}: ${read.reason}`, message: read.reason })
        } finally {
          file.close()
        }
      }),
    steps: cassetteSteps,
    makeNewer: [
      "DROP TRIGGER tr_network_meta_update",
      "UPDATE network_meta SET value = '9.0' WHERE key = 'schema_version'"
    ],
    stranger: "NotACassette",
    damage: "CassetteDamaged",
    verify: "cortex network verify"
  }
} satisfies Readonly<Record<string, StoreKind>>

export type StoreName = keyof typeof storeKinds
