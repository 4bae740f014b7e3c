// How the options of every opening are judged: by one Schema each, strictly, so that a misspelt or a mistyped option is
// refused by its name instead of being passed over. These are the fields that several openings share.
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { waitMillis } from "./busy-retry.ts"
import { nameFault } from "../files/file-system.ts"

/** A name that means a file, and no folder. */
export const Filename = Schema.String.check(Schema.makeFilter(nameFault))

/** A wait from 0 on. */
const Wait = Schema.declare(
  (value): value is Duration.Input => waitMillis(value as Duration.Input) !== undefined,
  { expected: "a duration from 0 on, or milliseconds" }
)

/** What every opening of a database file may be told. */
export const fileOptions = {
  mode: Schema.optional(Schema.Literals(["write", "append", "read"])),
  busyDeadline: Schema.optional(Wait),
  allowNetworkFs: Schema.optional(Schema.Boolean)
}
