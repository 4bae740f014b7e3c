// `cortex cassette waiting`: the steps that wait, with their payloads, in the order of their runs and of claims. Nothing is
// claimed, and no history is read.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { rowPages } from "../../../application/ledger/reading/row-pages.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { ListWaiting, type PendingStep, prepareWaiting } from "../../../domain/ledger/lists.ts"
import { beginning, type Line } from "../../shared/terminal-text.ts"
import { answerStreamed, tables } from "../output.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { oneScope, runsAsked, runsFlags } from "./runs-asked.ts"

/** How many steps are read at a time: few, since the payload of each may have a mebibyte. */
const ROWS_AT_ONCE = 20

const decode = decodeInput(ListWaiting, prepareWaiting)

const waitingOf = (ledger: LedgerShape, of: ListWaiting) =>
  rowPages({
    page: (last: PendingStep | undefined) =>
      ledger.waiting({
        ...of,
        limit: ROWS_AT_ONCE,
        after: last && { run_id: last.run_id, step_id: last.step_id }
      }),
    placeOf: ({ run_id, step_id }) => [run_id, step_id],
    nameOf: ({ step_id }) => `cassette_steps ${step_id}`
  })

const waitingLines = <E>(steps: Stream.Stream<PendingStep, E>): Stream.Stream<Line, E> =>
  tables(
    ["step", "run", "token", "since", "payload"],
    Stream.map(steps, ({ created_at, fencing_token, payload, run_id, step_id }) => [
      step_id,
      run_id,
      String(fencing_token),
      created_at,
      beginning(jcsText(payload))
    ])
  ).pipe(Stream.orElseIfEmpty(() => Stream.succeed<Line>("nothing waits")))

export const waitingCommand = Command.make(
  "waiting",
  runsFlags("steps"),
  Effect.fnUntraced(function* ({ limit, ...given }) {
    const of: ListWaiting = runsAsked(given)
    yield* Effect.fromResult(decode(of))
    yield* withLedger("read", (ledger) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        yield* requireRun(ledger, of.run_id)
        const all = waitingOf(ledger, of)
        const steps = Option.isSome(limit) ? Stream.take(all, limit.value) : all
        yield* answerStreamed({ data: { steps }, lines: waitingLines(steps) })
      })
    )
  })
).pipe(
  Command.validate((given) => oneScope(given)),
  Command.withDescription(
    "List the steps that wait, in the order of their runs and, in a run, in the order in which claims take them. Nothing is claimed. Payloads are cut for people; --format json has them whole."
  ),
  Command.withShortDescription("list the steps that wait"),
  Command.withExamples([
    { command: "cortex cassette waiting --run-id r1" },
    {
      command: "cortex cassette waiting --prefix mail- --limit 20 --format json",
      description: "with whole payloads"
    }
  ])
)
