// How the elements of a queue stand in its run: one message for each attempt. The first message holds the element
// under the element's id as its key, so that an id is taken once. The message of a retry names the attempt that failed, and is
// worth something only if that attempt ended with the receipt of the same token: post and receipt are one transaction.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject, JsonValue } from "../canonical/json.ts"
import { Text } from "../ledger/commands.ts"

const INTENT = "element"

const fields = {
  intent: Schema.Literal(INTENT),
  queue: Text,
  id: Text,
  /** No taker gets it before that, in milliseconds since 1970. */
  due: Schema.optionalKey(Schema.Int)
}

const FirstAttempt = Schema.Struct({ ...fields, attempt: Schema.Literal(1), element: Schema.Unknown })

const Retry = Schema.Struct({
  ...fields,
  attempt: Schema.Int.check(Schema.isGreaterThan(1)),
  /** The message that holds the element. */
  first_message: Schema.String,
  /** The attempt that failed: its job, and the token of its receipt. */
  after: Schema.Struct({ job_id: Schema.String, fencing_token: Schema.Int })
})

const Attempt = Schema.Union([FirstAttempt, Retry])

/** One attempt on an element, as its message says. */
export type Attempt = typeof Attempt.Type

const decode = Schema.decodeUnknownResult(Attempt, { onExcessProperty: "error" })

/** The attempt that a payload in a queue's run is; undefined when the payload came in another way than through the queue. */
export const attemptOf = (payload: JsonObject): Attempt | undefined => Result.getOrUndefined(decode(payload))

/** A time as a message holds it: no fraction is cut off, and what is later than any number says is as late as one can say. */
export const dueTime = (millis: number): number => Math.min(Math.ceil(millis), Number.MAX_SAFE_INTEGER)

const withDue = (due: number | undefined) => (due === undefined ? {} : { due: dueTime(due) })

/** The payload of an element's first message; `due` in milliseconds since 1970. */
export const firstAttempt = (of: {
  readonly queue: string
  readonly id: string
  readonly element: unknown
  readonly due: number | undefined
}): JsonObject => ({
  intent: INTENT,
  queue: of.queue,
  id: of.id,
  attempt: 1,
  // What is no JSON is refused by the command that stores it.
  element: of.element as JsonValue,
  ...withDue(of.due)
})

/** The payload of the message that follows a failed attempt. */
export const nextAttempt = (
  failed: Attempt,
  of: {
    readonly message_id: string
    readonly job_id: string
    readonly fencing_token: number
    readonly due: number | undefined
  }
): JsonObject => ({
  intent: INTENT,
  queue: failed.queue,
  id: failed.id,
  attempt: failed.attempt + 1,
  first_message: "after" in failed ? failed.first_message : of.message_id,
  after: { job_id: of.job_id, fencing_token: of.fencing_token },
  ...withDue(of.due)
})
