// What a call of an agent is refused for.
import * as Schema from "effect/Schema"

/** A call ended that was not begun here, or that has ended before; nothing was recorded. */
export class CallNotOpen extends Schema.TaggedError<CallNotOpen>()("CallNotOpen", {
  host: Schema.String,
  session: Schema.String,
  call: Schema.String
}) {
  override get message() {
    return `Call ${this.call} of session ${this.session} (${this.host}) ended, but is not open here: tell its beginning first, and its end once`
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
