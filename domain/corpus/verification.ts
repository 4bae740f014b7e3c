// The vocabulary of verifying a corpus database: stable finding codes beside those of expansions. A code is never renamed
// or reused; docs/spec/corpus.md lists them for other implementations.
import { findingCodes as ledgerFindingCodes } from "../ledger/verification.ts"

/** Every finding code of the database itself with what it means; those of a schema are the same for every database. */
const corpusFindingCodes = {
  INTEGRITY: ledgerFindingCodes.INTEGRITY,
  TABLE_MISSING: ledgerFindingCodes.TABLE_MISSING,
  TRIGGER_MISSING: ledgerFindingCodes.TRIGGER_MISSING,
  SCHEMA_MISSING: ledgerFindingCodes.SCHEMA_MISSING,
  SCHEMA_CHANGED: ledgerFindingCodes.SCHEMA_CHANGED,
  SCHEMA_EXTRA: ledgerFindingCodes.SCHEMA_EXTRA,
  MIGRATION_CHANGED: ledgerFindingCodes.MIGRATION_CHANGED,
  FOREIGN_KEY: ledgerFindingCodes.FOREIGN_KEY,
  INDEX_CHANGED: "what the index holds of a file is not under its hash: cortex index makes it again",
  SECTION_INVALID: "a section is not under its id, or belongs to no file: cortex index makes it again",
  HEADING_INVALID: "a heading names a section that is not its own: cortex index makes it again",
  SYMBOL_CHANGED: "a symbol is not under its hash: remove it and add it again",
  DOCUMENT_DIFFERS: "a file that counts as unchanged has another text than the one that was indexed",
  EXPANSION_DIFFERS: "an expansion is not what its section, which still stands, gives for its slice"
} as const

export type CorpusFindingCode = keyof typeof corpusFindingCodes
