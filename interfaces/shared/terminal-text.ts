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

/** How much of a text a list shows, in characters. */
const SHOWN = 60

/** The beginning of a text's first line, for a list. */
export const beginning = (text: string): string => {
  const [line = ""] = text.split("\n")
  const characters = Array.from(line)
  return characters.length > SHOWN || line !== text ? `${characters.slice(0, SHOWN).join("")} …` : line
}

/** Characters that take two columns of a terminal, as East Asian ones and pictures do. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const widthOf = (character: string): number => {
  if (/\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** How many columns of a terminal a text takes. */
const width = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + widthOf(character), 0)

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

/** A table that is laid out when it is written: in columns where there is room for them. */
interface Table {
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** A line of text, or a table. */
export type Line = string | Table

/** A table among lines. */
export const table = (header: Table["header"], rows: Table["rows"]): ReadonlyArray<Line> => [{ header, rows }]

/** A text in lines of at most so many columns, broken at blanks where it has some. */
export const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines = [""]
  const add = (piece: string) => {
    const line = lines.at(-1) ?? ""
    if (width(line) + width(piece) <= columns) lines[lines.length - 1] = line + piece
    else if (width(piece) <= columns) lines.push(piece.trimStart())
    else for (const character of piece) add(character)
  }
  for (const piece of text.split(/(?= )/)) add(piece)
  return lines
}

/** Each row as a record: one cell a line behind its column's name. */
const recordLines = ({ header, rows }: Table, columns: number): ReadonlyArray<string> => {
  const widest = header.reduce((most, name) => Math.max(most, width(name)), 0)
  const room = Math.max(1, columns - widest - 2)
  const cellLines = (name: string, cell: string): ReadonlyArray<string> =>
    wrapped(printable(cell), room).map((line, index) =>
      `${pad(index === 0 ? name : "", widest)}  ${line}`.trimEnd()
    )
  return rows.flatMap((row, index) => {
    const lines = header.flatMap((name, column) => cellLines(name, row[column] ?? ""))
    return index === 0 ? lines : [""].concat(lines)
  })
}

/**
 * Lines as they are written. A table that is wider than the terminal is written as records, so that nothing of it is
 * lost; without a terminal it is always a table.
 */
export const laidOut = (lines: ReadonlyArray<Line>, columns: number | undefined): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    if (typeof line === "string") return [line]
    const inColumns = tableLines(line.header, line.rows)
    return columns === undefined || inColumns.every((text) => width(text) <= columns)
      ? inColumns
      : recordLines(line, columns)
  })
