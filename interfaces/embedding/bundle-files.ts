// The files of bundles on this machine: the ports that reading, writing, packing and signing need. Neither a ledger nor a
// database is loaded.
import * as Layer from "effect/Layer"
import type { BundleArchive } from "../../application/bundles/bundle-archive.ts"
import type { BundleSource } from "../../application/bundles/bundle-source.ts"
import type { BundleTarget } from "../../application/bundles/bundle-target.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import type { Signing } from "../../application/foundation/signing.ts"
import { bundleDraftLayer } from "../../infrastructure/bundles/bundle-draft.ts"
import { bundleFolderLayer } from "../../infrastructure/bundles/bundle-folder.ts"
import { tarArchiveLayer } from "../../infrastructure/bundles/tar-archive.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"

export const bundleFilesLayer: Layer.Layer<BundleArchive | BundleSource | BundleTarget | Hashing | Signing> =
  Layer.mergeAll(bundleDraftLayer, bundleFolderLayer, tarArchiveLayer, nodeHashingLayer, nodeSigningLayer)

export { folderOfBundle } from "../../infrastructure/bundles/bundle-folder.ts"
