// The pure core as one entry point: canonical JSON, events, the decider and the fold, ids, rows and errors. What
// is exported here has no clock, no randomness and no input or output, and runs on any host. Each name is a promise: the
// list is written out, so that nothing is promised by being moved.
export { jcs, jcsText } from "./canonical/jcs.ts"
export { isJsonObject, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./canonical/json.ts"
export { NotCanonical } from "./canonical/not-canonical.ts"
export { py, pyText } from "./canonical/py.ts"
export type { Sha256 } from "./canonical/sha256.ts"
export { isTimestamp, millisFromTimestamp, Timestamp, timestampFromMillis } from "./canonical/timestamp.ts"
export { cacheFindingCodes, type CacheFindingCode } from "./corpus/expansion-check.ts"
export {
  CacheDamaged,
  DuplicateExpansion,
  CacheTorn,
  NotACache,
  ExpansionTooLarge,
  UnboundedSlice,
  ExpansionDiffers,
  type ExpansionCacheError
} from "./corpus/expansion-errors.ts"
export {
  ExpansionKey,
  Expansion,
  payloadHash,
  keyText,
  makeExpansion,
  payloadFault
} from "./corpus/expansion.ts"
export {
  type Slice,
  InvalidSlice,
  SliceOutOfRange,
  sliceText,
  parseSlice,
  cutSlice,
  applySlice
} from "./corpus/slice.ts"
export {
  NotACheckpoint,
  NotAProof,
  UntrustedReason,
  CheckpointUntrusted,
  CheckpointOfAnotherLedger,
  RewriteReason,
  HistoryRewritten,
  ProofRefused,
  InvalidKeyName,
  SigningFailed,
  KeyFileExposed,
  NotAKeyFile,
  KeyFileExists,
  NotATrustFile,
  type CheckpointRefusal
} from "./evidence/checkpoint-errors.ts"
export { CheckFinding, CheckReport } from "./corpus/check-report.ts"
export {
  NotACorpus,
  CorpusMissing,
  CorpusClosed,
  CorpusCorrupt,
  SymbolNotFound,
  SymbolExists,
  SectionNotFound,
  FileNotIndexed,
  TargetVanished,
  HeadingNotFound,
  AmbiguousHeading,
  NotText,
  FileTooLarge,
  FileChanged,
  type FileReadError,
  type ResolveTargetError,
  type CorpusStoreError,
  type CorpusError,
  type CorpusOpenError
} from "./corpus/errors.ts"
export { PathOutsideRoot, NotAFile, FileUnreadable } from "./foundation/root-files.ts"
export type { Heading } from "./corpus/headings.ts"
export { IndexReport } from "./corpus/index-report.ts"
export { SKIP_REASONS, type SkipReason, Skipped } from "./foundation/root-files.ts"
export type { FileStat, FileRow, SectionRow, HeadingRow, SymbolRow, IndexedFile } from "./corpus/rows.ts"
export { sectionId } from "./corpus/sections.ts"
export {
  isSymbolId,
  SymbolId,
  isSectionId,
  SectionId,
  Reference,
  isCorpusPath,
  CorpusPath,
  ListSections,
  AddSymbol
} from "./corpus/symbols.ts"
export { normalizeText, countLines } from "./corpus/text.ts"
export {
  PostMessage,
  ClaimAny,
  ClaimStep,
  CompleteStep,
  RenewLease,
  RequeueStep,
  Lease,
  type NoClaimFields,
  type ClaimPlace,
  DEFAULT_REQUESTER,
  type PreparedPost,
  type PreparedClaim,
  type PreparedCompletion,
  type PreparedRenewal,
  type PreparedRequeue,
  preparePost,
  prepareClaim,
  prepareClaimAny,
  prepareCompletion,
  prepareRenewal,
  prepareRequeue
} from "./ledger/commands.ts"
export {
  type Moment,
  type NewEvent,
  type Decision,
  type Decided,
  type Posted,
  type Claimed,
  type PostedAndClaimed,
  type ExistingMessage,
  decidePost,
  decideClaim
} from "./ledger/decide.ts"
export {
  type Completed,
  type Renewed,
  type Requeued,
  decideCompletion,
  decideRenewal,
  decideRequeue
} from "./ledger/decide-lease.ts"
export {
  type LeaseCounts,
  type FailedReceipt,
  type LeasedStep,
  type PendingStep,
  ListEvents,
  ListFailures,
  ListLeases,
  ListWaiting
} from "./ledger/lists.ts"
export { Traceparent } from "./canonical/traceparent.ts"
export {
  InvalidInput,
  AmbiguousPrefix,
  InvariantViolation,
  type Retryable,
  isRetryable,
  errorCode
} from "./foundation/errors.ts"
export {
  NoPendingStep,
  JobNotFound,
  RunNotFound,
  StepNotFound,
  WrongRun,
  NotLeased,
  WrongWorker,
  StaleFencingToken,
  LeaseExpired,
  LeaseNotExpired,
  IdempotencyConflict,
  ClockFarBehindHead,
  StoreCorrupt,
  WrongLedger,
  RestoreRefused,
  LedgerClosed,
  type Refusal,
  type LeaseRefusal,
  type RequeueRefusal,
  type OpenError,
  type StoreWriteError,
  type MessageCassetteError
} from "./ledger/errors.ts"
export { TaskNotFound, DuplicateId, ThoughtNotFound } from "./ledger/thoughts/errors.ts"
export {
  StoreBusy,
  StoreNewerThanProgram,
  NetworkFileSystem,
  UnsafePlace,
  NotALedger,
  FileMissing,
  ReadOnlyStore,
  StorageFull,
  StorageFailure,
  UnsupportedNode
} from "./foundation/storage-errors.ts"
export {
  type EventEnvelope,
  type Head,
  EMPTY_HEAD,
  eventHash,
  headOf,
  chainFault,
  runStream,
  runOfStream,
  taskStream,
  taskOfStream,
  LEDGER_STREAM
} from "./ledger/event-envelope.ts"
export { eventLine, readEventLine } from "./ledger/event-line.ts"
export {
  JsonObjectSchema,
  SourceSchema,
  OutcomeSchema,
  ClaimScope,
  RequeueCause,
  eventDataSchemas,
  type EventType,
  type EventData,
  eventVersions,
  type Upcaster,
  upcasters,
  type LedgerEvent,
  type EventFault,
  decodeEvent
} from "./ledger/events.ts"
export { type RowChange, type FoldFault, type FoldState, intentOf, evolve } from "./ledger/evolve.ts"
export {
  messageIdAt,
  positionOfMessageId,
  isJobId,
  jobIdOf,
  stepIdOf,
  receiptIdOf,
  jobIdOfStep,
  messageIdOfJob,
  ordinalOfStep
} from "./ledger/ids.ts"
export {
  MAX_PAYLOAD_BYTES,
  MAX_THOUGHT_BYTES,
  MAX_EVENT_BYTES,
  MAX_JOBS_PER_MESSAGE,
  MAX_STEPS_PER_MESSAGE,
  MAX_TEXT_BYTES,
  MIN_TTL_SECONDS,
  MAX_TTL_SECONDS,
  DEFAULT_TTL_SECONDS,
  MAX_BATCH_COMMANDS,
  MAX_HEAD_LEAD_MILLIS,
  HEAD_LEAD_WARNING_MILLIS,
  ZERO_HASH,
  DATABASE_VERSION
} from "./ledger/limits.ts"
export { MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS } from "./foundation/page.ts"
export {
  type MetaRow,
  type MessageRow,
  type JobRow,
  type StepRow,
  type ReceiptRow,
  type ThoughtRow,
  type LedgerRows,
  type LedgerTable,
  SOURCES,
  type Source,
  OUTCOMES,
  type Outcome,
  ledgerTables,
  LEDGER_TABLES
} from "./ledger/rows.ts"
export {
  StepStatus,
  type StepEventType,
  type StepTransition,
  stepTransitions,
  INITIAL_STEP_STATUS,
  nextStepStatus
} from "./ledger/step-state-machine.ts"
export { type Sha256Stream } from "./canonical/sha256.ts"
export { type Cell, digestHeader, digestLine, tableDigest } from "./ledger/table-digest.ts"
export {
  findingCodes,
  type FindingCode,
  Finding,
  TrustedPoint,
  RungReport,
  VerificationReport
} from "./ledger/verification.ts"
export { MAX_FINDINGS } from "./foundation/finding.ts"
export { type ThoughtFaultKind, type ThoughtFault, recordFaults } from "./ledger/thoughts/chain-check.ts"
export { TaskChainReport, ThoughtChainReport } from "./ledger/thoughts/chain-report.ts"
export {
  RecordThought,
  type ThoughtInput,
  ListThoughts,
  VerifyThoughts,
  ThoughtId
} from "./ledger/thoughts/commands.ts"
export { type ThoughtState, decideThought } from "./ledger/thoughts/decide.ts"
export {
  THOUGHT_TYPES,
  ThoughtType,
  isZonedTime,
  ZonedTime,
  ThoughtRecorded,
  type ThoughtRecord,
  type HashedFields,
  canonicalize,
  computeHash
} from "./ledger/thoughts/thought-record.ts"
export { eventFindings, nextEventFinding } from "./ledger/event-check.ts"
