// The group `cortex hook`: what coding agents call before and after each call of a tool, and the settings that make them do so. The
// flags are those of hook-options.ts, which reads the plain command lines without this parser.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { DEFAULT_CALL_TTL_SECONDS } from "../../../domain/agents/call.ts"
import { type HookName, hostForm, hostNames } from "../../../domain/agents/hosts.ts"
import { MAX_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import { Root, switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { AllowNetworkFs, Db, Durability, ledgerFlags } from "../cassette/ledger-flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { answer } from "../output.ts"
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, onErrorRules } from "./hook-options.ts"
import { runHook } from "./run-hook.ts"
import { hookSettings, settingsFile } from "./settings.ts"

const onErrorFlag = Flag.Literals("on-error", onErrorRules).pipe(
  Flag.withMetavar("RULE"),
  Flag.withDefault("warn"),
  Flag.withDescription(
    "when nothing could be recorded: warn lets the agent go on, block forbids the call (exit code 2); every receipt says which was in force"
  )
)

const secondsFlag = (name: string, most: number, otherwise: number, description: string) =>
  wholeNumberFlag(name, 1).pipe(
    Flag.filter(
      (value) => value <= most,
      () => `whole seconds from 1 to ${most}`
    ),
    Flag.withMetavar("SECONDS"),
    Flag.withDefault(otherwise),
    Flag.withDescription(`${description}, 1 to ${most} (default ${otherwise})`)
  )

const flags = {
  host: Flag.Literals("host", hostNames).pipe(
    Flag.withMetavar("HOST"),
    Flag.optional,
    Flag.withDescription("which agent calls; without it the JSON tells")
  ),
  onError: onErrorFlag,
  bodies: switchFlag("bodies", "keep what tools are given and give, and not their hashes alone"),
  leaseSeconds: secondsFlag(
    "lease",
    MAX_TTL_SECONDS,
    DEFAULT_CALL_TTL_SECONDS,
    "how long a call may take until its step counts as stuck"
  ),
  timeoutSeconds: secondsFlag(
    "timeout",
    MAX_TIMEOUT_SECONDS,
    DEFAULT_TIMEOUT_SECONDS,
    "how long the hook may take"
  )
}

const hookCommand = (hook: HookName, description: string, short: string) =>
  Command.make(
    hook,
    flags,
    Effect.fnUntraced(function* ({ bodies, host, ...given }) {
      yield* runHook({
        ...given,
        hook,
        host: Option.getOrUndefined(host),
        bodies: bodies ? "keep" : "hash",
        db: Option.getOrUndefined(yield* Db),
        root: Option.getOrUndefined(yield* Root),
        durability: yield* Durability,
        allowNetworkFs: yield* AllowNetworkFs
      })
    })
  ).pipe(
    Command.withDescription(description),
    Command.withShortDescription(short),
    Command.withExamples([{ command: `cortex hook ${hook} --host claude-code --root . < event.json` }])
  )

const preCommand = hookCommand(
  "pre",
  "Record that a call begins: reads the JSON of a host's event before a tool from standard input, posts the call and claims its step. A call that never ends stays a leased step.",
  "a call begins (JSON on standard input)"
)

const postCommand = hookCommand(
  "post",
  "Record that a call has ended: reads the JSON of a host's event after a tool from standard input and completes the call's step. A call that was not told before is posted first.",
  "a call has ended (JSON on standard input)"
)

const stopCommand = hookCommand(
  "stop",
  "Record that a turn, a subagent or a session has ended: reads the JSON of a host's event from standard input. It never blocks: with --on-error block it exits with 1.",
  "a turn or session has ended (JSON on standard input)"
)

const settingsCommand = Command.make(
  "settings",
  {
    host: Argument.Literals("host", hostNames).pipe(Argument.withDescription("which agent")),
    onError: onErrorFlag,
    bodies: flags.bodies
  },
  Effect.fnUntraced(function* ({ bodies, host, onError }) {
    const given = `${onError === "warn" ? "" : ` --on-error ${onError}`}${bodies ? " --bodies" : ""}`
    const settings = hookSettings(host, given)
    yield* answer({
      data: { file: settingsFile(host), events: hostForm(host).events, settings },
      lines: () => JSON.stringify(settings, null, 2).split("\n")
    })
  })
).pipe(
  Command.withDescription(
    "Print what a host's settings must hold so that it calls the hook; --format json names the file, too. Paste it, and put the ledger where --root or --db says."
  ),
  Command.withShortDescription("the settings to paste, for one host"),
  Command.withExamples([{ command: "cortex hook settings claude-code" }])
)

export const hookGroup: CommandGroup<"hook"> = Command.make("hook").pipe(
  Command.withDescription(
    "Records what a coding agent does: its host calls these commands before and after each call of a tool. A session is a run, a call is a step, and bodies are kept as hashes unless --bodies is given. Nothing is written to standard output."
  ),
  Command.withShortDescription("record the calls of a coding agent: pre, post, stop, settings"),
  Command.withExamples([
    { command: "cortex hook settings claude-code", description: "the settings to paste" },
    { command: "cortex timeline --run-id agent/claude-code/SESSION", description: "what a session did" }
  ]),
  Command.withSubcommands([preCommand, postCommand, stopCommand, settingsCommand]),
  Command.withGlobalFlags(ledgerFlags)
)
