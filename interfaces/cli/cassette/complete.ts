// `cortex cassette complete`: a leased step's end, with its immutable receipt.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { CompleteStep, prepareCompletion } from "../../../domain/ledger/commands.ts"
import { readJsonObject } from "../json-file.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { jsonFileFlag, runIdFlag, stepFlag, textFlag, tokenFlag, workerFlag } from "../../shared/flags.ts"
import { traceparentFlag, traceparentOf } from "./trace.ts"

const decode = decodeInput(CompleteStep, prepareCompletion)

export const completeCommand = Command.make(
  "complete",
  {
    runId: runIdFlag,
    step: stepFlag,
    worker: workerFlag,
    token: tokenFlag,
    file: jsonFileFlag("receipt", "the receipt: a JSON object"),
    outcome: textFlag("outcome", "O", "how the step ended: SUCCESS, FAILURE or ABORTED"),
    traceparent: traceparentFlag
  },
  Effect.fnUntraced(function* ({ file, outcome, runId, step, token, traceparent, worker }) {
    const receipt = yield* readJsonObject("--receipt", file)
    const completion = {
      run_id: runId,
      step_id: step,
      worker_id: worker,
      fencing_token: token,
      receipt_payload: receipt,
      outcome,
      traceparent: yield* traceparentOf(traceparent)
      // The ledger decodes strictly: an outcome that it does not know is refused there.
    } as CompleteStep
    yield* Effect.fromResult(decode(completion))
    const completed = yield* withLedger("append", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.completeStep(completion))
    )
    yield* answer({ data: completed, lines: () => fieldLines([["receipt_id", completed.receipt_id]]) })
  })
).pipe(
  Command.withDescription("Finish a leased step with its receipt; worker and token must be the lease's."),
  Command.withShortDescription("finish a leased step with its receipt"),
  Command.withExamples([
    {
      command:
        "cortex cassette complete --run-id r1 --step step_… --worker w1 --token 1 --receipt receipt.json --outcome SUCCESS"
    }
  ])
)
