// `cortex mcp`: the server that agents speak to over standard input and output. The protocol is loaded here; the database
// only when a tool needs it, so that the first answer comes early.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { choosableNames, chosenTools, needsLedger, toolGroups } from "../mcp/tools/agent-tools.ts"
import { Caller } from "../mcp/caller.ts"
import { CorpusAccess } from "../mcp/corpus-access.ts"
import { openedOnce } from "../shared/opened-once.ts"
import { LedgerAccess, makeLedgerAccess } from "../mcp/ledger-access.ts"
import { NetworkAccess } from "../mcp/network-access.ts"
import { RootFolder } from "../mcp/root-folder.ts"
import { describeTool, serve } from "../mcp/server.ts"
import { ledgerFile, ledgerOpener, withLedgerFile } from "./cassette/open-ledger.ts"
import { ledgerFlags } from "./cassette/ledger-flags.ts"
import { textFlag } from "../shared/flags.ts"
import { cacheFlag } from "./corpus/cache-flag.ts"
import { corpusOpener } from "./corpus/open-corpus.ts"
import { Host } from "../shared/host.ts"
import { agentOption, networkFlags } from "./network/network-flags.ts"
import { networkOpener } from "./network/network-opener.ts"
import { refusedFlag, rootFolder, rootIsNamed, switchFlag } from "../shared/options.ts"
import { answer } from "./output.ts"
import { printable, table } from "../shared/terminal-text.ts"

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

/** The ledger as a client would meet it. */
interface MetLedger {
  readonly file: string
  readonly state: "ready" | "missing"
  readonly note: string
}

/** Looks at the ledger without changing it; what would stop a client's call is the error that it would get. */
const metLedger = Effect.fnUntraced(function* (readOnly: boolean) {
  const file = yield* ledgerFile("read")
  const ready = withLedgerFile(file, "read", ({ fault }) =>
    fault === undefined
      ? Effect.succeed<MetLedger>({ file, state: "ready", note: "ready" })
      : Effect.fail(new StoreCorrupt({ code: fault.code, where: fault.where, finding: fault.message }))
  )
  const note = readOnly
    ? "not there: calls are refused until it is made"
    : "not there yet: the first message or thought makes it"
  return yield* Effect.catchTag(ready, "FileMissing", () =>
    Effect.succeed<MetLedger>({ file, state: "missing", note })
  )
})

/** Lists the tools, and says of the ledger that they work on what a client would meet. */
const checkTools = Effect.fnUntraced(function* (tools: ReturnType<typeof chosenTools>, readOnly: boolean) {
  const ledger = needsLedger(tools) ? yield* metLedger(readOnly) : undefined
  const described = yield* Effect.forEach(tools, describeTool)
  yield* answer({
    data: { tools: described, ...(ledger === undefined ? {} : { ledger }) },
    lines: () => [
      ...table(
        ["tool", "title"],
        tools.map(({ name, title }) => [name, title])
      ),
      ...(ledger === undefined ? [] : ["", printable(`ledger ${ledger.file}: ${ledger.note}`)])
    ]
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
    check: switchFlag(
      "check",
      "list the tools, say what of the ledger a client would meet, and exit, without serving"
    ),
    cache: cacheFlag
  },
  Effect.fnUntraced(function* ({ cache, check, readOnly, tools }) {
    const wanted = yield* wantedTools(tools, readOnly)
    const openNetwork = yield* networkOpener
    const networkOnce = yield* openedOnce(() => openNetwork)
    const network = NetworkAccess.of({ open: networkOnce(undefined) })
    const caller = Caller.of(yield* agentOption)
    if (check) {
      return yield* checkTools(wanted, readOnly).pipe(
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
    { command: "cortex mcp --check", description: "list the tools, look at the ledger, and exit" }
  ]),
  Command.withGlobalFlags([...ledgerFlags, ...networkFlags])
)
