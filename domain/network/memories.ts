// What may be remembered: a text with something to say and an object of metadata. A memory is refused as a whole,
// with all issues; nothing is trimmed, repaired or guessed, since the text is kept and named as it is given.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import { jcs } from "../canonical/jcs.ts"
import { utf8ByteLength } from "../canonical/text.ts"
import { MAX_MEMORY_BYTES, MAX_METADATA_BYTES } from "./limits.ts"

/** A memory as it is handed to a cassette. */
export interface GivenMemory {
  readonly text: string
  /** Who saves it; null when no agent was named. */
  readonly agent_id: string | null
  /** A JSON object as `jcs/1`. */
  readonly metadata: string
}

/** Why something is not remembered, by JSON pointer. */
export interface MemoryIssue {
  readonly path: "/text" | "/metadata"
  readonly message: string
}

// White space, and characters that show nothing and say nothing.
const blank = /^[\p{White_Space}\p{Cf}]*$/u

const textFault = (text: unknown): string | undefined => {
  if (typeof text !== "string") return "a text"
  if (!text.isWellFormed()) return "text without lone surrogates: they have no UTF-8"
  if (text.includes("\u0000")) return "text without U+0000"
  if (blank.test(text)) return "a text that is not blank"
  const bytes = utf8ByteLength(text)
  return bytes > MAX_MEMORY_BYTES
    ? `at most ${MAX_MEMORY_BYTES} bytes of UTF-8, not ${bytes}: keep large texts as documents`
    : undefined
}

const metadataText = (metadata: unknown): Result.Result<string, string> => {
  if (!isJsonObject(metadata)) return Result.fail("a JSON object")
  const written = jcs(metadata)
  if (Result.isFailure(written)) return Result.fail(written.failure.message)
  const bytes = utf8ByteLength(written.success)
  return bytes > MAX_METADATA_BYTES
    ? Result.fail(`at most ${MAX_METADATA_BYTES} bytes as canonical JSON, not ${bytes}`)
    : Result.succeed(written.success)
}

/** The memory that a caller gives, or everything that is wrong with it. */
export const givenMemory = (
  text: string,
  metadata: JsonObject,
  agent_id: string | null
): Result.Result<GivenMemory, ReadonlyArray<MemoryIssue>> => {
  const fault = textFault(text)
  const written = metadataText(metadata)
  const issues: ReadonlyArray<MemoryIssue> = [
    ...(fault === undefined ? [] : [{ path: "/text" as const, message: fault }]),
    ...(Result.isFailure(written) ? [{ path: "/metadata" as const, message: written.failure }] : [])
  ]
  return Result.isSuccess(written) && issues.length === 0
    ? Result.succeed({ text, agent_id, metadata: written.success })
    : Result.fail(issues)
}
