// The files of dossiers on this machine: the ports that making and verifying need. Neither a ledger nor a database is loaded.
import * as Layer from "effect/Layer"
import type { BundleSource } from "../../application/bundles/bundle-source.ts"
import type { DossierFiles } from "../../application/dossiers/dossier-files.ts"
import type { FolderTarget } from "../../application/foundation/folder-target.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import type { Signing } from "../../application/foundation/signing.ts"
import { bundleFolderLayer } from "../../infrastructure/bundles/bundle-folder.ts"
import { dossierFolderLayer } from "../../infrastructure/dossiers/dossier-folder.ts"
import { folderDraftLayer } from "../../infrastructure/files/folder-draft.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"

export const dossierFilesLayer: Layer.Layer<BundleSource | DossierFiles | FolderTarget | Hashing | Signing> =
  Layer.mergeAll(bundleFolderLayer, dossierFolderLayer, folderDraftLayer, nodeHashingLayer, nodeSigningLayer)
