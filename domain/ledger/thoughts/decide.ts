// The decider of thoughts: a command, what its task's chain ends with and who has its id give the event and the
// record, or a refusal. Pure and synchronous, since it runs inside the database's write lock.
import * as Result from "effect/Result"
import { jcsText } from "../../canonical/jcs.ts"
import type { Decided, Moment } from "../decide.ts"
import { DuplicateId } from "./errors.ts"
import { taskStream } from "../event-envelope.ts"
import { ZERO_HASH } from "../limits.ts"
import type { RecordThought } from "./commands.ts"
import { computeHash, type ThoughtRecord } from "./thought-record.ts"

/** What a decision needs to know of the ledger. */
export interface ThoughtState {
  /** The task of the record that has the command's id already. */
  readonly takenBy: string | undefined
  /** The hash of the task's newest record by event position. */
  readonly tail: string | undefined
}

/** Appends to the end of the task's chain, unless the id is taken. */
export const decideThought = (
  command: RecordThought,
  state: ThoughtState,
  moment: Pick<Moment, "sha256">
): Decided<ThoughtRecord, DuplicateId> => {
  const { agent_id, content, id, task_id, timestamp, type } = command
  if (state.takenBy !== undefined) return Result.fail(new DuplicateId({ id, task_id: state.takenBy }))
  const prev_hash = state.tail ?? ZERO_HASH
  const hash = computeHash(moment.sha256, { id, type, task_id, content, timestamp, prev_hash })
  return Result.succeed({
    events: [
      {
        type: "ThoughtRecorded",
        stream_id: taskStream(task_id),
        data: jcsText({ agent_id, content, hash, id, prev_hash, timestamp, type })
      }
    ],
    reply: { id, type, task_id, agent_id, content, timestamp, prev_hash, hash }
  })
}
