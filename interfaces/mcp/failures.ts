// What a tool can fail with beside the errors of the parts that it calls. Each becomes the same envelope.
import * as Schema from "effect/Schema"
import type { CommandFailure, NegativeVerdict, OutputClosed, OutputFailed } from "../shared/failures.ts"

/** The server speaks for one agent, and the call names another. */
export class AgentMismatch extends Schema.TaggedError<AgentMismatch>()("AgentMismatch", {
  field: Schema.String,
  agent: Schema.String,
  given: Schema.String
}) {
  override get message() {
    return `This server speaks for agent ${this.agent}: leave ${this.field} out or give that name, not ${this.given}`
  }
}

/** A path that leads out of the server's root, by dots or by links. */
export class PathOutsideRoot extends Schema.TaggedError<PathOutsideRoot>()("PathOutsideRoot", {
  field: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `/${this.field}: ${this.path} lies outside the root folder of this server`
  }
}

/** What the parts fail with, and what stands in this file; a verdict that is no is no failure of a tool. */
export type ToolFailure =
  | Exclude<CommandFailure, OutputClosed | OutputFailed | NegativeVerdict>
  | AgentMismatch
  | PathOutsideRoot
