// The port to the files below the root: finding them, telling changed from unchanged, and reading text. An adapter
// never gives a byte from outside the root, never a text that changed while it was read, and holds a text once.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FileReadError } from "../../domain/corpus/errors.ts"
import type { FileUnreadable, NotAFile, PathOutsideRoot } from "../../domain/foundation/root-files.ts"
import type { Skipped } from "../../domain/foundation/root-files.ts"
import type { FileStat } from "../../domain/corpus/rows.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"

/** Which files of a walk to take. */
export interface WalkOptions {
  /** Files or folders below the root; the whole root when there are none. */
  readonly paths: ReadonlyArray<string>
  /** Only files that match one of these globs, if there are any. */
  readonly include: ReadonlyArray<string>
  /** No file that matches one of these globs. */
  readonly exclude: ReadonlyArray<string>
}

/** What a walk below the root found: files to index, what was left out and why, and the paths that were asked for. */
export interface Walk {
  /** Paths of files, in order. */
  readonly files: ReadonlyArray<string>
  readonly skipped: ReadonlyArray<Skipped>
  /** Where the walk began: files and folders relative to the root, "" for the root itself. */
  readonly starts: ReadonlyArray<string>
  /** The starts at which nothing stands. */
  readonly missing: ReadonlyArray<string>
}

/** The bytes of a file, with what the file system said of it when they were read. */
export interface FileText {
  readonly stat: FileStat
  /** Normalised text as UTF-8. */
  readonly text: Uint8Array
}

/** Port: the files below a corpus' root, which it never leaves. Paths are relative to the root, with `/`. */
export class CorpusFiles extends Context.Service<
  CorpusFiles,
  {
    /** Finds the files to index; a path that is named and cannot be taken is an error. */
    readonly walk: (
      options: WalkOptions
    ) => Effect.Effect<Walk, FileUnreadable | InvalidInput | NotAFile | PathOutsideRoot>
    /** One stat, links followed; undefined when nothing is there. */
    readonly stat: (path: string) => FileStat | undefined
    /** Reads a file of UTF-8 text; what it was when it was read is in the answer. */
    readonly read: (path: string) => Effect.Effect<FileText, FileReadError>
  }
>()("cortex-cassette/application/CorpusFiles") {}
