// Holds rows of the corpus database against what they claim, before anything is concluded from them: the hash over what
// is indexed of a file, a section's id, a symbol's hash, the order of a page. What differs is damage, with its place.
import { indexHash, symbolHash } from "../../domain/corpus/row-hashes.ts"
import type { SectionRow, SymbolRow } from "../../domain/corpus/rows.ts"
import { sectionId } from "../../domain/corpus/sections.ts"
import type { CorpusFindingCode } from "../../domain/corpus/verification.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import type { StoredFile, StoredSymbol } from "./corpus-statements.ts"
import { selectHeadingsOf, selectSectionsOf } from "./compiled/corpus-statements.ts"

const meanings = {
  INTEGRITY: "what was written there is not what is found",
  INDEX_CHANGED: "what is indexed of it is not under its hash: run cortex index, which makes it again",
  SECTION_INVALID: "it is not under its id: run cortex index, which makes it again",
  SYMBOL_CHANGED: "it is not under its hash: remove it with cortex symbol remove and add it again"
} as const satisfies Partial<Record<CorpusFindingCode, string>>

/** Damage at a place. */
export const damaged = (code: keyof typeof meanings, where: string): DatabaseDamaged =>
  new DatabaseDamaged({ code, where, finding: `${where}: ${meanings[code]}` })

/** True when a text comes after another in the database's order, which is that of their bytes; a damaged key may be no text. */
export const isBehindText = (text: unknown, other: unknown): boolean =>
  typeof text === "string" &&
  typeof other === "string" &&
  Buffer.compare(Buffer.from(text), Buffer.from(other)) > 0

/** True when all that is indexed of a file is what was indexed. */
export const isIndexWhole = (connection: Connection, file: StoredFile): boolean => {
  const { path } = file
  const sections = selectSectionsOf.all(connection, { path })
  const headings = selectHeadingsOf.all(connection, { path })
  return indexHash(sha256, { file, sections, headings }) === file.index_hash
}

/** The file's row, if all that is indexed of the file is what was indexed; else throws `DatabaseDamaged`. */
export const soundIndex = (connection: Connection, file: StoredFile): StoredFile => {
  if (!isIndexWhole(connection, file)) throw damaged("INDEX_CHANGED", `files ${file.path}`)
  return file
}

/** The section, if its id is its own; else throws `DatabaseDamaged`. */
export const soundSection = (section: SectionRow): SectionRow => {
  if (sectionId(sha256, section) !== section.section_id) {
    throw damaged("SECTION_INVALID", `sections ${section.section_id}`)
  }
  return section
}

/** True when a symbol is what was added. */
export const isSymbolWhole = (stored: StoredSymbol): boolean =>
  symbolHash(sha256, stored) === stored.symbol_hash

/** The symbol, if there is one and it is what was added; else throws `DatabaseDamaged`. */
export const soundSymbol = (stored: StoredSymbol | undefined): SymbolRow | undefined => {
  if (stored === undefined) return undefined
  if (!isSymbolWhole(stored)) throw damaged("SYMBOL_CHANGED", `symbols ${stored.symbol_id}`)
  const { symbol_hash: _, ...symbol } = stored
  return symbol
}

/** The rows, if each is behind the one before it, the first behind `after`: else a reader by pages would never end. */
export const soundOrder = <Row extends After, After>(
  table: string,
  rows: ReadonlyArray<Row>,
  after: After | undefined,
  isBehind: (row: After, other: After) => boolean
): ReadonlyArray<Row> => {
  let before = after
  for (const row of rows) {
    if (before !== undefined && !isBehind(row, before)) {
      const finding = `${table}: rows are not in the order of their index`
      throw new DatabaseDamaged({ code: "INTEGRITY", where: table, finding })
    }
    before = row
  }
  return rows
}
