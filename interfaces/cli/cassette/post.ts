// `cortex cassette post`: one message from a JSON file. The payload names its own steps, or is the one step.
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { PostMessage, preparePost } from "../../../domain/ledger/commands.ts"
import type { Posted, PostedAndClaimed } from "../../../domain/ledger/decide.ts"
import { readJsonObject } from "../json-file.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { jsonFileFlag, runIdFlag, textFlag, ttlFlag } from "../../shared/flags.ts"
import { traceparentFlag, traceparentOf } from "./trace.ts"

const decode = decodeInput(PostMessage, preparePost)

/** The lease of the first step, where the post was asked for it. */
const leaseFields = (posted: Posted | PostedAndClaimed): ReadonlyArray<readonly [string, string]> => {
  if (!("lease" in posted)) return []
  const { lease, lease_expires_at } = posted
  return lease === null || lease_expires_at === null
    ? [["lease", "none: the first step does not wait"]]
    : [
        ["step_id", lease.step_id],
        ["fencing_token", String(lease.fencing_token)],
        ["lease_expires_at", lease_expires_at]
      ]
}

const postedLines = (posted: Posted | PostedAndClaimed) =>
  fieldLines([
    ["message_id", posted.message_id],
    ...posted.job_ids.map((id) => ["job_id", id] as const),
    ["created", posted.created ? "yes" : "no: this key had posted the same message before"],
    ...leaseFields(posted)
  ])

export const postCommand = Command.make(
  "post",
  {
    file: jsonFileFlag("json", "the payload: a JSON object, which may list its steps under steps"),
    runId: runIdFlag,
    source: textFlag("source", "S", "who posts: USER, PLANNER, SYSTEM or WORKER"),
    key: textFlag("idempotency-key", "K", "the same key with the same payload answers the same ids").pipe(
      Flag.optional
    ),
    claim: textFlag("claim", "WORKER", "lease the first step to this worker in the same transaction").pipe(
      Flag.optional
    ),
    claimTtl: ttlFlag("claim-ttl"),
    traceparent: traceparentFlag
  },
  Effect.fnUntraced(function* ({ claim, claimTtl, file, key, runId, source, traceparent }) {
    const payload = yield* readJsonObject("--json", file)
    const message = {
      run_id: runId,
      source,
      payload,
      idempotency_key: Option.getOrUndefined(key),
      claim: Option.getOrUndefined(
        Option.map(claim, (worker_id) => ({ worker_id, ttl_seconds: Option.getOrUndefined(claimTtl) }))
      ),
      traceparent: yield* traceparentOf(traceparent)
      // The ledger decodes strictly: a source that it does not know is refused there.
    } as PostMessage
    // Refused input must not leave a new, empty ledger behind.
    yield* Effect.fromResult(decode(message))
    const posted = yield* withLedger("write", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.postMessage(message))
    )
    yield* answer({ data: posted, lines: () => postedLines(posted) })
  })
).pipe(
  Command.validate(({ claim, claimTtl }) =>
    Option.isNone(claim) && Option.isSome(claimTtl)
      ? Effect.fail(new CliError.ValidationError({ message: "--claim-ttl needs --claim" }))
      : Effect.void
  ),
  Command.withDescription(
    "Post a message with its jobs and steps; creates the ledger when it is missing. With --claim its first step is leased to a worker in the same transaction."
  ),
  Command.withShortDescription("post a message from a JSON file"),
  Command.withExamples([
    { command: "cortex cassette post --json message.json --run-id r1 --source USER" },
    {
      command:
        'echo \'{"intent":"tidy"}\' | cortex cassette post --json - --run-id r1 --source USER --idempotency-key k1',
      description: "from standard input, safe to repeat"
    },
    {
      command:
        "cortex cassette post --json message.json --run-id r1 --source WORKER --claim w1 --claim-ttl 60",
      description: "posts and claims in one transaction"
    }
  ])
)
