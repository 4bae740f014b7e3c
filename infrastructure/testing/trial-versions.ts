/**
 * Versions that do not exist, as the next release might bring them: an index, a table with guards, and a trigger that says
 * something else. Tests put them beside the released ones, so that the program that they run is that later release.
 */
import { appendOnly } from "../../migrations/0002-ledger/guards.ts"
import { broughtForward } from "../../migrations/database-version.ts"
import { refuse, trigger } from "../../migrations/statements.ts"
import { type SchemaStep, schemaStep } from "../sqlite/checks/schema-steps.ts"

const step = (version: number, name: string, statements: ReadonlyArray<string>): SchemaStep =>
  schemaStep(version, name, statements.map((text) => `${text};\n\n`).join(""))

/** What a version brings that changes no row: the same for each kind of database. */
const additions = [
  'CREATE TABLE "trial_notes" ("note_id" INTEGER PRIMARY KEY, "text" TEXT NOT NULL) STRICT',
  ...appendOnly("trial_notes", "trial_notes")
]

/** The statements of version 3 of a ledger that change no record of the version. */
export const trialLedgerStatements: ReadonlyArray<string> = [
  'CREATE INDEX "ix_receipts_worker" ON "cassette_receipts" ("worker_id", "event_position")',
  ...additions,
  'DROP TRIGGER "tr_receipts_append_only_delete"',
  trigger({
    name: "tr_receipts_append_only_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "cassette_receipts",
    body: [refuse("cassette_receipts is append-only: a receipt is kept for good")]
  })
]

/** Version 3 of a ledger. */
export const trialLedgerVersion = (
  statements: ReadonlyArray<string> = [...trialLedgerStatements, ...broughtForward(3)]
): SchemaStep => step(3, "0003-trial", statements)

/** Version 2 of a corpus database. */
export const trialCorpusVersion = (): SchemaStep =>
  step(2, "0002-trial", ['CREATE INDEX "ix_symbols_trial" ON "symbols" ("path")', ...additions])

/** Version 2 of a cassette. */
export const trialCassetteVersion = (): SchemaStep =>
  step(2, "0002-trial", ['CREATE INDEX "ix_documents_trial" ON "documents" ("type")', ...additions])
