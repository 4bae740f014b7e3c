// The trace in which a command is recorded: what `--traceparent` gives, else the environment's TRACEPARENT, as tools that start
// others in a trace set it. One that is malformed there was not typed by the caller: it is told and left out.
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Traceparent } from "../../../domain/canonical/traceparent.ts"
import { textFlag } from "../../shared/flags.ts"
import { Host } from "../../shared/host.ts"
import { writeWarnings } from "../output.ts"

export const traceparentFlag = textFlag(
  "traceparent",
  "T",
  "the span that records, as W3C Trace Context writes it (default: TRACEPARENT)"
).pipe(Flag.optional)

const isTraceparent = Schema.is(Traceparent)

/** The trace that the flag or the environment names; the flag's is the ledger's to judge. */
export const traceparentOf = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  if (Option.isSome(flag)) return flag.value
  const { env } = yield* Host
  const inherited = env["TRACEPARENT"] ?? ""
  if (inherited === "") return undefined
  if (isTraceparent(inherited)) return inherited
  yield* writeWarnings(["TRACEPARENT is no traceparent of W3C Trace Context: the trace is left out"])
  return undefined
})
