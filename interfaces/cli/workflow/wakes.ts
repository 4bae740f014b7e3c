// `cortex workflow resume` and `cortex workflow interrupt`: the two wakes that a person posts. Neither runs anything: a program that has
// registered the workflow takes the turn.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { PersonsWake } from "../../../application/workflow/control.ts"
import { switchFlag } from "../../shared/options.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { answer } from "../output.ts"
import { executionArgument, withWorkflows } from "./opened-workflows.ts"

const post = Effect.fnUntraced(function* (execution: string, wake: PersonsWake) {
  const posted = yield* withWorkflows("append", (workflows) => workflows.wake(execution, wake))
  yield* answer({
    data: posted,
    lines: () =>
      fieldLines([
        ["execution", posted.execution],
        ["status before", `${posted.status} since ${posted.since}`],
        ["message_id", posted.message_id],
        ["created", posted.created ? "yes" : "no: it was asked for before"]
      ])
  })
})

export const resumeCommand = Command.make(
  "resume",
  { execution: executionArgument },
  Effect.fnUntraced(function* ({ execution }) {
    yield* post(execution, { kind: "resume" })
  })
).pipe(
  Command.withDescription(
    "Ask for a turn of an execution, also of one that stopped at a failure: its body runs again where a program has registered the workflow. One that is complete is refused."
  ),
  Command.withShortDescription("let an execution run again"),
  Command.withExamples([{ command: "cortex workflow resume Order/o-17" }])
)

export const interruptCommand = Command.make(
  "interrupt",
  {
    execution: executionArgument,
    unsafe: switchFlag(
      "unsafe",
      "cut off a body that runs, too; without it the body goes on to where it would suspend"
    )
  },
  Effect.fnUntraced(function* ({ execution, unsafe }) {
    yield* post(execution, { kind: unsafe ? "interrupt-unsafe" : "interrupt" })
  })
).pipe(
  Command.withDescription(
    "Ask an execution to end: it is interrupted where it would suspend, and its compensations run. Asking again changes nothing. One that is complete is refused."
  ),
  Command.withShortDescription("ask an execution to end"),
  Command.withExamples([
    { command: "cortex workflow interrupt Order/o-17" },
    { command: "cortex workflow interrupt Order/o-17 --unsafe" }
  ])
)
