// The port through which a dossier from elsewhere is read, and a bundle is carried into one: names without following links, each
// file through one descriptor, sizes first and never more than was stated. An adapter reports what it met; the judgement is not
// its own, and it must never change what it reads.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NotADossierArchive } from "../../domain/dossiers/errors.ts"
import type { FolderListing, ReadFault } from "../../domain/foundation/foreign-files.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { PackedContent } from "../bundles/bundle-archive.ts"
import type { FolderDraft, TargetFailure } from "../foundation/folder-target.ts"

/** A line of a file, without its line feed. */
export interface ForeignLine {
  readonly text: string
  /** False for what stands behind the last line feed, and for bytes that are no UTF-8. */
  readonly isSound: boolean
}

/** The lines of a file that is open. */
export interface ForeignLines {
  /** The next line, undefined at the end, and where the file could not be read on. */
  readonly next: () => ForeignLine | undefined
  /** The hash of all bytes, when the last line was taken. */
  readonly sha256: Effect.Effect<string, ReadFault>
}

/** A dossier's folder as it stood when it was opened. */
export interface OpenedDossier {
  /** Where its files lie: what was packed lies in a folder of its own until the scope ends. */
  readonly folder: string
  readonly listing: FolderListing
  /** The bytes of a file of the dossier that has at most so many. */
  readonly file: (name: string, maxBytes: number) => Effect.Effect<Uint8Array, ReadFault>
  /** The lines of a file that is said to have so many bytes; no byte is read when its size is another. */
  readonly lines: (name: string, bytes: number) => Effect.Effect<ForeignLines, ReadFault, Scope.Scope>
  /** Folders whose names changed since they were listed. */
  readonly changedFolders: Effect.Effect<ReadonlyArray<string>, FileUnreadable>
}

/** Port: the files of a dossier, in a folder or in one tar file. */
export class DossierFiles extends Context.Service<
  DossierFiles,
  {
    /** Opens the folder, or the packed file, at an absolute path. */
    readonly open: (
      path: string
    ) => Effect.Effect<OpenedDossier, FileUnreadable | NotADossierArchive | TargetFailure, Scope.Scope>
    /** The SHA-256 over the first bytes of a file at an absolute path. */
    readonly hashOfFirst: (path: string, bytes: number) => Effect.Effect<string, ReadFault>
    /** Copies the verified bundle in a folder into a draft, below `into`; the copy is not verified yet. */
    readonly carry: (
      bundle: string,
      content: PackedContent,
      draft: FolderDraft,
      into: string
    ) => Effect.Effect<void, TargetFailure>
  }
>()("cortex-cassette/application/DossierFiles") {}
