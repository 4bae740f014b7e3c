// The application for hosts that bring their own ports: the ledger's service, its ports and their types, with no
// knowledge of SQLite. `Ledger.layerNoDeps` is the service over its ports.
export type { AttestationRequest } from "./bundles/attest-bundle.ts"
export type { BuildBundle, BuildError, BuiltBundle } from "./bundles/build-bundle.ts"
export { BundleArchive, type PackedContent } from "./bundles/bundle-archive.ts"
export { BundleSource, type OpenedBundle } from "./bundles/bundle-source.ts"
export {
  type DraftOptions,
  type FolderDraft,
  FolderTarget,
  type TargetFailure
} from "./foundation/folder-target.ts"
export { Bundle } from "./bundles/bundle.ts"
export type { BundleComparison } from "./bundles/compare-bundles.ts"
export { type SoundBundle, UnsoundBundle } from "./bundles/sound-bundle.ts"
export type { VerifiedBundle } from "./bundles/verify-bundle.ts"
export { CorpusFiles, type FileText, type Walk, type WalkOptions } from "./corpus/corpus-files.ts"
export { CorpusStore, type NamedSection, type TargetRows } from "./corpus/corpus-store.ts"
export { Corpus, type CorpusShape } from "./corpus/corpus.ts"
export {
  DossierFiles,
  type ForeignLine,
  type ForeignLines,
  type OpenedDossier
} from "./dossiers/dossier-files.ts"
export { Dossiers, type DossiersShape } from "./dossiers/dossiers.ts"
export type { DossierEvent, WithheldEvent } from "../domain/dossiers/event-lines.ts"
export type { DossierEvidence, ExportDossier } from "./dossiers/dossier-request.ts"
export type { ExportDossierError, ExportedDossier, ExportPorts } from "./dossiers/export-dossier.ts"
export {
  type DossierPorts,
  type EventWitness,
  type VerifiedDossier,
  verifyDossier,
  type VerifyDossier,
  type VerifyDossierError
} from "./dossiers/verify-dossier.ts"
export type { CurrentSection, CurrentSectionError } from "./corpus/current-sections.ts"
export {
  CACHE_SUBSTRATES,
  type CacheStats,
  type CacheSubstrate,
  ExpansionCache,
  type Stored
} from "./corpus/expansion-cache.ts"
export type { IndexOptions, IndexProgress } from "./corpus/indexing.ts"
export { Markdown } from "./corpus/markdown.ts"
export {
  type PlanError,
  planRequest,
  type PostedPlan,
  type PreparedPlan,
  postPlan,
  preparePlan
} from "./corpus/planner.ts"
export type {
  Measured,
  MeasureError,
  MeasureRequest,
  Resolved,
  ResolveError,
  ResolveRequest
} from "./corpus/resolving.ts"
export { History, type HistoryShape } from "./history/history.ts"
export { type CommandWriter, DEFAULT_QUEUE_CAPACITY, LedgerWriter } from "./ledger/commands/command-writer.ts"
export type { EventStreamOptions } from "./ledger/reading/event-stream.ts"
export { Hashing } from "./foundation/hashing.ts"
export { type BackupError, LedgerCopies } from "./ledger/verification/ledger-copies.ts"
export {
  type FoldTarget,
  LedgerEvidence,
  type LedgerSnapshot
} from "./ledger/verification/ledger-evidence.ts"
export {
  type JobStatus,
  LedgerReader,
  type ReadError,
  type RunSummary,
  type StepCounts,
  type StepsOf,
  type StepState,
  type ThoughtsOf
} from "./ledger/reading/ledger-reader.ts"
export { LedgerStore, type LedgerTransaction } from "./ledger/commands/ledger-store.ts"
export { Ledger, type LedgerPorts, type LedgerShape } from "./ledger/ledger.ts"
export type { LedgerState, StateAtOptions, StateRows } from "./ledger/reading/state-at.ts"
export { Checkpoints, type CheckpointsShape } from "./ledger/proofs/checkpoints.ts"
export {
  MerkleLog,
  type MerkleLogError,
  type MerklePath,
  type MerklePaths
} from "./ledger/proofs/merkle-log.ts"
export { Signing, type SigningKey } from "./foundation/signing.ts"
export type { Rung } from "./ledger/verification/evidence-input.ts"
export {
  type VerificationError,
  type VerificationOptions,
  verify
} from "./ledger/verification/verification.ts"
export { RandomIds } from "./ledger/thoughts/random-ids.ts"
export { type CreateThoughtOptions, Thoughts, type ThoughtsShape } from "./ledger/thoughts/thoughts.ts"
