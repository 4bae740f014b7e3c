// How a database file fails, whichever part keeps it: it is locked, damaged, in a place that is not safe, or there is no
// room. Each error is tagged data that carries what is needed to act.
import * as Schema from "effect/Schema"

/** Other writers held the file until the deadline; nothing was written. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", { waited_ms: Schema.Number }) {
  override get message() {
    return `The database was locked by other writers for ${this.waited_ms} ms; nothing was written, try again`
  }
}

/** A newer program has written the file, with a version of the schema that this one does not know. */
export class StoreNewerThanProgram extends Schema.TaggedError<StoreNewerThanProgram>()(
  "StoreNewerThanProgram",
  {
    file: Schema.String,
    version: Schema.Number,
    supported: Schema.Number
  }
) {
  override get message() {
    return `${this.file} has version ${this.version}, this program knows ${this.supported}: use a newer program`
  }
}

/** The file lies on a network file system, whose locks cannot be trusted. */
export class NetworkFileSystem extends Schema.TaggedError<NetworkFileSystem>()("NetworkFileSystem", {
  file: Schema.String,
  kind: Schema.String
}) {
  override get message() {
    return `${this.file} is on a network file system (${this.kind}), where file locks cannot be trusted: use a local disk, or allow it knowingly`
  }
}

/**
 * The file may be read but not written where it is: it has several names (`SEVERAL_NAMES`), or is mounted without its folder
 * (`MOUNTED_ALONE`), so that its log is not where others look for it.
 */
export class UnsafePlace extends Schema.TaggedError<UnsafePlace>()("UnsafePlace", {
  file: Schema.String,
  code: Schema.Literals(["SEVERAL_NAMES", "MOUNTED_ALONE"]),
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not opened for writing: ${this.reason} (${this.code})`
  }
}

/** The file is there, but it is no ledger. */
export class NotALedger extends Schema.TaggedError<NotALedger>()("NotALedger", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a ledger: ${this.reason}`
  }
}

/** There is no such file. */
export class FileMissing extends Schema.TaggedError<FileMissing>()("FileMissing", { file: Schema.String }) {
  override get message() {
    return `There is no ${this.file}: check the path`
  }
}

/** The file was opened for reading, or may not be written. */
export class ReadOnlyStore extends Schema.TaggedError<ReadOnlyStore>()("ReadOnlyStore", {
  file: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: check the permissions of the file and of its folder`
  }
}

/** There is no room on the disk; nothing was written. */
export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", { file: Schema.String }) {
  override get message() {
    return `No space is left for ${this.file}; nothing was written, make room and try again`
  }
}

/**
 * The operating system or SQLite failed in a way that has no better name. When it came while a commit was being
 * made durable the outcome is unknown: ask again with the idempotency key, or look at `NotLeased.receipt`.
 */
export class StorageFailure extends Schema.TaggedError<StorageFailure>()("StorageFailure", {
  file: Schema.String,
  code: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file}: ${this.reason} (${this.code})`
  }
}

/** The Node that runs this program cannot run SQLite's driver; nothing was opened. */
export class UnsupportedNode extends Schema.TaggedError<UnsupportedNode>()("UnsupportedNode", {
  version: Schema.String,
  oldest: Schema.String
}) {
  override get message() {
    return `This is Node ${this.version}, and Node ${this.oldest} or newer is needed: start the program with a newer Node`
  }
}
