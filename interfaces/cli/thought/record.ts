// `cortex thought record`: one thought at the end of its task's chain. Its content comes from the command line, a file
// or standard input, and is stored as it stands.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import { RecordThought, type ThoughtInput } from "../../../domain/ledger/thoughts/commands.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { textFlag } from "../../shared/flags.ts"
import { refusedFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { givenText, readText } from "../text-file.ts"
import { recordLines } from "./record-lines.ts"

const decode = decodeInput(RecordThought, Result.succeed)

const contentOf = (content: Option.Option<string>, file: Option.Option<string>) => {
  if (Option.isSome(content) && Option.isNone(file)) return givenText("--content", content.value)
  return Option.isSome(file) && Option.isNone(content)
    ? readText("--file", file.value)
    : Effect.fail(
        refusedFlag("--content", "give the thought with --content or with --file, and not with both")
      )
}

export const recordCommand = Command.make(
  "record",
  {
    task: textFlag("task", "T", "the task whose chain the thought continues"),
    type: textFlag("type", "TYPE", "plan, analysis, decision or reflection"),
    agent: textFlag("agent", "A", "who thinks"),
    content: textFlag("content", "TEXT", "the thought itself; may be empty; - is standard input").pipe(
      Flag.optional
    ),
    file: textFlag("file", "FILE", "a file with the thought; - is standard input").pipe(Flag.optional),
    id: textFlag("id", "ID", "the record's id (default: a random UUID)").pipe(Flag.optional),
    timestamp: textFlag(
      "timestamp",
      "TIME",
      "when it was thought, such as 2026-04-17T00:00:00Z (default: now)"
    ).pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ agent, content, file, id, task, timestamp, type }) {
    const input = {
      type,
      task_id: task,
      agent_id: agent,
      content: yield* contentOf(content, file),
      id: Option.getOrUndefined(id),
      timestamp: Option.getOrUndefined(timestamp)
      // The ledger decodes strictly: a type that it does not know is refused there.
    } as ThoughtInput
    // Refused input must not leave a new, empty ledger behind. What is left out is filled in with something fitting.
    yield* Effect.fromResult(
      decode({ ...input, id: input.id ?? "new", timestamp: input.timestamp ?? "2026-04-17T00:00:00Z" })
    )
    const record = yield* withLedger("write", (ledger, thoughts) =>
      Effect.andThen(warnAbout(ledger), thoughts.createThoughtRecord(input))
    )
    yield* answer({ data: record, lines: () => recordLines(record) })
  })
).pipe(
  Command.withDescription(
    "Append a thought to its task's hash chain; creates the ledger when it is missing. The content is stored as it stands."
  ),
  Command.withShortDescription("append a thought to its task's chain"),
  Command.withExamples([
    { command: 'cortex thought record --task t1 --type plan --agent a1 --content "read first, then write"' },
    {
      command: "cortex thought record --task t1 --type decision --agent a1 --file - < decision.md",
      description: "from standard input"
    }
  ])
)
