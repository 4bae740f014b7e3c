// The check of one stored expansion: its nine fields and nothing else, each in its form, and a payload that is under its
// own hash. It judges what it is given and reads nothing.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Sha256 } from "../canonical/sha256.ts"
import { Expansion, payloadFault } from "./expansion.ts"

/** Every code of a finding in a cache with what it means; a code is never renamed or reused. */
export const cacheFindingCodes = {
  EXPANSION_INVALID: "an expansion has a field that is missing, unknown or not in its form",
  PAYLOAD_CHANGED: "a payload is not under its hash or has another length",
  EXPANSION_CHANGED: "an expansion's fields are not under their hash",
  LINE_MALFORMED: "a line is not the canonical text of an expansion",
  KEY_DUPLICATE: "a line has the key of a line before it",
  LINE_TORN: "the last line has no end"
} as const

/** What is wrong with a corpus or its cache; `cacheFindingCodes` says what each means. */
export type CacheFindingCode = keyof typeof cacheFindingCodes

export interface ExpansionFault {
  readonly code: CacheFindingCode
  readonly message: string
}

const decode = Schema.decodeUnknownResult(Expansion, { onExcessProperty: "error" })

/** The value as an expansion, or why it is none. */
export const asExpansion = (value: unknown): Result.Result<Expansion, ExpansionFault> =>
  Result.mapError(decode(value), ({ message }) => ({
    code: "EXPANSION_INVALID",
    message: message.replaceAll(/\s*\n\s*/g, ", ")
  }))

/** What is wrong with a stored expansion, if anything. */
export const expansionFault = (sha256: Sha256, value: unknown): ExpansionFault | undefined => {
  const expansion = asExpansion(value)
  if (Result.isFailure(expansion)) return expansion.failure
  const message = payloadFault(sha256, expansion.success)
  return message === undefined ? undefined : { code: "PAYLOAD_CHANGED", message }
}
