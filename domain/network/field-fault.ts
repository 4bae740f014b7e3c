// Names the field of foreign data that does not decode. Only the place is told: the data itself may be secret, huge, or made
// to garble a terminal.
import type * as Schema from "effect/Schema"
import { plainIssues, pointerOf } from "../canonical/plain-issues.ts"

/** Longest place that is shown (UTF-16 units): a name in it may come from a foreign file. */
const MAX_PLACE_UNITS = 100

/** `/counts/receipts is missing, unknown or of another form`, for the first field at fault. */
export const fieldFault = (error: Schema.SchemaError): string => {
  const [first] = plainIssues(error.issue)
  const place = pointerOf(first?.path ?? [])
    .toWellFormed()
    .slice(0, MAX_PLACE_UNITS)
  return `${place === "" ? "the value" : place} is missing, unknown or of another form`
}
