// Files below a root folder, for each part that reads or makes some: how naming, reading and making one fails, and why a walk
// leaves one out. Reasons are stable words; some are a person's choice, others mean that a file could not be taken.
import * as Schema from "effect/Schema"

/** The path leads out of the root, by itself or through a link. */
export class PathOutsideRoot extends Schema.TaggedError<PathOutsideRoot>()("PathOutsideRoot", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} leads out of the root folder: only what lies below it is read`
  }
}

/** Something that is no regular file stands at the path, or a link within the root. */
export class NotAFile extends Schema.TaggedError<NotAFile>()("NotAFile", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} is not read: ${this.reason}`
  }
}

/** The operating system refused to read the file. */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>()("FileUnreadable", {
  path: Schema.String,
  code: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be read (${this.code}): check its permissions`
  }
}

/** Something else stands where the result was to go; it was not touched. */
export class TargetExists extends Schema.TaggedError<TargetExists>()("TargetExists", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} exists and is not the same, byte for byte: choose another name, nothing was written over`
  }
}

/** Why something that a walk met is not indexed. */
export const SKIP_REASONS = [
  "IGNORED",
  "GENERATED",
  "EXCLUDED",
  "LINK",
  "LINK_OUTSIDE_ROOT",
  "NOT_A_FILE",
  "BINARY",
  "NOT_UTF8",
  "TOO_LARGE",
  "CHANGED",
  "UNREADABLE"
] as const
/** Why a file was left out. */
export type SkipReason = (typeof SKIP_REASONS)[number]

/** A file that was left out, and why. */
export const Skipped = Schema.Struct({
  /** Relative to the root; a folder that was left out as a whole ends in `/`. */
  path: Schema.String,
  reason: Schema.Literals(SKIP_REASONS)
})
export type Skipped = typeof Skipped.Type
