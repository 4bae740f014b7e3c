// `cortex thought list`: records in the order of the log, of one task or of all.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import { TaskNotFound } from "../../../domain/ledger/thoughts/errors.ts"
import { ListThoughts } from "../../../domain/ledger/thoughts/commands.ts"
import type { ThoughtRecord } from "../../../domain/ledger/thoughts/thought-record.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { textFlag } from "../../shared/flags.ts"
import { switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { answerStreamed, tables } from "../output.ts"
import { beginning, type Line } from "../../shared/terminal-text.ts"
import { onlyTaskFlag } from "./task-flag.ts"

const decode = decodeInput(ListThoughts, Result.succeed)

const listLines = <E>(records: Stream.Stream<ThoughtRecord, E>): Stream.Stream<Line, E> =>
  tables(
    ["id", "task", "type", "agent", "timestamp", "content"],
    Stream.map(records, ({ agent_id, content, id, task_id, timestamp, type }) => [
      id,
      task_id,
      type,
      agent_id,
      timestamp,
      beginning(content)
    ])
  ).pipe(Stream.orElseIfEmpty(() => Stream.succeed<Line>("no thoughts")))

export const listCommand = Command.make(
  "list",
  {
    task: onlyTaskFlag,
    limit: wholeNumberFlag("limit", 1).pipe(
      Flag.optional,
      Flag.withDescription("at most this many records (default: all)")
    ),
    after: textFlag("after", "ID", "only records that follow this one").pipe(Flag.optional),
    descending: switchFlag("desc", "newest first")
  },
  Effect.fnUntraced(function* ({ after, descending, limit, task }) {
    const options = yield* Effect.fromResult(
      decode({
        task_id: Option.getOrUndefined(task),
        limit: Option.getOrUndefined(limit),
        after: Option.getOrUndefined(after),
        descending
      })
    )
    yield* withLedger("read", (ledger, thoughts) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        const { task_id } = options
        if (task_id !== undefined) {
          const [first] = yield* thoughts.listThoughtRecords({ task_id, limit: 1 })
          if (first === undefined) return yield* new TaskNotFound({ task_id })
        }
        const records = thoughts.thoughtRecords(options)
        yield* answerStreamed({ data: { records }, lines: listLines(records) })
      })
    )
  })
).pipe(
  Command.withDescription("List thoughts in the order of the log, oldest first."),
  Command.withShortDescription("list thoughts, oldest first"),
  Command.withExamples([
    { command: "cortex thought list --task t1" },
    { command: "cortex thought list --desc --limit 10 --format json", description: "the ten newest" }
  ])
)
