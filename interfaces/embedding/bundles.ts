// Bundles for hosts whose files are this machine's: the ports of all that `Bundle` does, but for the ledger and the
// expansion cache that building reads, which come from `Ledger.layer` and `Corpus.layer`.
import * as Layer from "effect/Layer"
import type { BundleArchive } from "../../application/bundles/bundle-archive.ts"
import type { BundleSource } from "../../application/bundles/bundle-source.ts"
import type { BundleTarget } from "../../application/bundles/bundle-target.ts"
import { Bundle as operations } from "../../application/bundles/bundle.ts"
import type { Hashing } from "../../application/ledger/hashing.ts"
import type { Signing } from "../../application/ledger/signing.ts"
import { bundleDraftLayer } from "../../infrastructure/bundles/bundle-draft.ts"
import { bundleFolderLayer } from "../../infrastructure/bundles/bundle-folder.ts"
import { tarArchiveLayer } from "../../infrastructure/bundles/tar-archive.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"

const layer: Layer.Layer<BundleArchive | BundleSource | BundleTarget | Hashing | Signing> = Layer.mergeAll(
  bundleDraftLayer,
  bundleFolderLayer,
  tarArchiveLayer,
  nodeHashingLayer,
  nodeSigningLayer
)

/** What can be done with bundles, and the layer for bundles in folders of this machine. */
export const Bundle = { ...operations, layer } as const
