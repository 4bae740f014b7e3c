// From a reference and a slice to the text that they mean, by one path and no other: the reference names its section as
// it is now, the slice is judged, the section's current hash completes the key, and what was expanded under that key is
// given out again. A text that was not expanded yet is read, once, and stored before it is given out.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { Identifier } from "../../domain/canonical/text.ts"
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
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { datedNow } from "../foundation/recordable-time.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import type { CurrentSection, CurrentSectionError } from "./current-sections.ts"
import { ExpansionCache } from "./expansion-cache.ts"
import { traced } from "../foundation/telemetry.ts"

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

/** What to measure: a reference with a slice, or with the symbol's default slice. */
export const MeasureRequest = Schema.Struct({
  symbol_id: Reference,
  slice: Schema.optional(Schema.String)
})
export type MeasureRequest = typeof MeasureRequest.Type

/** What a reference and a slice would give now. */
export interface Measured {
  readonly symbol_id: string
  /** Canonical. */
  readonly slice: string
  /** Bytes of UTF-8. */
  readonly bytes: number
}

/** Why a reference and a slice mean no text now. */
export type MeasureError =
  | CurrentSectionError
  | ExpansionTooLarge
  | FileReadError
  | InvalidInput
  | InvalidSlice
  | SliceOutOfRange
  | UnboundedSlice

/** Every way in which a slice is refused or cannot be read. */
export type ResolveError = MeasureError | ExpansionCacheError | ExpansionDiffers

/** The index as resolving needs it. */
interface Sections {
  readonly ofReference: (reference: string) => Effect.Effect<CurrentSection, CurrentSectionError>
  /** The section's text now, as UTF-8. */
  readonly bytesOf: (section: SectionRow) => Effect.Effect<Uint8Array, FileReadError>
}

const decode = decodeInput(ResolveRequest, Result.succeed)
const decodeMeasure = decodeInput(Schema.Array(MeasureRequest), Result.succeed)

/** The piece of a section's text, unless it is too large to be kept. */
const cutPiece = (
  text: Uint8Array,
  slice: Slice
): Result.Result<Uint8Array, SliceOutOfRange | ExpansionTooLarge> =>
  Result.flatMap(cutSlice(text, slice), (piece) =>
    piece.length > MAX_SLICE_BYTES
      ? Result.fail(
          new ExpansionTooLarge({ slice: sliceText(slice), bytes: piece.length, limit: MAX_SLICE_BYTES })
        )
      : Result.succeed(piece)
  )

/** The slice that is meant: the given one, or the default of what is referred to. */
const wantedSlice = (
  symbol_id: string,
  given: string | undefined,
  section: CurrentSection
): Result.Result<Slice, InvalidSlice | UnboundedSlice> => {
  const wanted = given ?? section.slice
  return wanted === null ? Result.fail(new UnboundedSlice({ symbol_id })) : parseSlice(wanted)
}

/** Resolves and measures references over an index and the cache in the context. */
export const makeResolving = Effect.fnUntraced(function* ({ bytesOf, ofReference }: Sections) {
  const cache = yield* ExpansionCache
  const { sha256 } = yield* Hashing

  const expand = Effect.fnUntraced(function* (section: SectionRow, slice: Slice) {
    return textOfUtf8(yield* Effect.fromResult(cutPiece(yield* bytesOf(section), slice)))
  })

  /** Expands and stores; what another has stored meanwhile stands, and must be the same text. */
  const miss = Effect.fnUntraced(function* (section: SectionRow, slice: Slice, key: ExpansionKey) {
    const payload = yield* expand(section, slice)
    const created_at = yield* datedNow
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
    const slice = yield* Effect.fromResult(wantedSlice(symbol_id, given, section))
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

  /** Reads each section once, however many slices of it are asked for; nothing is expanded. */
  const measure = traced("cassette.corpus.measure")(function* (
    requests: ReadonlyArray<MeasureRequest>
  ): Effect.fn.Return<ReadonlyArray<Measured>, MeasureError> {
    const wanted = yield* Effect.forEach(
      yield* Effect.fromResult(decodeMeasure(requests)),
      Effect.fnUntraced(function* ({ slice: given, symbol_id }) {
        const section = yield* ofReference(symbol_id)
        return { symbol_id, section, slice: yield* Effect.fromResult(wantedSlice(symbol_id, given, section)) }
      })
    )
    const measured = new Map<(typeof wanted)[number], Measured>()
    for (const group of Map.groupBy(wanted, ({ section }) => section.section_id).values()) {
      const [first] = group
      if (first === undefined) continue
      const text = yield* bytesOf(first.section)
      for (const each of group) {
        const { length } = yield* Effect.fromResult(cutPiece(text, each.slice))
        measured.set(each, { symbol_id: each.symbol_id, slice: sliceText(each.slice), bytes: length })
      }
    }
    return wanted.flatMap((each) => measured.get(each) ?? [])
  })

  return {
    // A span that captures no stack: that would cost as much as the whole hit.
    resolve: (request: ResolveRequest): Effect.Effect<Resolved, ResolveError> =>
      Effect.useSpan("cassette.corpus.resolve", () => resolve(request)),
    measure
  }
})
