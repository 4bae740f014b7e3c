// What every verification shares: the verdict, the codes of what can be wrong with any database, how a finding quotes, and
// how many one report lists.
import * as Schema from "effect/Schema"
import type { Sha256 } from "../canonical/sha256.ts"

export const Verdict = Schema.Literals(["PASS", "FAIL"])
export type Verdict = typeof Verdict.Type

/** The codes of findings that any database can have, with what each means. */
export const databaseFindingCodes = {
  FOREIGN_KEYS_OFF: "the connection does not enforce foreign keys",
  INTEGRITY:
    "the header, a page or an index of the file is damaged, or a rung met rows that it cannot follow",
  FOREIGN_KEY: "a row refers to a row that does not exist",
  TABLE_MISSING: "a required table is missing",
  TRIGGER_MISSING: "a required trigger is missing",
  SCHEMA_MISSING: "an index or view of the schema is missing",
  SCHEMA_CHANGED: "an object of the schema has another definition",
  SCHEMA_EXTRA: "the schema has an object that no migration made",
  MIGRATION_CHANGED: "an applied migration is not the one that this program knows",
  TEXT_NOT_UTF8: "a text has bytes that are not UTF-8",
  CELL_TOO_LARGE: "a cell holds more than any writer gives it (16 MiB)"
} as const

export type DatabaseFindingCode = keyof typeof databaseFindingCodes

/** Something that is wrong, and where. */
export interface FindingOf<Code extends string> {
  readonly code: Code
  /** What the finding is about, from large to small. */
  readonly where: string
  readonly message: string
}

/** The Schema of findings with these codes: every report has them in this form. */
export const findingWith = <Codes extends Readonly<Record<string, string>>>(codes: Codes) =>
  Schema.Struct({
    code: Schema.Literals(Object.keys(codes) as ReadonlyArray<keyof Codes & string>),
    where: Schema.String,
    message: Schema.String
  })

/** Something that is wrong with a database, of any part. */
export type DatabaseFinding = FindingOf<DatabaseFindingCode>

/** Longest text of a finding, `where` and `message` each (UTF-16 units). */
const MAX_FINDING_TEXT = 2_000

/** Longest value that a finding quotes (UTF-16 units). */
const MAX_QUOTED = 200

/** A text that is too long for a finding, cut, with its length. */
export const clippedText = (text: string): string =>
  text.length <= MAX_FINDING_TEXT
    ? text
    : `${text.slice(0, MAX_FINDING_TEXT).toWellFormed()}… (${text.length} characters)`

/** A stored value as a finding quotes it: a long text by its beginning, its length and its SHA-256. */
export const quotedValue = (sha256: Sha256, value: string | number | null | undefined): string =>
  typeof value !== "string" || value.length <= MAX_QUOTED
    ? JSON.stringify(value ?? null)
    : `${JSON.stringify(value.slice(0, MAX_QUOTED).toWellFormed())}… (${value.length} characters, SHA-256 ${sha256(value)})`

/** Most findings that one report lists. */
export const MAX_FINDINGS = 1_000
