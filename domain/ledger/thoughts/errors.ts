// How thoughts are refused, as tagged data that carries what is needed to act.
import * as Schema from "effect/Schema"

/** The ledger has no such task: no thought was ever recorded for it. */
export class TaskNotFound extends Schema.TaggedError<TaskNotFound>()("TaskNotFound", {
  task_id: Schema.String
}) {
  override get message() {
    return `There is no task ${this.task_id} in this ledger: \`cortex thought list\` shows thoughts with their tasks`
  }
}

/** The id that the caller chose belongs to another record; nothing was written. */
export class DuplicateId extends Schema.TaggedError<DuplicateId>()("DuplicateId", {
  id: Schema.String,
  /** The task of the record that has it. */
  task_id: Schema.String
}) {
  override get message() {
    return `There is a thought with the id ${this.id} already, in task ${this.task_id}: choose another id, or none`
  }
}

/** No thought has this id. */
export class ThoughtNotFound extends Schema.TaggedError<ThoughtNotFound>()("ThoughtNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Thought not found: ${this.id}`
  }
}
