// A schema as it was released, version by version, and how a database gets from one version to the next. Steps are
// the texts of migrations/snapshots; the builders that once made them are not asked again, so no later release
// of theirs can change what a database must look like.
import { sha256 } from "../../hashing/node-hashing.ts"
import type { SqlHost } from "../connection/sql-host.ts"

export interface SchemaStep {
  /** The database version that the step leads to. */
  readonly version: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
  /** SHA-256 of the whole text. */
  readonly checksum: string
  /**
   * Judges what the statements have made, in their transaction: a step that changes a projection compares its
   * refold with the second projection here. A throw (`DatabaseDamaged`) undoes everything.
   */
  readonly check?: (host: SqlHost) => void
}

/** Statements stand one after another, each closed by a semicolon and an empty line. */
export const schemaStep = (version: number, name: string, text: string): SchemaStep => ({
  version,
  name,
  statements: text.split(/;\n\n/).filter((statement) => statement.trim() !== ""),
  checksum: sha256(text)
})

const shorter = new WeakMap<ReadonlyArray<SchemaStep>, Map<number, ReadonlyArray<SchemaStep>>>()

/**
 * The steps that lead to a version, which is the one that a database records: it is judged by these and no others. All of them
 * where nothing is recorded, or a version that none of them leads to; what is amiss then shows in the schema. Always the same
 * array for one version, so that what is remembered of it is found.
 */
export const stepsUpTo = (
  steps: ReadonlyArray<SchemaStep>,
  version: number | undefined
): ReadonlyArray<SchemaStep> => {
  if (version === undefined || version === steps.at(-1)?.version) return steps
  if (!steps.some((step) => step.version === version)) return steps
  const known = shorter.get(steps) ?? new Map<number, ReadonlyArray<SchemaStep>>()
  shorter.set(steps, known)
  const found = known.get(version) ?? steps.filter((step) => step.version <= version)
  known.set(version, found)
  return found
}

/** Where a database records its versions: a table of `version`, `name` and `checksum`. */
export interface VersionTable {
  readonly table: string
  /** The trigger that refuses a new record to everybody, if the table has one. */
  readonly guard?: string
}

/** Records a version. The guard is put back before the transaction ends. */
const record = (host: SqlHost, { guard, table }: VersionTable, step: SchemaStep): void => {
  const stored = host.all<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?",
    [guard ?? null]
  )[0]
  if (stored !== undefined) host.run(`DROP TRIGGER ${guard}`)
  host.run(`INSERT INTO ${table} (version, name, checksum) VALUES (?, ?, ?)`, [
    step.version,
    step.name,
    step.checksum
  ])
  if (stored !== undefined) host.run(stored.sql)
}

/** Applies the steps after `version` and records each; belongs inside a transaction. */
export const applySteps = (
  host: SqlHost,
  versions: VersionTable,
  steps: ReadonlyArray<SchemaStep>,
  version: number
): void => {
  for (const step of steps) {
    if (step.version <= version) continue
    host.script(step.statements)
    record(host, versions, step)
    step.check?.(host)
  }
}
