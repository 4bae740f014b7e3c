// The group `cortex symbol`: names for files and headings that stay when lines move; none of these prints text.
// `resolve` also takes symbols of the cassette network, which name texts by their hashes.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { corpusFlags } from "./open-corpus.ts"
import { addCommand, listCommand, removeCommand, showCommand } from "./symbol-registry.ts"
import { checkCommand, resolveCommand } from "./symbol-resolution.ts"

export const symbolGroup: CommandGroup<"symbol"> = Command.make("symbol").pipe(
  Command.withDescription(
    "Symbols: names such as @DOCS/install for a file or a heading in it. A symbol stays when lines move, and means the text as it is now."
  ),
  Command.withShortDescription("names for files and headings"),
  Command.withExamples([
    { command: 'cortex symbol add @DOCS/install "docs/guide.md#Guide/Install" --slice "lines[0:40]"' },
    { command: "cortex symbol resolve @DOCS/install" },
    { command: "cortex symbol resolve @C:3f1c0a9be27d" },
    { command: "cortex symbol check" }
  ]),
  Command.withSubcommands([
    addCommand,
    listCommand,
    showCommand,
    checkCommand,
    removeCommand,
    resolveCommand
  ]),
  Command.withGlobalFlags(corpusFlags)
)
