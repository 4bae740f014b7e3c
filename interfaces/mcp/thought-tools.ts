// Thought records as tools: append one, list them, verify the chains. The task's chain is extended by the ledger; no tool
// here hashes anything.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ThoughtChainReport } from "../../domain/thoughts/chain-report.ts"
import type { ThoughtInput } from "../../domain/thoughts/commands.ts"
import { THOUGHT_TYPES } from "../../domain/thoughts/thought-record.ts"
import { actingAgent } from "./caller.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { adds, agentTool, type AgentTool, reads, textArgument } from "./tool.ts"

const taskId = textArgument("the task whose chain of thoughts it is", "task-1")

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

const thoughtRecord = agentTool({
  name: "thought_record",
  title: "Record a thought",
  description:
    "Append a thought to its task's hash chain: a plan before you act, an analysis, a decision with its reasons, a reflection afterwards. It cannot be changed later. Use it whenever somebody may ask why you did something.",
  hints: adds,
  input: Schema.Struct({
    type: Schema.Literals(THOUGHT_TYPES).annotate({
      description: "what kind of thought",
      examples: ["plan"]
    }),
    task_id: taskId,
    agent_id: Schema.optionalKey(
      textArgument("who thinks; may be left out when the server speaks for one agent", "agent-1")
    ),
    content: textArgument("the thought itself; may be empty", "read first, then write"),
    id: Schema.optionalKey(textArgument("the record's id (default: a random UUID)")),
    timestamp: Schema.optionalKey(
      textArgument("when it was thought, with its zone (default: now)", "2026-04-17T00:00:00Z")
    )
  }),
  data: Record,
  run: (input) =>
    Effect.gen(function* () {
      const agent_id = yield* actingAgent("agent_id", input.agent_id)
      const { thoughts } = yield* LedgerAccess.use(({ open }) => open("create"))
      return yield* thoughts.createThoughtRecord({ ...input, agent_id } satisfies ThoughtInput)
    })
})

const thoughtRecordList = agentTool({
  name: "thought_record_list",
  title: "List thoughts",
  description:
    "List thought records in the order in which they were recorded, of one task or of all. Use it to read why something was done. An unknown task has an empty list.",
  hints: reads,
  input: Schema.Struct({
    task_id: Schema.optionalKey(taskId),
    limit: Schema.optionalKey(
      Schema.Int.annotate({ description: "at most so many, from 1 on (default: all)", examples: [20] })
    ),
    after: Schema.optionalKey(textArgument("the id of a record: only those that follow it")),
    descending: Schema.optionalKey(Schema.Boolean.annotate({ description: "newest first" }))
  }),
  data: Schema.Struct({ records: Schema.Array(Record) }),
  run: (input) =>
    Effect.gen(function* () {
      const { thoughts } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return { records: yield* thoughts.listThoughtRecords(input) }
    })
})

const auditVerifyChain = agentTool({
  name: "audit_verify_chain",
  title: "Verify chains of thoughts",
  description:
    "Recompute the hash chain of one task's thoughts, or of all tasks. A broken chain is a report (valid: false, first_broken_at), not an error. Use it before you cite a record as evidence.",
  hints: reads,
  input: Schema.Struct({ task_id: Schema.optionalKey(taskId) }),
  data: ThoughtChainReport,
  run: (input) =>
    Effect.flatMap(
      LedgerAccess.use(({ open }) => open("existing")),
      ({ thoughts }) => thoughts.verifyChain(input)
    )
})

/** The tools of thoughts in the order in which they are listed. */
export const thoughtTools: ReadonlyArray<AgentTool> = [thoughtRecord, thoughtRecordList, auditVerifyChain]
