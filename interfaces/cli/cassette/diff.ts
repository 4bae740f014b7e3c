// `cortex cassette diff`: what one ledger, or a backup of it, has that another has not, and where their histories part.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { type LedgerSide, LedgersDiffer } from "../../../domain/history/errors.ts"
import { absolutePath, Format, wholeNumberFlag } from "../../shared/options.ts"
import { timelineLine } from "../history/timeline-lines.ts"
import { answer, writeResult } from "../output.ts"
import { warnAbout, withLedgerFile } from "./open-ledger.ts"

/** How many events of each side are shown. */
const SHOWN = 20

const sideLines = (mark: "-" | "+", { events_beyond, first_beyond }: LedgerSide): ReadonlyArray<string> => [
  ...first_beyond.map((entry) => `${mark} ${timelineLine(entry, true)}`),
  ...(events_beyond > first_beyond.length ? [`${mark} and ${events_beyond - first_beyond.length} more`] : [])
]

const ledgerArgument = (name: string) =>
  Argument.String(name).pipe(Argument.withDescription("the file of a ledger or of a backup"))

export const diffCommand = Command.make(
  "diff",
  {
    left: ledgerArgument("left"),
    right: ledgerArgument("right"),
    limit: wholeNumberFlag("limit", 0).pipe(
      Flag.optional,
      Flag.withDescription(`at most this many events of each side (default ${SHOWN})`)
    )
  },
  Effect.fnUntraced(function* ({ left, limit, right }) {
    const lefts = yield* absolutePath("left", left)
    const rights = yield* absolutePath("right", right)
    const { compareLedgers } = yield* Effect.promise(
      () => import("../../../application/history/compare-ledgers.ts")
    )
    const comparison = yield* withLedgerFile(lefts, "read", (one) =>
      withLedgerFile(rights, "read", (other) =>
        Effect.gen(function* () {
          yield* warnAbout(one)
          yield* warnAbout(other)
          return yield* compareLedgers(
            one,
            other,
            Option.getOrElse(limit, () => SHOWN)
          )
        })
      )
    )
    const { common, verdict } = comparison
    if (verdict === "SAME") {
      const same = `the same: ${common.position} events, the newest ${common.hash}`
      return yield* answer({ data: comparison, lines: () => [same] })
    }
    if ((yield* Format) === "text") {
      const lines = [
        ...(common.position === 0 ? [] : [`the same up to event ${common.position}, ${common.hash}`]),
        ...sideLines("-", comparison.left),
        ...sideLines("+", comparison.right)
      ]
      yield* writeResult(lines.map((line) => `${line}\n`).join(""))
    }
    return yield* Effect.fail(new LedgersDiffer(comparison))
  })
).pipe(
  Command.withDescription(
    "Compare the logs of two ledgers, or of a ledger and a backup, event by event: up to where they are the same, and what each has beyond that. Lines with - are of the left one alone, lines with + of the right one. Exits 0 when they are the same and 1 when they differ. The tables are not compared: cortex cassette verify holds each against its log."
  ),
  Command.withShortDescription("compare two ledgers, or a ledger and a backup"),
  Command.withExamples([
    { command: "cortex cassette diff CORTEX/_generated/system3.db monday.db" },
    {
      command: "cortex cassette diff monday.db tuesday.db --limit 0 --format json",
      description: "the counts alone"
    }
  ])
)
