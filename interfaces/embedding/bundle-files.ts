// The files of bundles on this machine: the ports that reading, writing, packing and signing need. Neither a ledger nor a
// database is loaded.
import * as Layer from "effect/Layer"
import type { BundleArchive } from "../../application/bundles/bundle-archive.ts"
import type { BundleSource } from "../../application/bundles/bundle-source.ts"
import type { FolderTarget } from "../../application/foundation/folder-target.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import type { Signing } from "../../application/foundation/signing.ts"
import { folderDraftLayer } from "../../infrastructure/files/folder-draft.ts"
import { bundleFolderLayer } from "../../infrastructure/bundles/bundle-folder.ts"
import { tarArchiveLayer } from "../../infrastructure/bundles/tar-archive.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"

export const bundleFilesLayer: Layer.Layer<BundleArchive | BundleSource | FolderTarget | Hashing | Signing> =
  Layer.mergeAll(folderDraftLayer, bundleFolderLayer, tarArchiveLayer, nodeHashingLayer, nodeSigningLayer)

export { folderOfBundle } from "../../infrastructure/bundles/bundle-folder.ts"
