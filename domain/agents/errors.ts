// What a call of an agent is refused for.
import * as Schema from "effect/Schema"

/** A call that is not open: it was recorded before, it ended before it began, or it ended twice. Nothing was recorded. */
export class CallNotOpen extends Schema.TaggedError<CallNotOpen>()("CallNotOpen", {
  host: Schema.String,
  session: Schema.String,
  call: Schema.String
}) {
  override get message() {
    return `Call ${this.call} of session ${this.session} (${this.host}) is not open: it was recorded before, or its end came first or twice`
  }
}

/** A message of a session's run is not as an adapter writes it. */
export class SessionUnreadable extends Schema.TaggedError<SessionUnreadable>()("SessionUnreadable", {
  message_id: Schema.String
}) {
  override get message() {
    return `Message ${this.message_id} is none that an adapter wrote: look at it with \`cortex show\`, and keep other messages out of runs that begin with session/`
  }
}
