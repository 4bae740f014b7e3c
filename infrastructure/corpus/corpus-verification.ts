// Judges a corpus database from its file alone: SQLite's own check, the schema, and every row against what it claims. A
// part that cannot be read is a finding, so no damage ends the judging. It reads one moment and changes nothing.
import { CheckFindings, type CheckReport } from "../../domain/corpus/check-report.ts"
import { expansionFault } from "../../domain/corpus/expansion-check.ts"
import { expansionHash } from "../../domain/corpus/row-hashes.ts"
import type { SectionRow } from "../../domain/corpus/rows.ts"
import { sectionId } from "../../domain/corpus/sections.ts"
import type { DatabaseFinding } from "../../domain/foundation/finding.ts"
import type { CorpusFindingCode } from "../../domain/corpus/verification.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import { part, stoppedTogether, stopsOf } from "../sqlite/checks/check-parts.ts"
import { fileFindings } from "../sqlite/checks/file-check.ts"
import { companionNotes } from "../sqlite/checks/schema-check.ts"
import { corpusIdentity } from "./corpus-identity.ts"
import { corpusSchemaFindings } from "./corpus-schema.ts"
import { isBehindText, isIndexWhole, isSymbolWhole, soundOrder } from "./corpus-soundness.ts"
import type { StoredFile, StoredSymbol } from "./corpus-statements.ts"
import { selectStrayPaths } from "./compiled/corpus-statements.ts"
import { selectNextExpansion } from "./expansions/compiled/expansion-statements.ts"

type Find = (code: CorpusFindingCode, where: string, message: string) => void

const tell = (find: Find, findings: ReadonlyArray<DatabaseFinding>): void => {
  for (const { code, message, where } of findings) find(code as CorpusFindingCode, where, message)
}

const checkStructure = (connection: Connection, list: CheckFindings, find: Find): void => {
  const findings = [
    ...fileFindings(connection, corpusIdentity),
    ...part("schema", () => {
      list.warn(companionNotes(connection))
      return corpusSchemaFindings(connection)
    })
  ]
  tell(find, findings)
}

const checkReferences = (connection: Connection, find: Find): void => {
  const rows = connection.all<{ table: string; parent: string }>("PRAGMA foreign_key_check")
  for (const { parent, table } of rows) {
    find("FOREIGN_KEY", table, `a row refers to a missing row of ${parent}: cortex index makes it again`)
  }
}

/** Rows that are read at once, and most findings of one kind that are looked up. */
const PAGE_ROWS = 1_000

/** Every row of a table that is named by a text, in order; a page that does not begin behind the one before is damage. */
function* rowsOf<Row extends { readonly [Key in Name]: string }, Name extends string>(
  connection: Connection,
  table: string,
  name: Name
): Generator<Row> {
  const page = `SELECT * FROM "${table}" NOT INDEXED WHERE "${name}" > ? ORDER BY "${name}" LIMIT ${PAGE_ROWS}`
  for (let after = ""; ;) {
    const rows = connection.all<Row>(page, [after])
    yield* soundOrder(table, rows, { [name]: after } as Row, (row, other) =>
      isBehindText(row[name], other[name])
    )
    if (rows.length < PAGE_ROWS) return
    after = rows.at(-1)![name]
  }
}

const countOf = (connection: Connection, table: string): number =>
  connection.all<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}" NOT INDEXED`)[0]?.rows ?? 0

const checkFiles = (connection: Connection, find: Find): number => {
  let files = 0
  for (const file of rowsOf<StoredFile, "path">(connection, "files", "path")) {
    files += 1
    const where = `files ${file.path}`
    const stops = stopsOf(where, () => {
      if (isIndexWhole(connection, file)) return
      find("INDEX_CHANGED", where, "what is indexed of it is not under its hash: cortex index makes it again")
    })
    tell(find, stops)
  }
  return files
}

const checkSections = (connection: Connection, find: Find): number => {
  let sections = 0
  for (const section of rowsOf<SectionRow, "section_id">(connection, "sections", "section_id")) {
    sections += 1
    if (sectionId(sha256, section) === section.section_id) continue
    const where = `sections ${section.section_id}`
    find("SECTION_INVALID", where, "it is not under its id: cortex index makes it again")
  }
  for (const { path } of selectStrayPaths.all(connection, {})) {
    find("SECTION_INVALID", `sections of ${path}`, "the file is not indexed: cortex index removes them")
  }
  return sections
}

const STRANGE_HEADINGS = `SELECT h.path, h.line FROM headings AS h NOT INDEXED LEFT JOIN sections AS s ON s.section_id = h.section_id WHERE s.path IS NOT h.path OR s.line_start IS NOT h.line LIMIT ${PAGE_ROWS}`

const checkHeadings = (connection: Connection, find: Find): number => {
  for (const { line, path } of connection.all<{ path: string; line: number }>(STRANGE_HEADINGS)) {
    const message = "its section is not the one that begins with it: cortex index makes it again"
    find("HEADING_INVALID", `headings ${path} line ${line + 1}`, message)
  }
  return countOf(connection, "headings")
}

const checkSymbols = (connection: Connection, find: Find): number => {
  let symbols = 0
  for (const stored of rowsOf<StoredSymbol, "symbol_id">(connection, "symbols", "symbol_id")) {
    symbols += 1
    if (isSymbolWhole(stored)) continue
    const message = "it is not under its hash: remove it with cortex symbol remove and add it again"
    find("SYMBOL_CHANGED", `symbols ${stored.symbol_id}`, message)
  }
  return symbols
}

/** Looks at every expansion in the database, one at a time, since a text may be large. */
export const checkExpansions = (connection: Connection, list: CheckFindings): number => {
  let expansions = 0
  for (let after = 0; ;) {
    const next = selectNextExpansion.first(connection, { after })
    if (next === undefined) return expansions
    const { expansion_hash, row, ...expansion } = next
    const where = `expansions row ${row}`
    if (row <= after) {
      list.add("INTEGRITY", where, `it stands behind row ${after}: rows are not in order`)
      return expansions
    }
    const fault = expansionFault(sha256, expansion)
    if (fault !== undefined) list.add(fault.code, where, fault.message)
    else if (expansionHash(sha256, expansion) !== expansion_hash) {
      list.add("EXPANSION_CHANGED", where, "expansion_hash is not that of its fields")
    }
    expansions += 1
    after = row
  }
}

/** Everything that is wrong with an open corpus database, as far as its own bytes tell. */
export const verifyCorpus = (connection: Connection): CheckReport => {
  const list = new CheckFindings()
  const find: Find = (code, where, message) => list.add(code, where, message)
  const counts = { files: 0, sections: 0, headings: 0, symbols: 0, expansions: 0 }
  checkStructure(connection, list, find)
  const stops = [
    ...stopsOf("references", () => checkReferences(connection, find)),
    ...stopsOf("files", () => (counts.files = checkFiles(connection, find))),
    ...stopsOf("sections", () => (counts.sections = checkSections(connection, find))),
    ...stopsOf("headings", () => (counts.headings = checkHeadings(connection, find))),
    ...stopsOf("symbols", () => (counts.symbols = checkSymbols(connection, find))),
    ...stopsOf("expansions", () => (counts.expansions = checkExpansions(connection, list)))
  ]
  for (const { code, message, where } of stoppedTogether(stops))
    find(code as CorpusFindingCode, where, message)
  return list.reportOver(counts)
}
