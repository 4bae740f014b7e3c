// The expansion: one slice of one version of one section, as it was cut, with everything that it takes to find it again
// and to see that it was not changed. The nine fields are the row, the line and the wire form alike; none is ever
// rewritten. Source: docs/spec/corpus.md, "Expansions".
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Sha256 } from "../canonical/sha256.ts"
import { Identifier, isWellFormedText, utf8ByteLength } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import { parseSlice, sliceText } from "./slice.ts"
import { Reference, SectionId } from "./symbols.ts"

const Hash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
)

const isCanonicalSlice = (text: string): boolean => {
  const parsed = parseSlice(text)
  return Result.isSuccess(parsed) && sliceText(parsed.success) === text
}

const CanonicalSlice = Schema.String.check(
  Schema.makeFilter(isCanonicalSlice, { expected: "the canonical text of a slice" })
)

const Payload = Schema.String.check(Schema.makeFilter(isWellFormedText, { expected: "well-formed text" }))

/** What an expansion is found by: another run, symbol, slice or text is another expansion. */
export const ExpansionKey = Schema.Struct({
  run_id: Identifier,
  /** The symbol; of a section that is read by its id, that id. */
  symbol_id: Reference,
  slice: CanonicalSlice,
  section_content_hash: Hash
})
export type ExpansionKey = typeof ExpansionKey.Type

/** What was read: a slice of a section for one run, its text and the text's SHA-256. */
export const Expansion = Schema.Struct({
  ...ExpansionKey.fields,
  /** The section as it stood when the slice was cut; lines before it may have moved since. */
  section_id: SectionId,
  payload: Payload,
  payload_hash: Hash,
  /** Of the payload as UTF-8. */
  bytes_expanded: Schema.Int,
  created_at: Timestamp
})
export type Expansion = typeof Expansion.Type

/** SHA-256 of a payload with CRLF as LF. */
export const payloadHash = (sha256: Sha256, payload: string): string =>
  sha256(payload.replaceAll("\r\n", "\n"))

/** Binds the four parts of a key into one text; no part holds a line feed, so no two keys share one. */
export const keyText = ({ run_id, section_content_hash, slice, symbol_id }: ExpansionKey): string =>
  `${run_id}\n${symbol_id}\n${slice}\n${section_content_hash}`

/** The expansion of a slice that was cut at `created_at`. */
export const makeExpansion = (
  sha256: Sha256,
  key: ExpansionKey,
  cut: { readonly section_id: string; readonly payload: string; readonly created_at: string }
): Expansion => ({
  run_id: key.run_id,
  symbol_id: key.symbol_id,
  slice: key.slice,
  section_id: cut.section_id,
  section_content_hash: key.section_content_hash,
  payload: cut.payload,
  payload_hash: payloadHash(sha256, cut.payload),
  bytes_expanded: utf8ByteLength(cut.payload),
  created_at: cut.created_at
})

/** Which of an expansion's own figures do not fit its payload. */
export const payloadFault = (
  sha256: Sha256,
  { bytes_expanded, payload, payload_hash }: Expansion
): string | undefined => {
  if (bytes_expanded !== utf8ByteLength(payload)) return "bytes_expanded is not the length of the payload"
  return payload_hash === payloadHash(sha256, payload) ? undefined : "payload_hash is not the payload's"
}
