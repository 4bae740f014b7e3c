// The group `cortex cache`: how much was expanded, whether it still is what it was, and the repair of a line that was
// cut off. Nothing here removes an expansion.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { CommandGroup } from "../command-group.ts"
import { findingCount, VerificationFailed } from "../../shared/failures.ts"
import { refusedFlag, rootFolder } from "../../shared/options.ts"
import { answer, writeWarnings } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { writePass } from "../verdict.ts"
import { cacheFlag, cacheKindFlag } from "./cache-flag.ts"
import { corpusFlags, withCorpus } from "./open-corpus.ts"

const statsCommand = Command.make(
  "stats",
  { cache: cacheFlag },
  Effect.fnUntraced(function* ({ cache }) {
    const stats = yield* withCorpus("read", (corpus) => corpus.cacheStats, cache)
    yield* answer({
      data: stats,
      lines: () => fieldLines(Object.entries(stats).map(([name, value]) => [name, `${value}`] as const))
    })
  })
).pipe(
  Command.withDescription(
    "Show how many expansions there are, of how many runs and references (symbols and section ids), and how many bytes of text they hold."
  ),
  Command.withShortDescription("show how much was expanded"),
  Command.withExamples([
    { command: "cortex cache stats" },
    { command: "cortex cache stats --cache jsonl --format json" }
  ])
)

const verifyCommand = Command.make(
  "verify",
  { cache: cacheFlag },
  Effect.fnUntraced(function* ({ cache }) {
    const report = yield* withCorpus("verify", (corpus) => corpus.verify(), cache)
    const { findings } = report
    yield* writeWarnings(report.warnings)
    if (report.verdict === "FAIL") {
      const message = `${findingCount(report)} issue(s) found: each has a code, a place and a message`
      return yield* Effect.fail(new VerificationFailed({ message, report, listed: findings }))
    }
    yield* writePass
    yield* answer({
      data: report,
      lines: () =>
        fieldLines(Object.entries(report.counts).map(([name, count]) => [name, `${count}`] as const))
    })
  })
).pipe(
  Command.withDescription(
    "Judge the whole corpus database: SQLite's integrity, the schema, what is indexed of each file, every symbol and every expansion against its hashes, and what counts as unchanged against the files that are there. With --cache jsonl every line of that file too. What is wrong with the index alone, cortex index makes again. Exits 0 on PASS and 1 on FAIL; the verdict and the findings go to standard error."
  ),
  Command.withShortDescription("verify the corpus database and every expansion"),
  Command.withExamples([
    { command: "cortex cache verify" },
    { command: "cortex cache verify --cache jsonl --format json" }
  ])
)

const repairCommand = Command.make(
  "repair",
  {
    cache: cacheKindFlag.pipe(
      Flag.withDefault("jsonl"),
      Flag.withDescription(
        "jsonl (the default): CORTEX/_cache/expansions.jsonl; a database has no lines to repair"
      )
    )
  },
  Effect.fnUntraced(function* ({ cache }) {
    if (cache === "sqlite") {
      return yield* Effect.fail(
        refusedFlag(
          "--cache",
          "only the file of JSON lines is repaired; `cortex cache verify` judges the database"
        )
      )
    }
    const root = yield* rootFolder
    const { repairExpansionLines } = yield* Effect.promise(() => import("../../embedding/corpus.ts"))
    const repair = yield* repairExpansionLines({ root })
    yield* answer({
      data: repair,
      lines: () => [
        repair.removed_bytes === 0
          ? "nothing to repair"
          : `removed ${repair.removed_bytes} bytes of a line that was cut off`
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Remove the last line of CORTEX/_cache/expansions.jsonl when it has no end, because its writer died while it wrote: that text was never given out. No other line is touched."
  ),
  Command.withShortDescription("remove a line that was cut off from the file of JSON lines"),
  Command.withExamples([{ command: "cortex cache repair" }, { command: "cortex cache repair --cache jsonl" }])
)

export const cacheGroup: CommandGroup<"cache"> = Command.make("cache").pipe(
  Command.withDescription("The expansions that were made: every bounded slice that a run has read, once."),
  Command.withShortDescription("what was expanded: stats, verify, repair"),
  Command.withExamples([{ command: "cortex cache stats" }, { command: "cortex cache verify --cache jsonl" }]),
  Command.withSubcommands([statsCommand, verifyCommand, repairCommand]),
  Command.withGlobalFlags(corpusFlags)
)
