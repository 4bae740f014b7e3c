// From a reference and a slice to the text that they mean, by one path and no other: the reference names its section as
// it is now, the slice is judged, the section's current hash completes the key, and what was expanded under that key is
// given out again. Only what nobody has expanded is read, once, and stored before it is given out.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import type { FileReadError } from "../../domain/corpus/errors.ts"
import {
  type ExpansionCacheError,
  ExpansionDiffers,
  ExpansionTooLarge,
  UnboundedSlice
} from "../../domain/corpus/expansion-errors.ts"
import { type ExpansionKey, makeExpansion } from "../../domain/corpus/expansion.ts"
import { MAX_SLICE_BYTES } from "../../domain/corpus/limits.ts"
import type { SectionRow } from "../../domain/corpus/rows.ts"
import {
  cutSlice,
  type InvalidSlice,
  parseSlice,
  type Slice,
  type SliceOutOfRange,
  sliceText
} from "../../domain/corpus/slice.ts"
import { Reference } from "../../domain/corpus/symbols.ts"
import type { InvalidInput } from "../../domain/ledger/errors.ts"
import { asGiven } from "../../domain/thoughts/commands.ts"
import { Hashing } from "../ledger/hashing.ts"
import { decodeInput } from "../ledger/input.ts"
import type { CurrentSection, CurrentSectionError } from "./current-sections.ts"
import { ExpansionCache } from "./expansion-cache.ts"

/** What to read. */
export const ResolveRequest = Schema.Struct({
  /** A symbol, or the id of a section. */
  symbol_id: Reference,
  run_id: Identifier,
  /** In any spelling that the parser takes; the symbol's default slice when it is left out. */
  slice: Schema.optional(Schema.String)
})
export type ResolveRequest = typeof ResolveRequest.Type

/** A piece of text with what it was cut from. */
export interface Resolved {
  readonly run_id: string
  readonly symbol_id: string
  /** Canonical. */
  readonly slice: string
  /** The section as it is now, also when the text was expanded before its lines moved. */
  readonly section_id: string
  readonly section_content_hash: string
  readonly payload: string
  readonly payload_hash: string
  /** Bytes of UTF-8. */
  readonly bytes_expanded: number
  /** When the text was expanded. */
  readonly created_at: string
  /** `HIT`: no text was read for this answer. */
  readonly cache: "HIT" | "MISS"
}

export type ResolveError =
  | CurrentSectionError
  | ExpansionCacheError
  | ExpansionDiffers
  | ExpansionTooLarge
  | FileReadError
  | InvalidInput
  | InvalidSlice
  | SliceOutOfRange
  | UnboundedSlice

/** The index as resolving needs it. */
interface Sections {
  readonly ofReference: (reference: string) => Effect.Effect<CurrentSection, CurrentSectionError>
  /** The section's text now, as UTF-8. */
  readonly bytesOf: (section: SectionRow) => Effect.Effect<Uint8Array, FileReadError>
}

const decode = decodeInput(ResolveRequest, asGiven)

/** Resolves references over an index and the cache in the context. */
export const makeResolving = Effect.fnUntraced(function* ({ bytesOf, ofReference }: Sections) {
  const cache = yield* ExpansionCache
  const { sha256 } = yield* Hashing

  const expand = Effect.fnUntraced(function* (section: SectionRow, slice: Slice) {
    const piece = yield* Effect.fromResult(cutSlice(yield* bytesOf(section), slice))
    return piece.length > MAX_SLICE_BYTES
      ? yield* new ExpansionTooLarge({
          slice: sliceText(slice),
          bytes: piece.length,
          limit: MAX_SLICE_BYTES
        })
      : textOfUtf8(piece)
  })

  /** Expands and stores; what another has stored meanwhile stands, and must be the same text. */
  const miss = Effect.fnUntraced(function* (section: SectionRow, slice: Slice, key: ExpansionKey) {
    const payload = yield* expand(section, slice)
    const created_at = timestampFromMillis(yield* Clock.currentTimeMillis)
    const made = makeExpansion(sha256, key, { section_id: section.section_id, payload, created_at })
    const { expansion } = yield* cache.store(made)
    return expansion.payload_hash === made.payload_hash
      ? expansion
      : yield* new ExpansionDiffers({
          ...key,
          stored_payload_hash: expansion.payload_hash,
          payload_hash: made.payload_hash
        })
  })

  const resolve = Effect.fnUntraced(function* (
    request: ResolveRequest
  ): Effect.fn.Return<Resolved, ResolveError> {
    const { run_id, slice: given, symbol_id } = yield* Effect.fromResult(decode(request))
    const section = yield* ofReference(symbol_id)
    const wanted = given ?? section.slice
    if (wanted === null) return yield* new UnboundedSlice({ symbol_id })
    const slice = yield* Effect.fromResult(parseSlice(wanted))
    const key = {
      run_id,
      symbol_id,
      slice: sliceText(slice),
      section_content_hash: section.content_hash
    }
    const found = yield* cache.lookup(key)
    const { bytes_expanded, created_at, payload, payload_hash } = found ?? (yield* miss(section, slice, key))
    return {
      ...key,
      section_id: section.section_id,
      payload,
      payload_hash,
      bytes_expanded,
      created_at,
      cache: found === undefined ? "MISS" : "HIT"
    }
  })

  // A span that captures no stack: that would cost as much as the whole hit.
  return (request: ResolveRequest): Effect.Effect<Resolved, ResolveError> =>
    Effect.useSpan("Corpus.resolve", () => resolve(request))
})
