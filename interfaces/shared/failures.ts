// What a command can end with instead of a result, beside the ledger's own errors: a verdict that is no, and output
// that cannot be written. The list is closed, so that each has an exit code.
import * as Schema from "effect/Schema"
import type { BundleRefusal } from "../../domain/bundles/errors.ts"
import { BundleFinding, BundleReport } from "../../domain/bundles/finding.ts"
import type { DossierRefusal } from "../../domain/dossiers/errors.ts"
import { DossierReport } from "../../domain/dossiers/finding.ts"
import { CheckFinding, CheckReport } from "../../domain/corpus/check-report.ts"
import type { CorpusError } from "../../domain/corpus/errors.ts"
import type {
  ExpansionCacheError,
  ExpansionDiffers,
  ExpansionTooLarge,
  UnboundedSlice
} from "../../domain/corpus/expansion-errors.ts"
import { IndexReport, refusedCount } from "../../domain/corpus/index-report.ts"
import type { BudgetExceeded } from "../../domain/corpus/plan.ts"
import type { InvalidSlice, SliceOutOfRange } from "../../domain/corpus/slice.ts"
import type { CheckpointRefusal } from "../../domain/evidence/checkpoint-errors.ts"
import type { AmbiguousPrefix } from "../../domain/foundation/errors.ts"
import type { IdNotFound, LedgersDiffer } from "../../domain/history/errors.ts"
import type { MessageCassetteError, RunNotFound } from "../../domain/ledger/errors.ts"
import type { TaskNotFound } from "../../domain/ledger/thoughts/errors.ts"
import type { ExecutionNotFound, ExecutionNotOpen } from "../../domain/workflow/errors.ts"
import { VerificationReport } from "../../domain/ledger/verification.ts"
import type { NetworkError } from "../../domain/network/errors.ts"
import { CassetteReport } from "../../domain/network/verification.ts"
import { DoctorReport } from "./doctor-report.ts"
import type { CallNotRecorded, StopNotRecorded } from "./hook-failures.ts"
import type { NotAReadStep } from "../../application/corpus/read-worker.ts"
import { ThoughtChainReport } from "../../domain/ledger/thoughts/chain-report.ts"

/** What a verification reports: of a whole ledger, of thought chains alone, of the corpus, of a bundle or dossier, of cassettes. */
const AnyReport = Schema.Union([
  VerificationReport,
  ThoughtChainReport,
  CheckReport,
  BundleReport,
  DossierReport,
  CassetteReport
])

/** A negative verdict; `listed` are the findings that people are shown. */
export class VerificationFailed extends Schema.TaggedError<VerificationFailed>()("VerificationFailed", {
  message: Schema.String,
  report: AnyReport,
  listed: Schema.Array(CheckFinding)
}) {}

/** What was handed over as a bundle is none: its manifest is not there or not of the right form. */
export class InvalidBundle extends Schema.TaggedError<InvalidBundle>()("InvalidBundle", {
  message: Schema.String,
  report: BundleReport,
  listed: Schema.Array(BundleFinding)
}) {}

/** What was handed over as a dossier is none. */
export class InvalidDossier extends Schema.TaggedError<InvalidDossier>()("InvalidDossier", {
  message: Schema.String,
  report: DossierReport,
  listed: Schema.Array(CheckFinding)
}) {}

/** A verification that ended in no; each kind shows its report. */
export type NegativeVerdict = VerificationFailed | InvalidBundle | InvalidDossier

export const isNegativeVerdict = (failure: object): failure is NegativeVerdict =>
  failure instanceof VerificationFailed ||
  failure instanceof InvalidBundle ||
  failure instanceof InvalidDossier

/** Some files could not be indexed; the others were. */
export class FilesRefused extends Schema.TaggedError<FilesRefused>()("FilesRefused", {
  report: IndexReport
}) {
  override get message() {
    return `${refusedCount(this.report)} file(s) could not be indexed, all others were: see to them, or leave them out with --exclude`
  }
}

/** Some cassettes were refused; the command did its work on the others. */
export class CassettesRefused extends Schema.TaggedError<CassettesRefused>()("CassettesRefused", {
  task: Schema.Literals(["indexed", "migrated", "reindexed", "swept"]),
  cassettes: Schema.Array(Schema.Unknown),
  refused: Schema.Array(
    Schema.Struct({ cassette_id: Schema.String, code: Schema.String, message: Schema.String })
  )
}) {
  override get message() {
    const listed = this.refused.map(({ cassette_id, message }) => `${cassette_id}: ${message}`)
    return `${this.refused.length} cassette(s) could not be ${this.task}, all others were (${listed.join("; ")})`
  }
}

/** Workers failed, and the work is not done. */
export class WorkersFailed extends Schema.TaggedError<WorkersFailed>()("WorkersFailed", {
  workers: Schema.Array(
    Schema.Struct({ worker_id: Schema.String, code: Schema.String, message: Schema.String })
  ),
  waiting: Schema.Int,
  leased: Schema.Int
}) {
  override get message() {
    const listed = this.workers.map(({ code, message, worker_id }) => `${worker_id}: ${code}: ${message}`)
    return `${this.workers.length} worker(s) did not end well, ${this.waiting} step(s) wait and ${this.leased} are leased (${listed.join("; ")}): see to that and start the workers again`
  }
}

/** The doctor found something that must be seen to. */
export class ProblemsFound extends Schema.TaggedError<ProblemsFound>()("ProblemsFound", {
  report: DoctorReport
}) {
  override get message() {
    const found = this.report.checks.filter(({ state }) => state === "problem").map(({ check }) => check)
    return `${found.length} problem(s) found (${found.join(", ")}): each says what to do`
  }
}

/** The machine gives no more open files, file size, memory or room; what the command was doing did not come to its end. */
export class ResourceExhausted extends Schema.TaggedError<ResourceExhausted>()("ResourceExhausted", {
  resource: Schema.Literals(["open files", "file size", "memory", "disk"]),
  file: Schema.NullOr(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return this.file === null ? this.reason : `${this.file}: ${this.reason}`
  }
}

/** The reader of standard output has gone: nothing more needs to be said. */
export class OutputClosed extends Schema.TaggedError<OutputClosed>()("OutputClosed", {}) {}

/** Standard output could not be written. */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", {
  code: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The output could not be written (${this.reason}); what the command did before stands: look at it with status or log`
  }
}

export type CommandFailure =
  | CallNotRecorded
  | StopNotRecorded
  | AmbiguousPrefix
  | IdNotFound
  | LedgersDiffer
  | ExecutionNotFound
  | ExecutionNotOpen
  | MessageCassetteError
  | RunNotFound
  | TaskNotFound
  | CheckpointRefusal
  | CorpusError
  | ExpansionCacheError
  | ExpansionDiffers
  | ExpansionTooLarge
  | InvalidSlice
  | SliceOutOfRange
  | UnboundedSlice
  | BudgetExceeded
  | NotAReadStep
  | WorkersFailed
  | CassettesRefused
  | FilesRefused
  | ProblemsFound
  | BundleRefusal
  | DossierRefusal
  | NetworkError
  | VerificationFailed
  | InvalidBundle
  | InvalidDossier
  | ResourceExhausted
  | OutputClosed
  | OutputFailed

/** How many findings a report has, those that were left off included; of thought chains, how many broken records. */
export const findingCount = (report: typeof AnyReport.Type): number =>
  "findings" in report
    ? report.findings.length + ("findings_left_off" in report ? report.findings_left_off : 0)
    : report.broken_count
