// How reading the history is refused, as tagged data that carries what is needed to act.
import * as Schema from "effect/Schema"

/** Nothing in the ledger has this id, or an id that begins so. */
export class IdNotFound extends Schema.TaggedError<IdNotFound>()("IdNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Nothing in this ledger has the id ${this.id}, or an id that begins so: \`cortex cassette status\` lists runs, \`cortex timeline\` all that happened`
  }
}
