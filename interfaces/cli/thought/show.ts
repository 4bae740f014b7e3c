// `cortex thought show`: one record by its id.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { ThoughtNotFound } from "../../../domain/ledger/thoughts/errors.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { answer } from "../output.ts"
import { recordLines } from "./record-lines.ts"

export const showCommand = Command.make(
  "show",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("the record's id, or as much of its beginning as no other has")
    )
  },
  Effect.fnUntraced(function* ({ id }) {
    const record = yield* withLedger("read", (ledger, thoughts) =>
      Effect.andThen(warnAbout(ledger), Effect.flatMap(thoughts.thoughtIdOf(id), thoughts.getThoughtRecord))
    )
    if (record === null) return yield* Effect.fail(new ThoughtNotFound({ id }))
    yield* answer({ data: record, lines: () => recordLines(record) })
  })
).pipe(
  Command.withDescription("Show one thought with all its fields and its whole content."),
  Command.withShortDescription("show one thought"),
  Command.withExamples([{ command: "cortex thought show 0b5c6b0e-6f0a-4f0e-9a3a-0a6a2f3f4c5d" }])
)
