// The released versions of the ledger's schema: the text that the runner executes, that checksums are taken of and
// that an opened file is compared with.
import { readSchemaStep, type SchemaStep } from "../sqlite/schema-steps.ts"

/** Where a ledger records its versions. */
export const LEDGER_VERSIONS = {
  table: "ledger_migrations",
  guard: "tr_migrations_append_only_insert"
} as const

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first; read once. */
export const schemaSteps = (): ReadonlyArray<SchemaStep> => (steps ??= [readSchemaStep(2, "0002-ledger")])
