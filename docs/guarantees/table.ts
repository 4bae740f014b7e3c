// The table of measured guarantees in README.md beside this file: each row is a claim and the command that shows it. Reads the rows, so that
// they can be run; it never judges what a command shows.

/** One row: what is promised, and the shell command that shows it, as it stands in the table. */
export interface Guarantee {
  readonly claim: string
  readonly command: string
}

/** A row's two cells, the second a command in backticks. */
const ROW = /^\| (?<claim>.+?) \| `(?<command>[^`]+)` \|$/

const HEADING = "## Measured guarantees"

/** The rows of the table below its heading; throws when there is none, or when a row has another form. */
export const guaranteesIn = (document: string): ReadonlyArray<Guarantee> => {
  const [, below] = document.split(`\n${HEADING}\n`)
  if (below === undefined) throw new Error(`The document has no heading ${JSON.stringify(HEADING)}`)
  const [section = ""] = below.split("\n## ")
  const rows = section.split("\n").filter((line) => line.startsWith("|"))
  // The names of the columns, and the line beneath them.
  const guarantees = rows.slice(2).map((row) => {
    const { claim, command } = ROW.exec(row)?.groups ?? {}
    if (claim === undefined || command === undefined) {
      throw new Error(`This row is no claim with its command in backticks: ${row}`)
    }
    return { claim, command }
  })
  if (guarantees.length === 0) throw new Error(`There is no row below ${HEADING}`)
  return guarantees
}

/** True when a whole `pnpm prop` runs what this command runs. */
export const isProperty = (command: string): boolean => /^(?:PROP_RUNS=\d+ )?pnpm prop /.test(command)

/** The command with few cases: without its own count, for which the environment speaks then, and with a short storm. */
export const quicker = (command: string): string =>
  command
    .replace(/^PROP_RUNS=\d+ /, "")
    .replace(/--seconds \d+/, "--seconds 4")
    .replace(/--workers \d+/, "--workers 8")
