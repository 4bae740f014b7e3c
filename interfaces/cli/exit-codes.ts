// The one table from what a command ends with to the process's exit code. It is exhaustive by type: a new error
// without an exit code does not compile. Codes are promised to scripts and never change their meaning.
import type { CommandFailure } from "./failures.ts"

/** 0 done, 1 refused or verification failed, 2 invalid input or usage, 3 internal. */
export type ExitCode = 0 | 1 | 2 | 3

export const DONE: ExitCode = 0
export const USAGE: ExitCode = 2
export const INTERNAL: ExitCode = 3

/** Exit codes by error tag. */
export const exitCodes: { readonly [Tag in CommandFailure["_tag"]]: ExitCode } = {
  OutputClosed: DONE,

  NoPendingStep: 1,
  StepNotFound: 1,
  WrongRun: 1,
  NotLeased: 1,
  WrongWorker: 1,
  StaleFencingToken: 1,
  LeaseExpired: 1,
  LeaseNotExpired: 1,
  IdempotencyConflict: 1,
  DuplicateId: 1,
  ThoughtNotFound: 1,
  InvariantViolation: 1,
  StoreBusy: 1,
  StoreCorrupt: 1,
  ClockFarBehindHead: 1,
  JobNotFound: 1,
  JobIncomplete: 1,
  StepsFailed: 1,
  NotBundleable: 1,
  ReceiptDrift: 1,
  ExpansionMissing: 1,
  ArtifactConflict: 1,
  TargetExists: 1,
  BundleChanged: 1,
  Different: 1,
  VerificationFailed: 1,
  CheckpointUntrusted: 1,
  HistoryRewritten: 1,
  ProofRefused: 1,
  CorpusCorrupt: 1,
  SymbolNotFound: 1,
  SymbolExists: 1,
  SectionNotFound: 1,
  FileNotIndexed: 1,
  TargetVanished: 1,
  HeadingNotFound: 1,
  AmbiguousHeading: 1,
  NotText: 1,
  FileTooLarge: 1,
  FileChanged: 1,
  NotAFile: 1,
  FileUnreadable: 1,
  FilesRefused: 1,
  SliceOutOfRange: 1,
  ExpansionTooLarge: 1,
  ExpansionDiffers: 1,
  BudgetExceeded: 1,
  CacheDamaged: 1,
  CacheTorn: 1,
  DuplicateExpansion: 1,

  InvalidInput: 2,
  InvalidBundle: 2,
  NotABundleArchive: 2,
  NotAReplayReceipt: 2,
  StoreNewerThanProgram: 2,
  WrongLedger: 2,
  NetworkFileSystem: 2,
  NotALedger: 2,
  FileMissing: 2,
  ReadOnlyStore: 2,
  NotACheckpoint: 2,
  NotAProof: 2,
  NotATrustFile: 2,
  NotAKeyFile: 2,
  InvalidKeyName: 2,
  KeyFileExists: 2,
  KeyFileExposed: 2,
  CheckpointOfAnotherLedger: 2,
  CorpusMissing: 2,
  NotACorpus: 2,
  PathOutsideRoot: 2,
  InvalidSlice: 2,
  UnboundedSlice: 2,
  NotACache: 2,

  StorageFull: INTERNAL,
  StorageFailure: INTERNAL,
  LedgerClosed: INTERNAL,
  OutputFailed: INTERNAL
}

/** The exit code of a process that was stopped by a signal before its command had ended, as shells count it. */
export const stoppedExitCode = (signal: unknown): number => (signal === "SIGINT" ? 130 : 143)
