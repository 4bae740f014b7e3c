// What a ledger keeps of a body that an agent gave or got: the hash and length of its canonical text, and the body itself only when
// that was asked for. A body that has no canonical text never stops the record: the record says why there is no hash.
import * as Result from "effect/Result"
import { jcs } from "../canonical/jcs.ts"
import type { JsonObject } from "../canonical/json.ts"
import type { NotCanonical } from "../canonical/not-canonical.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseCanonicalJson } from "../canonical/stored-json.ts"
import { readJson } from "../canonical/strict-reader.ts"
import { utf8ByteLength } from "../canonical/text.ts"
import { holdsNul } from "../ledger/commands.ts"
import { MAX_PAYLOAD_BYTES } from "../ledger/limits.ts"

/** Deepest body that has a hash, in levels of lists and objects. */
const MAX_BODY_DEPTH = 1_000

/** Deepest body that is kept: a payload has two levels around it. */
const MAX_KEPT_DEPTH = 60

/** Longest body that is kept, in bytes of its canonical text: a payload has other members, too. */
export const MAX_KEPT_BYTES = MAX_PAYLOAD_BYTES - 65_536

/** Whether bodies themselves are kept, or their hashes alone. */
export type Bodies = "hash" | "keep"

/** The canonical text of a value as JSON.stringify reads it: dates as texts, members without a JSON form left out. */
const textOf = (value: unknown): Result.Result<string, NotCanonical> => {
  const plain = jcs(value, MAX_BODY_DEPTH)
  if (Result.isSuccess(plain)) return plain
  try {
    const text = JSON.stringify(value)
    if (text === undefined) return plain
    const read = readJson(text, "jcs/1", MAX_BODY_DEPTH)
    return Result.isSuccess(read) ? jcs(read.success, MAX_BODY_DEPTH) : plain
  } catch {
    // A cycle, a bigint or a getter that throws: the first refusal names it.
    return plain
  }
}

/** The body as a member of a record, or why it is left out. */
const keptBody = (text: string, bytes: number): JsonObject => {
  if (bytes > MAX_KEPT_BYTES) return { left_out: `over ${MAX_KEPT_BYTES} bytes` }
  if (holdsNul(text)) return { left_out: "U+0000" }
  const body = parseCanonicalJson(text, MAX_KEPT_DEPTH)
  return body === undefined ? { left_out: `over ${MAX_KEPT_DEPTH} levels` } : { body }
}

/**
 * A body as a ledger has it: `{ sha256, bytes }` of its RFC 8785 text, with `body` or `left_out` where bodies are kept; or
 * `{ not_json }`, the reason why it has no such text.
 */
export const bodyRecord = (sha256: Sha256, value: unknown, bodies: Bodies): JsonObject => {
  const text = textOf(value)
  if (Result.isFailure(text)) return { not_json: text.failure.reason }
  const bytes = utf8ByteLength(text.success)
  const record = { sha256: sha256(text.success), bytes }
  return bodies === "keep" ? { ...record, ...keptBody(text.success, bytes) } : record
}
