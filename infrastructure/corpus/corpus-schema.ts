// What a database file is, before anything is done to it: empty, a corpus database of some version, or something
// else; and the released versions of its schema. It reads and changes nothing.
import { orHeaderFault } from "../sqlite/file-check.ts"
import { schema } from "../../migrations/snapshots/corpus/0001.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { applySteps, schemaStep, type SchemaStep } from "../sqlite/schema-steps.ts"

/** "CXS1" as a big-endian number, in the header of every corpus database. */
const APPLICATION_ID = 0x43_58_53_31

/** Newest version of the corpus database that this program reads and writes. */
export const CORPUS_VERSION = 1

/** Where a corpus database records its versions. */
export const CORPUS_VERSIONS = { table: "corpus_migrations" } as const

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first. */
export const corpusSteps = (): ReadonlyArray<SchemaStep> => (steps ??= [schemaStep(1, "0001-corpus", schema)])

export type CorpusInspection =
  | { readonly kind: "empty" }
  /** `version` is undefined when its record was destroyed. */
  | { readonly kind: "corpus"; readonly version: number | undefined }
  | { readonly kind: "foreign"; readonly reason: string }

const tablesOf = (connection: Connection): ReadonlySet<string> =>
  new Set(connection.all<{ name: string }>("SELECT name FROM sqlite_schema").map(({ name }) => name))

const inspected = (connection: Connection): CorpusInspection => {
  const names = tablesOf(connection)
  const id = connection.pragma("application_id")
  if (id === 0 && names.size === 0) return { kind: "empty" }
  if (id !== APPLICATION_ID) {
    const isLedger = names.has("events") && names.has("cassette_meta")
    return { kind: "foreign", reason: isLedger ? "it is a ledger" : "it is a database of something else" }
  }
  if (!names.has(CORPUS_VERSIONS.table)) return { kind: "corpus", version: undefined }
  const rows = connection.all<{ version: number | null }>(
    `SELECT max(version) AS version FROM ${CORPUS_VERSIONS.table}`
  )
  return { kind: "corpus", version: rows[0]?.version ?? undefined }
}

/**
 * Looks at the application id, the schema's names and the version, all of one moment: another may be making the file
 * right now. A damaged header is damage, also where SQLite gives another reason.
 */
export const inspectCorpus = (connection: Connection): CorpusInspection =>
  orHeaderFault(connection, () => connection.snapshot(() => inspected(connection)))

/** Applies every version that is missing, in one transaction, and gives what the database is afterwards. */
export const migrateCorpus = (connection: Connection): CorpusInspection =>
  connection.transaction(() => {
    const found = inspectCorpus(connection)
    if (found.kind === "foreign") return found
    const version = found.kind === "empty" ? 0 : (found.version ?? Number.POSITIVE_INFINITY)
    applySteps(connection, CORPUS_VERSIONS, corpusSteps(), version)
    return inspectCorpus(connection)
  })
