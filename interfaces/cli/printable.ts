// Text for people. Stored text may hold characters that move a terminal's cursor, hide or turn text around; they are
// shown as escapes, so that a line always is what it says. JSON output never passes through here.
const unprintable = /[\p{Control}\p{Surrogate}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** One line: every control, direction and lone surrogate character, line feeds included, as `\uXXXX`. */
export const printable = (text: string): string => text.replaceAll(unprintable, escaped)

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
