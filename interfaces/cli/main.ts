// Runs one command line from arguments to exit code. Every way in which it can end is turned into output here, once:
// results are written by commands, refusals, wrong usage and defects by this file. Nothing is ever thrown to its caller.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { NetworkUnavailable } from "../../domain/network/errors.ts"
import { adviceOn, type Resource, wantBehind, wantToldIn } from "../embedding/machine.ts"
import { withPlace } from "./advice.ts"
import { errorDocument, errorEnvelope } from "../shared/envelope.ts"
import type { ErrorDocument } from "../shared/error-document.ts"
import { DONE, exitCodes, INTERNAL, stoppedExitCode, USAGE } from "../shared/exit-codes.ts"
import {
  type CommandFailure,
  findingCount,
  isNegativeVerdict,
  type NegativeVerdict,
  ResourceExhausted
} from "../shared/failures.ts"
import { CommandTree } from "./completions/command-node.ts"
import { commandTree } from "./completions/command-tree.ts"
import { collectingPresenter } from "./help.ts"
import { Host, type HostShape, mayColour } from "../shared/host.ts"
import { requestedFormat } from "../shared/options.ts"
import { writeNotes, writeResult } from "./output.ts"
import { printable } from "../shared/terminal-text.ts"
import { rootCommand, unknownTopic, withHelpWords } from "./root-command.ts"
import { runParser } from "./run-parser.ts"
import { typedName } from "./flag-of-field.ts"
import { usageDocument } from "./usage.ts"
import { verdictLine } from "./verdict.ts"

/** How a command line ended: its exit code, the document for programs, the same as lines for people, and what is told to both. */
interface Ending {
  readonly code: number
  readonly document?: ErrorDocument
  readonly notes: ReadonlyArray<string>
  readonly trace?: string
}

const errorLine = (host: HostShape, message: string): string =>
  mayColour(host, "stderr")
    ? `\u001b[31merror:\u001b[0m ${printable(message)}`
    : `error: ${printable(message)}`

const usageEnding = (host: HostShape, error: CliError.CliError): Ending => {
  const { document, hint } = usageDocument(error)
  return { code: USAGE, document, notes: [errorLine(host, document.message), hint] }
}

/** The verdict and its findings for people. */
const verdictNotes = (host: HostShape, { listed, report }: NegativeVerdict): ReadonlyArray<string> => [
  verdictLine(host, findingCount(report)),
  ...listed.map(({ code, message, where }) => printable(`${code} ${where}: ${withPlace(host, message)}`))
]

/** What a refusal says: an issue is named by the flag that was typed, and its advice is about the same databases. */
const refusalText = (host: HostShape, failure: CommandFailure): string =>
  withPlace(
    host,
    failure instanceof InvalidInput && failure.issues.length > 0
      ? failure.issues.map(({ message, path }) => `${typedName(host.args, path)}${message}`).join("; ")
      : failure.message
  )

const failureEnding = (host: HostShape, failure: CommandFailure): Ending => ({
  code: exitCodes[failure._tag],
  ...(failure._tag === "OutputClosed"
    ? {}
    : { document: { ...errorDocument(failure), message: refusalText(host, failure) } }),
  notes:
    failure._tag === "OutputClosed"
      ? []
      : isNegativeVerdict(failure)
        ? verdictNotes(host, failure)
        : [errorLine(host, refusalText(host, failure))]
})

/** True for an error that has an exit code; any other was never meant to come here. */
const isCommandFailure = (error: unknown): error is CommandFailure =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  Object.hasOwn(exitCodes, error._tag)

const reasonOf = (defect: unknown): string => {
  if (!(defect instanceof Error)) return String(defect)
  return defect.message || defect.name
}

