// The group `cortex section`: which sections there are. A section's text is never printed here: text is read in bounded
// slices, which is the business of `cortex resolve`.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { FileNotIndexed } from "../../../domain/corpus/errors.ts"
import type { NamedSection } from "../../../application/corpus/corpus-store.ts"
import { textFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { answer } from "../output.ts"
import { fieldLines, table } from "../../shared/terminal-text.ts"
import { corpusFlags, withCorpus } from "./open-corpus.ts"
import { pageFlags, pageOf } from "./page-flags.ts"

const linesOf = ({ line_end, line_start }: NamedSection): string => `${line_start}:${line_end}`

const headingOf = ({ headings }: NamedSection): string => headings[0]?.heading ?? ""

const listCommand = Command.make(
  "list",
  {
    path: textFlag("path", "PATH", "the sections of this file only, relative to the root").pipe(
      Flag.optional
    ),
    ...pageFlags("the section")
  },
  Effect.fnUntraced(function* ({ after, limit, path }) {
    const file = Option.getOrUndefined(path)
    const sections = yield* withCorpus("read", (corpus) =>
      Effect.gen(function* () {
        const page = yield* corpus.sections({ path: file, ...pageOf({ after, limit }) })
        if (page.length > 0 || file === undefined) return page
        // A file that is indexed has a section at least: itself.
        const [first] = yield* corpus.sections({ path: file, limit: 1 })
        return first === undefined ? yield* new FileNotIndexed({ path: file }) : page
      })
    )
    yield* answer({
      data: { sections },
      lines: () =>
        sections.length === 0
          ? ["no sections"]
          : table(
              ["section_id", "path", "lines", "heading"],
              sections.map((section) => [
                section.section_id,
                section.path,
                linesOf(section),
                headingOf(section)
              ])
            )
    })
  })
).pipe(
  Command.withDescription(
    "List the indexed sections by path and place. Lines are counted from 0, the end is not included; a section without a heading is a whole file."
  ),
  Command.withShortDescription("list sections"),
  Command.withExamples([
    { command: "cortex section list --path docs/guide.md" },
    { command: "cortex section list --format json" }
  ])
)

const showCommand = Command.make(
  "show",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription(
        "the section's id, as list prints it, or as much of its beginning as no other has"
      )
    )
  },
  Effect.fnUntraced(function* ({ id }) {
    const section = yield* withCorpus("read", (corpus) =>
      Effect.flatMap(corpus.sectionIdOf(id), corpus.section)
    )
    yield* answer({
      data: section,
      lines: () =>
        fieldLines([
          ["section_id", section.section_id],
          ["path", section.path],
          ["lines", linesOf(section)],
          ["content_hash", section.content_hash],
          ...section.headings.map(({ heading }) => ["heading", heading] as const)
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Show where one section is and what its text hashes to, as the file is now. Exits 1 when the file has changed so that the section is no longer there."
  ),
  Command.withShortDescription("show one section"),
  Command.withExamples([
    { command: "cortex section show 4a5b54b3ba91fc1c0ae8a4fd4b6ab8bb60f2b6a4b5c17a2fd8a6b1a5a3a5f1c2" }
  ])
)

export const sectionGroup: CommandGroup<"section"> = Command.make("section").pipe(
  Command.withDescription(
    "Sections of indexed texts: every file is one, and in Markdown every heading with what belongs to it is another."
  ),
  Command.withShortDescription("sections of indexed texts: list, show"),
  Command.withExamples([{ command: "cortex section list --path README.md" }]),
  Command.withSubcommands([listCommand, showCommand]),
  Command.withGlobalFlags(corpusFlags)
)
