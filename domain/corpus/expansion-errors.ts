// The ways in which the expansion cache refuses or fails beside those that it shares with the corpus database. Where a
// file is damaged the error names the line, since a person has to look at it; nothing is ever repaired by itself.
import * as Schema from "effect/Schema"
import type { InvalidInput, InvariantViolation } from "../foundation/errors.ts"
import type { ReadOnlyStore, StorageFailure, StorageFull, StoreBusy } from "../foundation/storage-errors.ts"
import type { CorpusClosed, CorpusCorrupt, NotACorpus } from "./errors.ts"

/** A line of the cache file is no expansion, or does not fit its own hash; lines are numbered from 1. */
export class CacheDamaged extends Schema.TaggedError<CacheDamaged>()("CacheDamaged", {
  file: Schema.String,
  line: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `Line ${this.line} of ${this.file} is damaged (${this.reason}); nothing is read from the file or added to it: cortex cache verify lists every fault; move the file away, and everything is expanded again`
  }
}

/** Two lines of the cache file have one key. */
export class DuplicateExpansion extends Schema.TaggedError<DuplicateExpansion>()("DuplicateExpansion", {
  file: Schema.String,
  line: Schema.Int,
  first_line: Schema.Int
}) {
  override get message() {
    return `Line ${this.line} of ${this.file} has the key of line ${this.first_line}; nothing is read from the file or added to it: cortex cache verify lists every fault; move the file away, and everything is expanded again`
  }
}

/** The last line of the cache file has no end: a writer died while it wrote. */
export class CacheTorn extends Schema.TaggedError<CacheTorn>()("CacheTorn", {
  file: Schema.String,
  line: Schema.Int,
  bytes: Schema.Int
}) {
  override get message() {
    return `Line ${this.line}, the last one of ${this.file}, was cut off after ${this.bytes} bytes when its writer died: cortex cache repair removes it, no other line is touched`
  }
}

/** Something that is no cache file stands at its path. */
export class NotACache extends Schema.TaggedError<NotACache>()("NotACache", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not an expansion cache: ${this.reason}; move it away`
  }
}

/** A slice is too large to be kept; nothing was stored. */
export class ExpansionTooLarge extends Schema.TaggedError<ExpansionTooLarge>()("ExpansionTooLarge", {
  slice: Schema.String,
  bytes: Schema.Int,
  limit: Schema.Int
}) {
  override get message() {
    return `${this.slice} has ${this.bytes} bytes here, more than ${this.limit}: read it in several slices`
  }
}

/** Neither the caller nor the symbol says how much to read. */
export class UnboundedSlice extends Schema.TaggedError<UnboundedSlice>()("UnboundedSlice", {
  symbol_id: Schema.String
}) {
  override get message() {
    return `${this.symbol_id} has no default slice: say how much to read, such as lines[0:80]`
  }
}

/** Under one key two different texts were expanded, so that one of them is wrong; the stored one was not given out. */
export class ExpansionDiffers extends Schema.TaggedError<ExpansionDiffers>()("ExpansionDiffers", {
  run_id: Schema.String,
  symbol_id: Schema.String,
  slice: Schema.String,
  section_content_hash: Schema.String,
  stored_payload_hash: Schema.String,
  payload_hash: Schema.String
}) {
  override get message() {
    return `The stored text of ${this.symbol_id} ${this.slice} (${this.stored_payload_hash}) differs from the section (${this.payload_hash}): run cortex cache verify`
  }
}

/** What any work on an open expansion cache can end with; nothing was stored. */
export type ExpansionCacheError =
  | CacheDamaged
  | CacheTorn
  | CorpusClosed
  | CorpusCorrupt
  | DuplicateExpansion
  | InvalidInput
  | InvariantViolation
  | NotACache
  | NotACorpus
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | StoreBusy
