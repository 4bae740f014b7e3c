// What a database file is, before anything is done to it: empty, a corpus database of some version, or something
// else; and how it is made, carried over to a later version and compared with its own.
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import { orHeaderFault } from "../sqlite/checks/file-check.ts"
import type { DatabaseFinding } from "../../domain/foundation/finding.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/checks/schema-check.ts"
import { recordedVersion } from "../sqlite/recorded-version.ts"
import { applySteps, stepsUpTo } from "../sqlite/checks/schema-steps.ts"
import { CORPUS_VERSIONS, corpusSteps } from "./schema-snapshots.ts"

/** "CXS1" as a big-endian number, in the header of every corpus database. */
const APPLICATION_ID = 0x43_58_53_31

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
  return { kind: "corpus", version: recordedVersion(connection, CORPUS_VERSIONS) }
}

/**
 * Looks at the application id, the schema's names and the version, all of one moment: another may be making the file
 * right now. A damaged header is damage, also where SQLite gives another reason.
 */
export const inspectCorpus = (connection: Connection): CorpusInspection =>
  orHeaderFault(connection, () => connection.snapshot(() => inspected(connection)))

/** What differs from the schema of the version that the database records. */
export const corpusSchemaFindings = (connection: Connection): ReadonlyArray<DatabaseFinding> =>
  schemaFindings(
    connection,
    CORPUS_VERSIONS,
    stepsUpTo(corpusSteps(), recordedVersion(connection, CORPUS_VERSIONS))
  )

/**
 * Applies every version that is missing, in one transaction, and gives what the database is afterwards. One that is not what
 * its own version made is `DatabaseDamaged`, and nothing is built upon it.
 */
export const migrateCorpus = (connection: Connection): CorpusInspection =>
  connection.transaction(() => {
    const found = inspectCorpus(connection)
    if (found.kind === "foreign") return found
    const [damage] = found.kind === "corpus" ? corpusSchemaFindings(connection) : []
    if (damage !== undefined) {
      throw new DatabaseDamaged({ code: damage.code, where: damage.where, finding: damage.message })
    }
    const version = found.kind === "empty" ? 0 : (found.version ?? Number.POSITIVE_INFINITY)
    applySteps(connection, CORPUS_VERSIONS, corpusSteps(), version)
    return inspectCorpus(connection)
  })
