// The history as tools: one thing with everything that belongs to it, and what happened as sentences. The service decides what is
// shown; a body above 4 KB comes as its size, hash and beginning unless it is asked for whole.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DEFAULT_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { TimelineEntry } from "../../../domain/history/timeline.ts"
import { historyOf } from "../../shared/open-history.ts"
import { LedgerAccess } from "../ledger-access.ts"
import { agentTool, type AgentTool, argument, reads } from "./tool.ts"

const opened = Effect.flatMap(
  LedgerAccess.use(({ open }) => open("existing")),
  ({ ledger, thoughts }) => historyOf(ledger, thoughts)
)

const historyShow = agentTool({
  name: "history_show",
  title: "Show one thing",
  description:
    "Show a message, job, step with all its attempts, receipt, thought, run or event, by its id, the beginning of the id, or its position. Use it to see what was asked, who did it, and why a step waited again.",
  hints: reads,
  input: {
    id: argument(Identifier, "an id, its beginning, a position, or the numbers of a step", "2.1.1"),
    full: Schema.optionalKey(Schema.Boolean.annotate({ description: "bodies above 4 KB whole too" }))
  },
  data: Schema.Record(Schema.String, Schema.Unknown),
  defaultBytes: DEFAULT_ANSWER_BYTES,
  run: ({ full, id }) =>
    Effect.map(
      Effect.flatMap(opened, (history) => history.show(id, { full })),
      (shown) => ({ ...shown })
    )
})

/** How many events one call tells. */
const DEFAULT_EVENTS = 50
const MAX_EVENTS = 1_000

const Entry = Schema.Struct({
  position: TimelineEntry.fields.position,
  recorded_at: TimelineEntry.fields.recorded_at,
  stream_id: TimelineEntry.fields.stream_id,
  about: TimelineEntry.fields.about,
  sentence: TimelineEntry.fields.sentence
})

const historyTimeline = agentTool({
  name: "history_timeline",
  title: "Tell what happened",
  description:
    "Tell what happened, one sentence for each event, the newest first, of one run or of all. Use it to catch up before you go on with work that others began.",
  hints: reads,
  input: {
    run_id: Schema.optionalKey(argument(Identifier, "only this run")),
    before: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        "only events before this position"
      )
    ),
    limit: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_EVENTS })),
        `at most so many (default ${DEFAULT_EVENTS})`
      )
    )
  },
  data: Schema.Struct({ entries: Schema.Array(Entry) }),
  defaultBytes: DEFAULT_ANSWER_BYTES,
  goesOn: {
    field: "entries",
    next: (_input, shown) => ({ before: (shown as ReadonlyArray<typeof Entry.Type>).at(-1)?.position })
  },
  run: ({ limit = DEFAULT_EVENTS, ...options }) =>
    Effect.gen(function* () {
      const history = yield* opened
      const entries = yield* history.newest({ ...options, limit })
      return {
        entries: entries.map(({ about, position, recorded_at, sentence, stream_id }) => ({
          position,
          recorded_at,
          stream_id,
          about,
          sentence
        }))
      }
    })
})

/** The history's tools in the order in which they are listed. */
export const historyTools: ReadonlyArray<AgentTool> = [historyShow, historyTimeline]
