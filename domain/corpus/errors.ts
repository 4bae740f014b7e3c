// The ways in which the corpus and its database refuse or fail, as tagged data that carries what is needed to act.
// What the corpus shares with the ledger (a busy, full or read-only store) is named there and used here.
import * as Schema from "effect/Schema"
import type {
  InvalidInput,
  InvariantViolation,
  NetworkFileSystem,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy,
  StoreNewerThanProgram
} from "../ledger/errors.ts"

export class NotACorpus extends Schema.TaggedError<NotACorpus>()("NotACorpus", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a corpus database: ${this.reason}`
  }
}

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
    return `${this.file} is damaged (${this.finding}); nothing is read from it or written to it: move it away, run cortex index and add the symbols again`
  }
}

/** What any work on an open corpus database can end with; nothing was written. */
export type CorpusStoreError =
  | CorpusCorrupt
  | InvariantViolation
  | NotACorpus
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | StoreBusy

/** The file cannot be opened as a corpus database. */
export type CorpusOpenError =
  | CorpusStoreError
  | CorpusMissing
  | InvalidInput
  | NetworkFileSystem
  | StoreNewerThanProgram
