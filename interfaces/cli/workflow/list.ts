// `cortex workflow list`: the executions of durable workflows, and how each stands.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { ExecutionSummary } from "../../../application/workflow/control.ts"
import { EXECUTION_STATUSES } from "../../../domain/workflow/turn-decision.ts"
import { textFlag } from "../../shared/flags.ts"
import { wholeNumberFlag } from "../../shared/options.ts"
import type { Line } from "../../shared/terminal-text.ts"
import { answerStreamed, tables } from "../output.ts"
import { withWorkflows } from "./opened-workflows.ts"

const listLines = <E>(executions: Stream.Stream<ExecutionSummary, E>): Stream.Stream<Line, E> =>
  tables(
    ["execution", "status", "since", "turns", "waits for"],
    Stream.map(executions, ({ execution, since, status, turns, waits }) => [
      execution,
      status,
      since,
      String(turns),
      waits.join(", ") || "-"
    ])
  ).pipe(Stream.orElseIfEmpty(() => Stream.succeed<Line>("no executions")))

export const listCommand = Command.make(
  "list",
  {
    workflow: textFlag("workflow", "W", "executions of this workflow only").pipe(Flag.optional),
    status: Flag.Literals("status", EXECUTION_STATUSES).pipe(
      Flag.withMetavar("STATUS"),
      Flag.optional,
      Flag.withDescription("only executions that stand so")
    ),
    limit: wholeNumberFlag("limit", 1).pipe(
      Flag.optional,
      Flag.withDescription("at most this many executions (default: all)")
    )
  },
  Effect.fnUntraced(function* ({ limit, status, workflow }) {
    yield* withWorkflows("read", (workflows) => {
      const wanted = Stream.filter(
        workflows.all,
        (summary) =>
          (Option.isNone(workflow) || summary.workflow === workflow.value) &&
          (Option.isNone(status) || summary.status === status.value)
      )
      const executions = Option.isSome(limit) ? Stream.take(wanted, limit.value) : wanted
      return answerStreamed({ data: { executions }, lines: listLines(executions) })
    })
  })
).pipe(
  Command.withDescription(
    "List the executions of durable workflows: which wait for a turn (ready), run, are suspended and for what, stopped at a failure (failed), died of a defect, or are complete, and since when."
  ),
  Command.withShortDescription("list executions and how they stand"),
  Command.withExamples([
    { command: "cortex workflow list" },
    { command: "cortex workflow list --workflow Order --status suspended --format json" }
  ])
)
