// How the options of every opening are judged: by one Schema each, strictly, so that a misspelt or a mistyped option is
// refused by its name instead of being passed over. These are the fields that several openings share.
import * as Schema from "effect/Schema"
import { Wait } from "../../../application/foundation/wait.ts"
import { nameFault } from "../../files/file-system.ts"

/** A name that means a file, and no folder. */
export const Filename = Schema.String.check(Schema.makeFilter(nameFault))

/** What every opening of a database file may be told. */
export const fileOptions = {
  mode: Schema.optional(Schema.Literals(["write", "append", "read"])),
  busyDeadline: Schema.optional(Wait),
  allowNetworkFs: Schema.optional(Schema.Boolean)
}
