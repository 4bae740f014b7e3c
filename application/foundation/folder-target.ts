// The port through which a folder with evidence is written (a bundle, a dossier): into a private folder beside the target first,
// and put in its place as a whole when everything is on the disk. A process that is killed before leaves the target as it was;
// nothing is written over.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TargetExists } from "../../domain/foundation/root-files.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { ReadOnlyStore, StorageFailure, StorageFull } from "../../domain/foundation/storage-errors.ts"

/** What the disk can answer instead of taking a file. */
export type TargetFailure = InvalidInput | ReadOnlyStore | StorageFull | StorageFailure

/** `created`, or `unchanged` when the same stands there, byte for byte. */
type Finished = Effect.Effect<"created" | "unchanged", TargetFailure | TargetExists>

/** A folder that is being written; it vanishes with its scope unless it was finished. Its files get the permissions of the draft. */
export interface FolderDraft {
  /** Where the files lie until then. */
  readonly folder: string
  /** Writes a new file; the name is relative, with forward slashes, and its folders are made. */
  readonly write: (name: string, content: string | Iterable<Uint8Array>) => Effect.Effect<void, TargetFailure>
  /** Adds to the end of a file, which is made when it is not there. */
  readonly append: (name: string, text: string) => Effect.Effect<void, TargetFailure>
  /** Puts everything on the disk and the folder in its place. */
  readonly finish: Finished
  /** Puts everything on the disk as one tar file, in the order of names, and that file in its place. */
  readonly finishPacked: Finished
}

/** What a draft makes beforehand, and what it is a copy of. */
export interface DraftOptions {
  /** Folders that stand in it though no file may. */
  readonly folders?: ReadonlyArray<string> | undefined
  /** What it is a copy of: it is never more open than that. */
  readonly source?: string | undefined
}

/** Port: a folder or file that is written as a draft and gets its name only when it is whole. */
export class FolderTarget extends Context.Service<
  FolderTarget,
  {
    /** Begins a folder, or a packed one, that is to stand at an absolute path. */
    readonly begin: (
      path: string,
      options?: DraftOptions
    ) => Effect.Effect<FolderDraft, TargetFailure, Scope.Scope>
  }
>()("cortex-cassette/application/FolderTarget") {}
