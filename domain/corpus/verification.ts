// The vocabulary of verifying a corpus database: stable finding codes beside those of expansions. A code is never renamed
// or reused; docs/spec/corpus.md lists them for other implementations.
import { databaseFindingCodes } from "../foundation/finding.ts"

/** Every finding code of the database itself with what it means; those of a schema are the same for every database. */
const corpusFindingCodes = {
  INTEGRITY: databaseFindingCodes.INTEGRITY,
  TABLE_MISSING: databaseFindingCodes.TABLE_MISSING,
  TRIGGER_MISSING: databaseFindingCodes.TRIGGER_MISSING,
  SCHEMA_MISSING: databaseFindingCodes.SCHEMA_MISSING,
  SCHEMA_CHANGED: databaseFindingCodes.SCHEMA_CHANGED,
  SCHEMA_EXTRA: databaseFindingCodes.SCHEMA_EXTRA,
  MIGRATION_CHANGED: databaseFindingCodes.MIGRATION_CHANGED,
  FOREIGN_KEY: databaseFindingCodes.FOREIGN_KEY,
  INDEX_CHANGED: "what the index holds of a file is not under its hash: cortex index makes it again",
  SECTION_INVALID: "a section is not under its id, or belongs to no file: cortex index makes it again",
  HEADING_INVALID: "a heading names a section that is not its own: cortex index makes it again",
  SYMBOL_CHANGED: "a symbol is not under its hash: remove it and add it again",
  DOCUMENT_DIFFERS: "a file that counts as unchanged has another text than the one that was indexed",
  EXPANSION_DIFFERS: "an expansion is not what its section, which still stands, gives for its slice"
} as const

export type CorpusFindingCode = keyof typeof corpusFindingCodes
