// The ways in which the corpus and its database refuse or fail, as tagged data that carries what is needed to act.
// What the corpus shares with the ledger (a busy, full or read-only store) is named there and used here.
import * as Schema from "effect/Schema"
import type { FileUnreadable, NotAFile, PathOutsideRoot } from "../foundation/root-files.ts"
import type { InvalidInput, InvariantViolation } from "../foundation/errors.ts"
import type {
  NetworkFileSystem,
  UnsafePlace,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy,
  StoreNewerThanProgram,
  UnsupportedNode
} from "../foundation/storage-errors.ts"

/** The file is a database, but none of a corpus. */
export class NotACorpus extends Schema.TaggedError<NotACorpus>()("NotACorpus", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a corpus database: ${this.reason}`
  }
}

/** There is no corpus database yet: index first. */
export class CorpusMissing extends Schema.TaggedError<CorpusMissing>()("CorpusMissing", {
  file: Schema.String
}) {
  override get message() {
    return `There is no ${this.file}: check the root folder, or run cortex index there first`
  }
}

/** The database is damaged, or its schema is not the one that its version has. */
export class CorpusCorrupt extends Schema.TaggedError<CorpusCorrupt>()("CorpusCorrupt", {
  file: Schema.String,
  finding: Schema.String
}) {
  override get message() {
    return `${this.file} is damaged (${this.finding}); nothing is read from it or written to it: cortex cache verify lists every fault; cortex index makes again what comes from the documents; where that does not help, move the file away, run cortex index and add the symbols again`
  }
}

/** No symbol has this name. */
export class SymbolNotFound extends Schema.TaggedError<SymbolNotFound>()("SymbolNotFound", {
  symbol_id: Schema.String
}) {
  override get message() {
    return `There is no symbol ${this.symbol_id}: cortex symbol list shows all, cortex symbol add makes one`
  }
}

/** The symbol names something else already. */
export class SymbolExists extends Schema.TaggedError<SymbolExists>()("SymbolExists", {
  symbol_id: Schema.String,
  path: Schema.String,
  heading: Schema.NullOr(Schema.String),
  slice: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const target = this.heading === null ? this.path : `${this.path}#${this.heading}`
    const slice = this.slice === null ? "no default slice" : `default slice ${this.slice}`
    return `${this.symbol_id} is there already and names ${target} with ${slice}: choose another name, or remove it first`
  }
}

/** No current section has this id: it never was one, or its file has changed. */
export class SectionNotFound extends Schema.TaggedError<SectionNotFound>()("SectionNotFound", {
  section_id: Schema.String
}) {
  override get message() {
    return `No section is called ${this.section_id} now: its file has changed or was never indexed: run cortex index, then cortex section list`
  }
}

/** The file is not in the index. */
export class FileNotIndexed extends Schema.TaggedError<FileNotIndexed>()("FileNotIndexed", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} is not indexed: check the path, or run cortex index`
  }
}

/** The file was indexed and is no longer there. */
export class TargetVanished extends Schema.TaggedError<TargetVanished>()("TargetVanished", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} was indexed and is gone: put it back, or remove the symbols that name it and run cortex index`
  }
}

const escapeHint = (heading: string): string =>
  /\/|~(?![01])/.test(heading) ? "; in a heading's own text / is written ~1, and ~ is written ~0" : ""

/** The file has no heading with this path now. */
export class HeadingNotFound extends Schema.TaggedError<HeadingNotFound>()("HeadingNotFound", {
  path: Schema.String,
  heading: Schema.String
}) {
  override get message() {
    return `${this.path} has no heading ${JSON.stringify(this.heading)} now: cortex section list --path shows those that it has${escapeHint(this.heading)}`
  }
}

/** Several headings of one file have this path; `lines` are numbered from 1, as editors do. */
export class AmbiguousHeading extends Schema.TaggedError<AmbiguousHeading>()("AmbiguousHeading", {
  path: Schema.String,
  heading: Schema.String,
  lines: Schema.Array(Schema.Int),
  /** More lines than are named. */
  lines_left_off: Schema.Int
}) {
  override get message() {
    const more = this.lines_left_off === 0 ? "" : ` and ${this.lines_left_off} more`
    return `${this.path} has several headings ${JSON.stringify(this.heading)} (lines ${this.lines.join(", ")}${more}): rename all but one`
  }
}

/** The file holds no text: a U+0000 (`BINARY`), or bytes that are no UTF-8 (`NOT_UTF8`). */
export class NotText extends Schema.TaggedError<NotText>()("NotText", {
  path: Schema.String,
  reason: Schema.Literals(["BINARY", "NOT_UTF8"])
}) {
  override get message() {
    return this.reason === "BINARY"
      ? `${this.path} is binary: it holds U+0000`
      : `${this.path} is not UTF-8: save it in that encoding`
  }
}

/** The file is larger than a text may be, in bytes. */
export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {
  path: Schema.String,
  size: Schema.Number,
  limit: Schema.Int
}) {
  override get message() {
    return `${this.path} has ${this.size} bytes, more than ${this.limit}: split it`
  }
}

/** The file has changed since it was indexed, or while it was read. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", {
  path: Schema.String
}) {
  override get message() {
    return `${this.path} changed while it was read: try again when no program writes to it`
  }
}

/** The corpus's scope has been closed; nothing was written. */
export class CorpusClosed extends Schema.TaggedError<CorpusClosed>()("CorpusClosed", {}) {
  override get message() {
    return "The corpus is closed: open it again"
  }
}

/** Why a file's text cannot be had. */
export type FileReadError =
  | FileChanged
  | FileTooLarge
  | FileUnreadable
  | NotAFile
  | NotText
  | PathOutsideRoot
  | TargetVanished

/** Why a reference names no current section. */
export type ResolveTargetError =
  | AmbiguousHeading
  | FileNotIndexed
  | FileReadError
  | HeadingNotFound
  | SectionNotFound
  | SymbolNotFound

/** What any work on an open corpus database can end with; nothing was written. */
export type CorpusStoreError =
  | CorpusClosed
  | CorpusCorrupt
  | InvariantViolation
  | NotACorpus
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | StoreBusy

/** Everything that a corpus can answer instead of a result. */
export type CorpusError = CorpusOpenError | ResolveTargetError | SymbolExists

/** The file cannot be opened as a corpus database. */
export type CorpusOpenError =
  | CorpusStoreError
  | CorpusMissing
  | InvalidInput
  | NetworkFileSystem
  | UnsafePlace
  | StoreNewerThanProgram
  | UnsupportedNode
