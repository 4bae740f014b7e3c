// Texts that are longer than an answer: they are read in parts, each from the character on at which the one before ended.
import * as Schema from "effect/Schema"
import { charactersOf } from "../../../domain/canonical/answer-budget.ts"
import { argument, type GoingOn } from "./tool.ts"

/** The argument of a tool that answers one long text. */
export const offset = Schema.optionalKey(
  argument(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "how many characters of the text to pass over, to go on where an answer was cut"
  )
)

/** Arguments of the call that goes on after what is shown of the text in a field. */
export const goingOnInText = (field: string): GoingOn<{ readonly offset?: number }> => ({
  field,
  next: ({ offset = 0 }, shown) => ({ offset: offset + charactersOf(shown as string) })
})
