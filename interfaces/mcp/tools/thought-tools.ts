// Thought records as tools: append one, list them, verify the chains. The task's chain is extended by the ledger; no tool
// here hashes anything.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Identifier } from "../../../domain/canonical/text.ts"
import { ThoughtChainReport } from "../../../domain/ledger/thoughts/chain-report.ts"
import { Content, Limit, type ThoughtInput } from "../../../domain/ledger/thoughts/commands.ts"
import { THOUGHT_TYPES, ZonedTime } from "../../../domain/ledger/thoughts/thought-record.ts"
import { DEFAULT_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { LedgerAccess } from "../ledger-access.ts"
import { actingTool, adds, agentTool, type AgentTool, argument, reads } from "./tool.ts"

const taskId = argument(Identifier, "the task whose chain of thoughts it is", "task-1")

const Record = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(THOUGHT_TYPES),
  task_id: Schema.String,
  agent_id: Schema.String,
  content: Schema.String,
  timestamp: Schema.String,
  prev_hash: Schema.String,
  hash: Schema.String
})

const thoughtRecord = actingTool({
  name: "thought_record",
  title: "Record a thought",
  actor: "agent_id",
  actorIs: "who thinks",
  description:
    "Append a thought to its task's hash chain: a plan before you act, an analysis, a decision with its reasons, a reflection afterwards. It cannot be changed later. Use it whenever you may be asked why you did something.",
  hints: adds,
  input: {
    type: argument(Schema.Literals(THOUGHT_TYPES), "what kind of thought"),
    task_id: taskId,
    content: argument(Content, "the thought itself; may be empty"),
    id: Schema.optionalKey(argument(Identifier, "the record's id (default: a random UUID)")),
    timestamp: Schema.optionalKey(
      argument(ZonedTime, "when it was thought, with its zone (default: now)", "2026-04-17T00:00:00Z")
    )
  },
  data: Record,
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("create")),
      ({ thoughts }) => thoughts.createThoughtRecord(input satisfies ThoughtInput)
    )
})

const thoughtRecordList = agentTool({
  name: "thought_record_list",
  title: "List thoughts",
  description:
    "List thought records in the order in which they were recorded, of one task or of all. Use it to read why something was done. An unknown task has an empty list.",
  hints: reads,
  input: {
    task_id: Schema.optionalKey(taskId),
    limit: Schema.optionalKey(argument(Limit, "at most so many (default: all)", 20)),
    after: Schema.optionalKey(argument(Identifier, "the id of a record: only those that follow it")),
    descending: Schema.optionalKey(Schema.Boolean.annotate({ description: "newest first" }))
  },
  data: Schema.Struct({ records: Schema.Array(Record) }),
  defaultBytes: DEFAULT_ANSWER_BYTES,
  goesOn: {
    field: "records",
    next: (_input, shown) => ({ after: (shown as ReadonlyArray<typeof Record.Type>).at(-1)?.id })
  },
  run: (input) =>
    Effect.gen(function* () {
      const { thoughts } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return { records: yield* thoughts.listThoughtRecords(input) }
    })
})

const auditVerifyChain = agentTool({
  name: "audit_verify_chain",
  title: "Verify chains of thoughts",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "Recompute the hash chain of one task's thoughts, or of all tasks. A broken chain is a report (valid: false, first_broken_at), not an error. Use it before you cite a record as evidence.",
  hints: reads,
  input: { task_id: Schema.optionalKey(taskId) },
  data: ThoughtChainReport,
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ thoughts }) => thoughts.verifyChain(input)
    )
})

/** The tools of thoughts in the order in which they are listed. */
export const thoughtTools: ReadonlyArray<AgentTool> = [thoughtRecord, thoughtRecordList, auditVerifyChain]
