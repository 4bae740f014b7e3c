// The port through which a bundle from elsewhere is read: names without following links, then one file at a
// time through one descriptor each, sizes first and never more than was stated. An adapter reports what it met; the
// judgement is not its own, and it must never change anything.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { ArtifactFacts } from "../../domain/bundles/folder-check.ts"
import type { FolderListing, ReadFault } from "../../domain/foundation/foreign-files.ts"

/** A bundle's folder as it stood when it was opened. */
export interface OpenedBundle {
  readonly listing: FolderListing
  /** The bytes of `bundle.json`, at most the limit. */
  readonly manifest: Effect.Effect<Uint8Array, ReadFault>
  /** What a file holds that is said to have so many bytes; reads no byte when its size is another. */
  readonly artifact: (path: string, bytes: number) => Effect.Effect<ArtifactFacts, ReadFault>
  /** Folders whose names changed since they were listed. */
  readonly changedFolders: Effect.Effect<ReadonlyArray<string>, FileUnreadable>
}

/**
 * Port: opens a bundle, a folder or its `bundle.json`, to read its files. `FileUnreadable` where the system
 * refuses.
 */
export class BundleSource extends Context.Service<
  BundleSource,
  {
    /**
     * Opens the folder that an absolute path names, or that holds the `bundle.json` that it names. A folder that is not
     * there is an empty listing; one that the system does not let anyone list is an error.
     */
    readonly open: (path: string) => Effect.Effect<OpenedBundle, FileUnreadable>
  }
>()("cortex-cassette/application/BundleSource") {}
