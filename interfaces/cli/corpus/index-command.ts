// `cortex index`: brings the index to what the files below the root are now. Files that cannot be taken are named one
// by one and make the command end with 1; all others are indexed nevertheless.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { type IndexReport, isRefused, refusedCount } from "../../../domain/corpus/index-report.ts"
import { repeatedFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { FilesRefused } from "../../shared/failures.ts"
import { Format } from "../../shared/options.ts"
import { answer, writeNotes, writeWarnings } from "../output.ts"
import { fieldLines, printable } from "../../shared/terminal-text.ts"
import { progressLine } from "../progress.ts"
import { MAX_FILE_BYTES } from "../../../domain/corpus/limits.ts"
import { corpusFlags, withCorpus } from "./open-corpus.ts"

const summaryLines = (report: IndexReport): ReadonlyArray<string> =>
  fieldLines([
    ["files", `${report.files}`],
    ["added", `${report.added}`],
    ["changed", `${report.changed}`],
    ...(report.repaired === 0 ? [] : [["repaired", `${report.repaired}`] as const]),
    ["unchanged", `${report.unchanged}`],
    ["removed", `${report.removed}`],
    ...Object.entries(report.skipped_counts).map(
      ([reason, count]) => [`skipped ${reason}`, `${count}`] as const
    )
  ])

const refusalLines = (report: IndexReport): ReadonlyArray<string> =>
  report.skipped.filter(isRefused).map(({ path, reason }) => printable(`${reason} ${path}`))

export const indexCommand: CommandGroup<"index"> = Command.make(
  "index",
  {
    paths: Argument.String("paths").pipe(
      Argument.withDescription("files or folders below the root, relative to it (default: all of it)"),
      Argument.variadic()
    ),
    include: repeatedFlag("include", "GLOB", "only files that match", "all"),
    exclude: repeatedFlag("exclude", "GLOB", "no file or folder that matches")
  },
  Effect.fnUntraced(function* ({ exclude, include, paths }) {
    const progress = yield* progressLine
    const report = yield* withCorpus("write", (corpus) =>
      corpus
        .index({
          paths,
          include,
          exclude,
          onProgress: ({ done, total }) => progress.show(`indexing ${done} of ${total} files`)
        })
        .pipe(Effect.ensuring(progress.clear))
    )
    yield* writeWarnings(
      report.headings_left_out.map((path) => `${path} is too large for its headings to be looked for`)
    )
    const isComplete = refusedCount(report) === 0
    if (isComplete || (yield* Format) === "text") {
      yield* answer({ data: report, lines: () => summaryLines(report) })
    }
    if (!isComplete) {
      yield* writeNotes(refusalLines(report))
      return yield* Effect.fail(new FilesRefused({ report }))
    }
  })
).pipe(
  Command.withDescription(
    `Index the texts below the root: UTF-8 files of at most ${MAX_FILE_BYTES / 1_048_576} MiB, cut into sections at the headings of Markdown. What .gitignore files leave out is left out; CORTEX/ and .git/ always are, and links are not followed. Folders that programs fill (node_modules, .venv, __pycache__, caches with a CACHEDIR.TAG) are left out and counted as GENERATED, unless a path or an --include glob names them. Unchanged files are passed over, vanished ones leave the index, symbols stay. Below the given paths the index holds afterwards what the same flags would find again. Binary files are passed over and counted. Exits 1 when some texts could not be taken; all others are indexed.`
  ),
  Command.withShortDescription("index the texts below the root"),
  Command.withExamples([
    { command: "cortex index", description: "everything below the current folder" },
    { command: 'cortex index docs README.md --include "*.md" --exclude old' },
    { command: "cortex index --root ../handbook --format json" }
  ]),
  Command.withGlobalFlags(corpusFlags)
)
