// How a hook of a coding agent fails where its settings say that the agent must not go on. Hosts take exit code 2 as "block"; at the
// end of a session there is nothing left to block, and a host that is told so would make the agent go on.
import * as Schema from "effect/Schema"

/** A call was not recorded, and must not be made. */
export class CallNotRecorded extends Schema.TaggedError<CallNotRecorded>()("CallNotRecorded", {
  reason: Schema.String
}) {
  override get message() {
    return `This call was not recorded, and --on-error block forbids calls without a record: ${this.reason}`
  }
}

/** The end of a turn or a session was not recorded. */
export class StopNotRecorded extends Schema.TaggedError<StopNotRecorded>()("StopNotRecorded", {
  reason: Schema.String
}) {
  override get message() {
    return `This stop was not recorded: ${this.reason}`
  }
}
