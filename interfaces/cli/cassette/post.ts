// `cortex cassette post`: one message from a JSON file. The payload names its own steps, or is the one step.
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { PostMessage, preparePost } from "../../../domain/ledger/commands.ts"
import { readJsonObject } from "../json-file.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { jsonFileFlag, runIdFlag, textFlag } from "../../shared/flags.ts"

const decode = decodeInput(PostMessage, preparePost)

export const postCommand = Command.make(
  "post",
  {
    file: jsonFileFlag("json", "the payload: a JSON object, which may list its steps under steps"),
    runId: runIdFlag,
    source: textFlag("source", "S", "who posts: USER, PLANNER, SYSTEM or WORKER"),
    key: textFlag("idempotency-key", "K", "the same key with the same payload answers the same ids").pipe(
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ file, key, runId, source }) {
    const payload = yield* readJsonObject("--json", file)
    const message = {
      run_id: runId,
      source,
      payload,
      idempotency_key: Option.getOrUndefined(key)
      // The ledger decodes strictly: a source that it does not know is refused there.
    } as PostMessage
    // Refused input must not leave a new, empty ledger behind.
    yield* Effect.fromResult(decode(message))
    const posted = yield* withLedger("write", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.postMessage(message))
    )
    yield* answer({
      data: posted,
      lines: () =>
        fieldLines([
          ["message_id", posted.message_id],
          ...posted.job_ids.map((id) => ["job_id", id] as const),
          ["created", posted.created ? "yes" : "no: this key had posted the same message before"]
        ])
    })
  })
).pipe(
  Command.withDescription("Post a message with its jobs and steps; creates the ledger when it is missing."),
  Command.withShortDescription("post a message from a JSON file"),
  Command.withExamples([
    { command: "cortex cassette post --json message.json --run-id r1 --source USER" },
    {
      command:
        'echo \'{"intent":"tidy"}\' | cortex cassette post --json - --run-id r1 --source USER --idempotency-key k1',
      description: "from standard input, safe to repeat"
    }
  ])
)
