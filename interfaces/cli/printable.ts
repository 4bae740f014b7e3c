// Text for people, and JSON that people see. Stored text may hold characters that move a terminal's cursor, hide or
// turn text around; they are shown as escapes, so that a line always is what it says. JSON keeps its value.

/**
 * Every character without a shape of its own: controls, formats (directions, joiners, tags), separators of lines,
 * private and unassigned ones, halves of pairs, and what fonts show as nothing; but not the two that choose between
 * the forms of an emoji.
 */
const unprintable = /(?![\ufe0e\ufe0f])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const escaped = (character: string): string => character.split("").map(escapedUnit).join("")

/** One line: every such character, line feeds included, as `\uXXXX` for each of its UTF-16 units. */
export const printable = (text: string): string => text.replaceAll(unprintable, escaped)

/** JSON text with such characters as escapes; they can stand in its strings only, so it is the same JSON value. */
export const printableJson = (json: string): string => printable(json)

/** As `printable`, but keeps line feeds. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")

const width = (text: string): number => Array.from(text).length

const pad = (text: string, to: number): string => text + " ".repeat(Math.max(0, to - width(text)))

/** Lines of a table: columns are as wide as their widest cell and stand two blanks apart. */
export const tableLines = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const cells = [header, ...rows].map((row) => row.map(printable))
  const widths = header.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[column] ?? "")), 0)
  )
  return cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

/** Lines of `name  value`, one per pair, with the values below each other. */
export const fieldLines = (fields: ReadonlyArray<readonly [name: string, value: string]>) => {
  const widest = fields.reduce((most, [name]) => Math.max(most, width(name)), 0)
  return fields.map(([name, value]) => `${pad(name, widest)}  ${printable(value)}`)
}
