// The main entry point: ledger and corpus on SQLite with everything that a host program names. Nothing is re-exported
// that only this package needs.
export type { AttestationRequest } from "../../application/bundles/attest-bundle.ts"
export type { BuildBundle, BuildError, BuiltBundle } from "../../application/bundles/build-bundle.ts"
export type { BundleComparison } from "../../application/bundles/compare-bundles.ts"
export { type SoundBundle, UnsoundBundle } from "../../application/bundles/sound-bundle.ts"
export type { VerifiedBundle } from "../../application/bundles/verify-bundle.ts"
export * from "../../domain/bundles/errors.ts"
export type { BundleFinding, BundleFindingCode, BundleReport } from "../../domain/bundles/finding.ts"
export type { Manifest, ManifestArtifact, ManifestStep } from "../../domain/bundles/manifest.ts"
export { parseReceipt, type ReplayReceipt, receiptText } from "../../domain/bundles/replay.ts"
export { Bundle } from "./bundles.ts"
export type { DossiersShape } from "../../application/dossiers/dossiers.ts"
export type { DossierEvidence, ExportDossier } from "../../application/dossiers/dossier-request.ts"
export type { ExportDossierError, ExportedDossier } from "../../application/dossiers/export-dossier.ts"
export type {
  VerifiedDossier,
  VerifyDossier,
  VerifyDossierError
} from "../../application/dossiers/verify-dossier.ts"
export * from "../../domain/dossiers/errors.ts"
export type { DossierFindingCode, DossierReport } from "../../domain/dossiers/finding.ts"
export type {
  DossierBodies,
  DossierChoice,
  DossierManifest,
  DossierStream
} from "../../domain/dossiers/manifest.ts"
export { Dossiers } from "./dossiers.ts"
export type { CorpusShape } from "../../application/corpus/corpus.ts"
export type { NamedSection } from "../../application/corpus/corpus-store.ts"
export type { CurrentSection, CurrentSectionError } from "../../application/corpus/current-sections.ts"
export type { CacheStats, CacheSubstrate } from "../../application/corpus/expansion-cache.ts"
export type { IndexOptions, IndexProgress } from "../../application/corpus/indexing.ts"
export {
  type PlanError,
  planRequest,
  type PostedPlan,
  type PreparedPlan,
  postPlan,
  preparePlan
} from "../../application/corpus/planner.ts"
export type {
  Measured,
  MeasureError,
  MeasureRequest,
  Resolved,
  ResolveError,
  ResolveRequest
} from "../../application/corpus/resolving.ts"
export type {
  HistoryShape,
  NewestOptions,
  ShowOptions,
  TimelineOptions
} from "../../application/history/history.ts"
export type { Body } from "../../domain/history/bodies.ts"
export { IdNotFound } from "../../domain/history/errors.ts"
export type {
  Listed,
  LogPlace,
  Shown,
  ShownAttempt,
  ShownEvent,
  ShownJob,
  ShownJobState,
  ShownMessage,
  ShownReceipt,
  ShownRun,
  ShownStep,
  ShownStepState,
  ShownThought,
  ThoughtDuring
} from "../../domain/history/shown.ts"
export type { TimelineEntry } from "../../domain/history/timeline.ts"
export { History } from "./history.ts"
export type { EventStreamOptions } from "../../application/ledger/reading/event-stream.ts"
export * as Worker from "../../application/ledger/worker/worker.ts"
export type {
  BatchResults,
  CommandFailure,
  CommandName,
  Commands,
  LedgerCommand,
  ReplyOf
} from "../../application/ledger/commands/commands.ts"
export type { ClaimWait } from "../../application/ledger/commands/claiming.ts"
export type { BackupError } from "../../application/ledger/verification/ledger-copies.ts"
export type { LedgerShape } from "../../application/ledger/ledger.ts"
export type {
  JobStatus,
  ReadError,
  RunSummary,
  StepCounts,
  StepsOf,
  StepState
} from "../../application/ledger/reading/ledger-reader.ts"
export type { PageOptions } from "../../domain/foundation/page.ts"
export type { LedgerState, StateAtOptions } from "../../application/ledger/reading/state-at.ts"
export type {
  MadeCheckpoint,
  MakeCheckpointOptions,
  VerifiedCheckpoint
} from "../../application/ledger/proofs/checkpoint.ts"
export {
  Checkpoints,
  type CheckpointsShape,
  type ConsistencyRequest,
  type InclusionRequest,
  type InclusionsRequest
} from "../../application/ledger/proofs/checkpoints.ts"
export type { VerifiedProof, VerifyProofOptions } from "../../application/ledger/proofs/proof-verification.ts"
export type { SigningKey } from "../../application/foundation/signing.ts"
export type { CheckpointEvidence } from "../../application/ledger/verification/checkpoint-rung.ts"
export type { Rung } from "../../application/ledger/verification/evidence-input.ts"
export type {
  VerificationError,
  VerificationOptions
} from "../../application/ledger/verification/verification.ts"
export {
  type CreateThoughtOptions,
  Thoughts,
  type ThoughtsShape
} from "../../application/ledger/thoughts/thoughts.ts"
export type { CheckFinding, CheckReport } from "../../domain/corpus/check-report.ts"
export * from "../../domain/corpus/errors.ts"
export * from "../../domain/corpus/expansion-errors.ts"
export { BudgetExceeded, type Plan, type PlanCost } from "../../domain/corpus/plan.ts"
export type { PlanRequest } from "../../domain/corpus/plan-request.ts"
export type { ReadReceipt, ReadStep } from "../../domain/corpus/read-step.ts"
export { InvalidSlice, SliceOutOfRange } from "../../domain/corpus/slice.ts"
export { type IndexReport, isRefused } from "../../domain/corpus/index-report.ts"
export { type Skipped, type SkipReason } from "../../domain/foundation/root-files.ts"
export type { HeadingRow, SectionRow, SymbolRow } from "../../domain/corpus/rows.ts"
export type { AddSymbol } from "../../domain/corpus/symbols.ts"
export type {
  ClaimAny,
  ClaimStep,
  CompleteStep,
  Lease,
  PostMessage,
  RenewLease,
  RequeueStep
} from "../../domain/ledger/commands.ts"
export type { Claimed, Posted, PostedAndClaimed } from "../../domain/ledger/decide.ts"
export type { Completed, Renewed, Requeued } from "../../domain/ledger/decide-lease.ts"
export type {
  FailedReceipt,
  LeasedStep,
  ListEvents,
  ListFailures,
  ListLeases,
  ListWaiting,
  PendingStep
} from "../../domain/ledger/lists.ts"
export * from "../../domain/evidence/checkpoint-errors.ts"
export * from "../../domain/foundation/errors.ts"
export * from "../../domain/foundation/storage-errors.ts"
export * from "../../domain/foundation/root-files.ts"
export * from "../../domain/ledger/errors.ts"
export * from "../../domain/ledger/thoughts/errors.ts"
export type { EventEnvelope, Head } from "../../domain/ledger/event-envelope.ts"
export { decodeEvent, type LedgerEvent } from "../../domain/ledger/events.ts"
export type { JobRow, MessageRow, ReceiptRow, StepRow, ThoughtRow } from "../../domain/ledger/rows.ts"
export type { TrustFile, TrustKey } from "../../domain/evidence/trust.ts"
export type {
  Finding,
  FindingCode,
  RungReport,
  TrustedPoint,
  VerificationReport
} from "../../domain/ledger/verification.ts"
export type { TaskChainReport, ThoughtChainReport } from "../../domain/ledger/thoughts/chain-report.ts"
export type { ListThoughts, ThoughtInput, VerifyThoughts } from "../../domain/ledger/thoughts/commands.ts"
export {
  THOUGHT_TYPES,
  type ThoughtRecord,
  type ThoughtType
} from "../../domain/ledger/thoughts/thought-record.ts"
export {
  formatProof,
  type ConsistencyProof,
  type InclusionProof,
  type Proof
} from "../../domain/evidence/proof.ts"
export {
  NotAReadStep,
  work,
  type WorkError,
  workLeft,
  type WorkLeft,
  type WorkOptions,
  type WorkTally
} from "../../application/corpus/read-worker.ts"
export * from "./evidence.ts"
export { type CacheRepair, Corpus, type CorpusOptions, repairExpansionLines } from "./corpus.ts"
export type { ImportOptions } from "../../infrastructure/ledger/copies/ledger-import.ts"
export type {
  Restored,
  RestoreError,
  RestoreOptions
} from "../../infrastructure/ledger/copies/ledger-restore.ts"
export { Ledger, type LedgerOptions, SqliteLedger } from "./ledger.ts"
export type { SqliteLedgerOptions } from "../../infrastructure/ledger/opening/ledger-options.ts"
export type { LedgerPorts } from "../../application/ledger/ledger.ts"
