// A thought as lines for people: its fields, then its content, every line of it printable.
import type { ThoughtRecord } from "../../../domain/ledger/thoughts/thought-record.ts"
import { fieldLines, printableLines } from "../../shared/terminal-text.ts"

/** All fields of a record; the content stands below the others. */
export const recordLines = (record: ThoughtRecord): ReadonlyArray<string> => [
  ...fieldLines([
    ["id", record.id],
    ["type", record.type],
    ["task_id", record.task_id],
    ["agent_id", record.agent_id],
    ["timestamp", record.timestamp],
    ["prev_hash", record.prev_hash],
    ["hash", record.hash]
  ]),
  ...(record.content === "" ? [] : ["", ...printableLines(record.content).split("\n")])
]
