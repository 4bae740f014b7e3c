// The schema as it was released, version by version: the text that the runner executes, that checksums are taken
// of and that an opened file is compared with. It is read from files beside the migrations; the builders that
// once made it are not asked again, so no later release of theirs can change what a ledger must look like.
import { readFileSync } from "node:fs"
import { sha256 } from "../hashing/node-hashing.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"

export interface SchemaStep {
  /** The database version that the step leads to. */
  readonly version: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
  /** SHA-256 of the whole text. */
  readonly checksum: string
  /**
   * Judges what the statements have made, in their transaction: a step that changes a projection compares its
   * refold with the second projection here. A throw (`StoreCorrupt`) undoes everything.
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

const released = [{ version: 2, name: "0002-ledger" }]

const readStep = ({ name, version }: { readonly version: number; readonly name: string }): SchemaStep => {
  const file = `../../migrations/snapshots/${String(version).padStart(4, "0")}.sql`
  return schemaStep(version, name, readFileSync(new URL(file, import.meta.url), "utf8"))
}

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first; read once. */
export const schemaSteps = (): ReadonlyArray<SchemaStep> => (steps ??= released.map(readStep))
