// A payload, a receipt or a thought as lines: short JSON in one line, longer JSON indented, and of a folded one its beginning with
// what is missing.
import type { JsonValue } from "../../../domain/canonical/json.ts"
import type { Body } from "../../../domain/history/bodies.ts"
import { printable, printableLines } from "../../shared/terminal-text.ts"

/** JSON that is longer is indented. */
const ONE_LINE = 96

/** JSON as lines: one when it is short. */
export const jsonLines = (value: JsonValue): ReadonlyArray<string> => {
  const line = JSON.stringify(value)
  return line.length <= ONE_LINE
    ? [printable(line)]
    : JSON.stringify(value, null, 2).split("\n").map(printable)
}

const bodyLines = ({ beginning, bytes, sha256, whole }: Body): ReadonlyArray<string> => {
  if (beginning !== null) {
    return [
      `${printable(beginning)} …`,
      `(the beginning of ${bytes} bytes with the SHA-256 ${sha256}; --full shows all)`
    ]
  }
  return typeof whole === "string" ? printableLines(whole).split("\n") : jsonLines(whole)
}

/** A body under a heading; an empty text has none. */
export const bodySection = (heading: string, body: Body): ReadonlyArray<string> =>
  body.whole === "" ? [] : ["", heading, ...bodyLines(body).map((line) => `  ${line}`)]
