// `cortex thought show`: one record by its id.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/ledger/input.ts"
import { ThoughtNotFound } from "../../../domain/ledger/errors.ts"
import { asGiven, ThoughtId } from "../../../domain/thoughts/commands.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { answer } from "../output.ts"
import { recordLines } from "./record-lines.ts"

const decode = decodeInput(ThoughtId, asGiven)

export const showCommand = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("the record's id")) },
  Effect.fnUntraced(function* ({ id }) {
    yield* Effect.fromResult(decode(id))
    const record = yield* withLedger("read", (ledger, thoughts) =>
      Effect.andThen(warnAbout(ledger), thoughts.getThoughtRecord(id))
    )
    if (record === null) return yield* Effect.fail(new ThoughtNotFound({ id }))
    yield* answer({ data: record, lines: () => recordLines(record) })
  })
).pipe(
  Command.withDescription("Show one thought with all its fields and its whole content."),
  Command.withShortDescription("show one thought"),
  Command.withExamples([{ command: "cortex thought show 0b5c6b0e-6f0a-4f0e-9a3a-0a6a2f3f4c5d" }])
)