const defectEnding = (host: HostShape, defect: unknown): Ending => {
  const [reason] = reasonOf(defect).split("\n")
  const message = withPlace(
    host,
    `Something went wrong inside cortex (${reason}): run cortex cassette verify, and report it with the output of the same command under CORTEX_DEBUG=1`
  )
  const trace = host.env["CORTEX_DEBUG"] && defect instanceof Error ? defect.stack : undefined
  return {
    code: INTERNAL,
    document: { code: "INTERNAL", message, details: {} },
    notes: [errorLine(host, message)],
    ...(trace === undefined ? {} : { trace })
  }
}

/** What every cassette that was asked had no more of, if that is why none answered. */
const wantOfAll = ({ answers }: NetworkUnavailable): Resource | undefined => {
  const [want, ...others] = new Set(Object.values(answers).map(({ reason = "" }) => wantToldIn(reason)))
  return others.length === 0 ? want : undefined
}

const wantOf = (error: unknown): Resource | undefined => {
  if (error instanceof NetworkUnavailable) return wantOfAll(error)
  return isCommandFailure(error) && !(error instanceof StorageFailure) ? undefined : wantBehind(error)
}

/** What the machine had no more of, whether an error was expected there or not. */
const exhaustion = (error: unknown): ResourceExhausted | undefined => {
  const want = wantOf(error)
  if (want === undefined) return undefined
  const file = error instanceof StorageFailure ? error.file : null
  return new ResourceExhausted({ resource: want, file, reason: adviceOn[want] })
}

/** How a command line ends, by what its effect ended with: what is not known is a defect, and never 0. */
export const endingOf = (host: HostShape, exit: Exit.Exit<void, unknown>): Ending => {
  if (Exit.isSuccess(exit)) return { code: DONE, notes: [] }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  const exhausted = exhaustion(error ?? Cause.squash(exit.cause))
  if (exhausted !== undefined) return failureEnding(host, exhausted)
  if (error !== undefined) {
    if (CliError.isCliError(error)) return usageEnding(host, error)
    return isCommandFailure(error) ? failureEnding(host, error) : defectEnding(host, error)
  }
  if (host.stop.aborted && Cause.hasInterruptsOnly(exit.cause)) {
    return { code: stoppedExitCode(host.stop.reason), notes: [] }
  }
  return defectEnding(host, Cause.squash(exit.cause))
}

/** The command, with its help or version text when that was asked for. */
const command = Effect.fnUntraced(function* (host: HostShape) {
  if (host.notText !== undefined) {
    return yield* new InvalidInput({ message: host.notText, issues: [] })
  }
  const texts: Array<string> = []
  const args = withHelpWords(host.args)
  const root = yield* Effect.promise(() => rootCommand(args))
  const unknown = unknownTopic(root, host.args)
  if (unknown !== undefined) return yield* Effect.fail(unknown)
  yield* runParser(root, args, collectingPresenter(mayColour(host, "stdout"), texts)).pipe(
    Effect.provideService(Logger.LogToStderr, true)
  )
  yield* writeResult(texts.map((text) => `${text}\n`).join(""))
})

/**
 * Writes what is left to say, once: as the document for programs, or as lines for people, who also get what no program could
 * be given. A document that cannot be written changes no exit code but 0.
 */
const finish = Effect.fnUntraced(function* (host: HostShape, { code, document, notes, trace }: Ending) {
  const told =
    document === undefined || requestedFormat(host.args) !== "json"
      ? writeNotes(notes)
      : Effect.catch(writeResult(`${errorEnvelope(document)}\n`), () => writeNotes(notes))
  yield* told
  if (trace !== undefined) yield* writeNotes([trace])
  return code
})

/** Runs the command that `host` asks for; gives the exit code. */
export const main = async (host: HostShape): Promise<number> => {
  const exit = await Effect.runPromiseExit(
    command(host).pipe(Effect.provideService(CommandTree, commandTree), Effect.provideService(Host, host)),
    {
      signal: host.stop
    }
  )
  return Effect.runPromise(finish(host, endingOf(host, exit)).pipe(Effect.provideService(Host, host)))
}
