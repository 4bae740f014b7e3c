// What reading commands take from the command line, checked before a file is opened: a mistyped run or time must be
// refused, since a comparison with it would quietly answer something.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeInput } from "../../../application/foundation/input.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { Timestamp } from "../../../domain/canonical/timestamp.ts"

const ReadOptions = Schema.Struct({
  run_id: Schema.optional(Identifier),
  now: Schema.optional(Timestamp),
  since: Schema.optional(Timestamp),
  until: Schema.optional(Timestamp)
})

const decode = decodeInput(ReadOptions, Result.succeed)

type Given = { readonly [Name in "now" | "runId" | "since" | "until"]?: Option.Option<string> }

/** The run and the times that the flags give, or why they are refused. */
export const readOptions = ({ now, runId, since, until }: Given) =>
  Effect.fromResult(
    decode({
      run_id: runId && Option.getOrUndefined(runId),
      now: now && Option.getOrUndefined(now),
      since: since && Option.getOrUndefined(since),
      until: until && Option.getOrUndefined(until)
    })
  )
