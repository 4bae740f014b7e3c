// What a workflow engine on the ledger refuses. A workflow's own errors never come here: these are faults of the program that uses
// the engine, so they are defects, with the names that are needed to find them.
import * as Schema from "effect/Schema"

/** The process that was asked has not registered the workflow. */
export class WorkflowNotRegistered extends Schema.TaggedError<WorkflowNotRegistered>()(
  "WorkflowNotRegistered",
  { workflow: Schema.String }
) {
  override get message() {
    return `Workflow ${this.workflow} is not registered: provide its layer (${this.workflow}.toLayer) to this program`
  }
}

/** An execution with this id was started before, with another payload; nothing was written. */
export class ExecutionConflict extends Schema.TaggedError<ExecutionConflict>()("ExecutionConflict", {
  workflow: Schema.String,
  execution: Schema.String
}) {
  override get message() {
    return `Execution ${this.execution} of workflow ${this.workflow} was started with another payload: give other work another idempotency key`
  }
}

/** The ledger has no execution of this name. */
export class ExecutionNotFound extends Schema.TaggedError<ExecutionNotFound>()("ExecutionNotFound", {
  execution: Schema.String
}) {
  override get message() {
    return `There is no execution ${this.execution} in this ledger: \`cortex workflow list\` lists all, as WORKFLOW/ID`
  }
}

/** An execution that takes no wake: it is complete, or was not executed yet. */
export class ExecutionNotOpen extends Schema.TaggedError<ExecutionNotOpen>()("ExecutionNotOpen", {
  execution: Schema.String,
  status: Schema.Literals(["complete", "early"])
}) {
  override get message() {
    const why =
      this.status === "complete" ? "is complete, and its result never changes" : "was not executed yet"
    return `Execution ${this.execution} ${why}: nothing was posted`
  }
}

/** A value that a workflow hands over cannot be recorded: it has no JSON form, or is too large. */
export class NotRecordable extends Schema.TaggedError<NotRecordable>()("NotRecordable", {
  workflow: Schema.String,
  execution: Schema.String,
  /** What the value is: `payload`, `result`, or an activity's or deferred's name. */
  what: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.what} of workflow ${this.workflow} (execution ${this.execution}) cannot be recorded: ${this.reason}`
  }
}

/** What the ledger has of an execution cannot be read: another program wrote it, or the Schemas of the workflow are others now. */
export class RecordUnreadable extends Schema.TaggedError<RecordUnreadable>()("RecordUnreadable", {
  workflow: Schema.String,
  execution: Schema.String,
  /** What it is: the result, or the exit of an activity or deferred, by its name. */
  what: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.what} of workflow ${this.workflow} (execution ${this.execution}) cannot be read (${this.reason}): another program wrote it, or the Schemas of the workflow were changed`
  }
}
