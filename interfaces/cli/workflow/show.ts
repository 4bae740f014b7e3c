// `cortex workflow show`: one execution, what it was started with, what it waits for, its activities and clocks.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { ShownExecution } from "../../../application/workflow/control.ts"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import { switchFlag } from "../../shared/options.ts"
import { fieldLines, type Line, printable, table } from "../../shared/terminal-text.ts"
import { bodySection } from "../history/body-lines.ts"
import { answer } from "../output.ts"
import { executionArgument, withWorkflows } from "./opened-workflows.ts"

const section = <Item>(
  heading: string,
  items: ReadonlyArray<Item>,
  header: ReadonlyArray<string>,
  row: (item: Item) => ReadonlyArray<string>
): ReadonlyArray<Line> => (items.length === 0 ? [] : ["", heading, ...table(header, items.map(row))])

const executionLines = (shown: ShownExecution): ReadonlyArray<Line> => [
  ...fieldLines([
    ["execution", shown.execution],
    ["status", `${shown.status} since ${shown.since}`],
    ["turns", String(shown.turns)],
    ...(shown.waits.length === 0 ? [] : [["waits for", shown.waits.join(", ")] as const]),
    ...(shown.interrupted === null ? [] : [["interrupted", shown.interrupted] as const]),
    ...(shown.parent === null ? [] : [["parent", shown.parent] as const]),
    ...(shown.deferreds.items.length === 0
      ? []
      : [
          [
            "has values of",
            `${shown.deferreds.items.join(", ")}${shown.deferreds.more ? ", …" : ""}`
          ] as const
        ]),
    ["run", shown.runs.turns]
  ]),
  ...(shown.payload === null ? [] : bodySection("payload", shown.payload)),
  ...(shown.outcome === null ? [] : bodySection("what the last turn left", shown.outcome)),
  ...(shown.unused.length === 0
    ? []
    : [
        "",
        "finished, and not asked for by the last body: its code has changed",
        ...shown.unused.map((name) => printable(`  ${name}`))
      ]),
  ...section(
    "activities, newest first",
    shown.activities.items,
    ["activity", "attempt", "stands", "worker", "step"],
    ({ attempt, name, standing, step_id, worker_id }) => [
      name,
      String(attempt),
      standing,
      worker_id ?? "-",
      step_id
    ]
  ),
  ...section("clocks, newest first", shown.clocks.items, ["clock", "due", "stands", "step"], (clock) => [
    clock.name,
    nearestTimestamp(clock.due_millis),
    clock.standing,
    clock.step_id
  ]),
  "",
  printable(`cortex timeline --run-id ${shown.runs.turns} tells its story`)
]

export const showCommand = Command.make(
  "show",
  {
    execution: executionArgument,
    full: switchFlag("full", "payload and result above 4 KB whole too")
  },
  Effect.fnUntraced(function* ({ execution, full }) {
    const shown = yield* withWorkflows("read", ({ show }) => show(execution, full))
    yield* answer({ data: shown, lines: () => executionLines(shown) })
  })
).pipe(
  Command.withDescription(
    "Show one execution of a durable workflow: how it stands and since when, what it was started with, what it waits for, its activities with their attempts and its clocks."
  ),
  Command.withShortDescription("show one execution"),
  Command.withExamples([{ command: "cortex workflow show Order/o-17" }])
)
