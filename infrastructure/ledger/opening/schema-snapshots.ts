// The released versions of the ledger's schema: the text that the runner executes, that checksums are taken of and
// that an opened file is compared with.
import { schema } from "../../../migrations/snapshots/0002.ts"
import { schemaStep, type SchemaStep } from "../../sqlite/checks/schema-steps.ts"

/** Where a ledger records its versions. */
export const LEDGER_VERSIONS = {
  table: "ledger_migrations",
  guard: "tr_migrations_append_only_insert"
} as const

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first. */
export const schemaSteps = (): ReadonlyArray<SchemaStep> => (steps ??= [schemaStep(2, "0002-ledger", schema)])
