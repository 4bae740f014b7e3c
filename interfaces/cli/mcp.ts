// `cortex mcp`: the server that agents speak to over standard input and output. The protocol is loaded here; the database
// only when a tool needs it, so that the first answer comes early.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { choosableNames, chosenTools, toolGroups } from "../mcp/agent-tools.ts"
import { Caller } from "../mcp/caller.ts"
import { CorpusAccess } from "../mcp/corpus-access.ts"
import { openedOnce } from "../shared/opened-once.ts"
import { LedgerAccess, makeLedgerAccess } from "../mcp/ledger-access.ts"
import { NetworkAccess } from "../mcp/network-access.ts"
import { RootFolder } from "../mcp/root-folder.ts"
import { describeTool, serve } from "../mcp/server.ts"
import { ledgerOpener } from "./cassette/open-ledger.ts"
import { ledgerFlags } from "./cassette/ledger-flags.ts"
import { textFlag } from "../shared/flags.ts"
import { cacheFlag } from "./corpus/cache-flag.ts"
import { corpusOpener } from "./corpus/open-corpus.ts"
import { Host } from "../shared/host.ts"
import { agentOption, networkFlags } from "./network/network-flags.ts"
import { networkOpener } from "./network/network-opener.ts"
import { refusedFlag, rootFolder, rootIsNamed, switchFlag } from "../shared/options.ts"
import { answer } from "./output.ts"
import { table } from "../shared/terminal-text.ts"

const listed = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

const groupNames = Object.keys(toolGroups).join(", ")

/** The tools that the flags leave; an unknown name is refused, with the names that exist. */
const wantedTools = Effect.fnUntraced(function* (tools: Option.Option<string>, readOnly: boolean) {
  const names = Option.map(tools, listed)
  const unknown = Option.getOrElse(names, () => []).filter((name) => !choosableNames.has(name))
  if (unknown.length > 0) {
    return yield* Effect.fail(
      refusedFlag(
        "--tools",
        `there is no tool or group ${unknown.join(", ")}: use some of ${[...choosableNames].join(", ")}`
      )
    )
  }
  const chosen = chosenTools({ readOnly, names: Option.getOrUndefined(names) })
  return chosen.length > 0
    ? chosen
    : yield* Effect.fail(refusedFlag("--tools", "no tool is left: name some, or leave --read-only out"))
})

const listTools = Effect.fnUntraced(function* (tools: ReturnType<typeof chosenTools>) {
  const described = yield* Effect.forEach(tools, describeTool)
  yield* answer({
    data: { tools: described },
    lines: () =>
      table(
        ["tool", "title"],
        tools.map(({ name, title }) => [name, title])
      )
  })
})

export const mcpCommand = Command.make(
  "mcp",
  {
    readOnly: switchFlag("read-only", "change nothing: leave out every tool that may write"),
    tools: textFlag(
      "tools",
      "A,B",
      `only these tools, by name or group, with commas between; groups: ${groupNames}`
    ).pipe(Flag.optional),
    check: switchFlag("check", "list the tools and exit, without serving"),
    cache: cacheFlag
  },
  Effect.fnUntraced(function* ({ cache, check, readOnly, tools }) {
    const wanted = yield* wantedTools(tools, readOnly)
    const openNetwork = yield* networkOpener
    const networkOnce = yield* openedOnce(() => openNetwork)
    const network = NetworkAccess.of({ open: networkOnce(undefined) })
    const caller = Caller.of(yield* agentOption)
    if (check) {
      return yield* listTools(wanted).pipe(
        Effect.provideService(NetworkAccess, network),
        Effect.provideService(Caller, caller)
      )
    }
    const host = yield* Host
    const openLedger = yield* ledgerOpener
    const access = yield* makeLedgerAccess(openLedger, readOnly)
    const openCorpus = yield* corpusOpener(readOnly ? "read" : "append", cache)
    const corpusOnce = yield* openedOnce(() => openCorpus)
    yield* serve(host, wanted).pipe(
      Effect.provideService(LedgerAccess, access),
      Effect.provideService(CorpusAccess, { open: corpusOnce(undefined) }),
      Effect.provideService(NetworkAccess, network),
      Effect.provideService(RootFolder, { path: yield* rootFolder, isNamed: yield* rootIsNamed }),
      Effect.provideService(Caller, caller)
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Serve the ledger, the corpus, bundles and the cassette network to agents over the Model Context Protocol, one JSON message a line on standard input and output. With --agent or CORTEX_AGENT no call can act in another's name. Ends when its input ends."
  ),
  Command.withShortDescription("serve agents over standard input and output (MCP)"),
  Command.withExamples([
    { command: "cortex mcp --root . --agent researcher" },
    { command: "cortex mcp --read-only", description: "look, but change nothing" },
    { command: "cortex mcp --tools ledger,thoughts", description: "work and why, nothing else" },
    { command: "cortex mcp --check", description: "list the tools and exit" }
  ]),
  Command.withGlobalFlags([...ledgerFlags, ...networkFlags])
)
