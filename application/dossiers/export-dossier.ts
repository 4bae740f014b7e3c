// Makes a dossier: a checkpoint, then the chosen events that it covers with their proofs, page by page into a draft, then the bundles
// and the manifest. The judge that verifies a dossier sits beside, so that none is put in its place that would be refused. The
// bytes are a function of the ledger, the key and the choice.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { bytesEqual, hexText, utf8Bytes } from "../../domain/canonical/bytes.ts"
import { compareCodePoints } from "../../domain/canonical/py.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import { BundleDisagrees } from "../../domain/dossiers/errors.ts"
import {
  type DossierEvent,
  eventLine,
  hasBody,
  proofLine,
  thoughtLine,
  withheldEvent
} from "../../domain/dossiers/event-lines.ts"
import { EventJudge } from "../../domain/dossiers/event-judge.ts"
import { DossierFindings } from "../../domain/dossiers/finding.ts"
import { MAX_CHOSEN } from "../../domain/dossiers/limits.ts"
import {
  bundleFolder,
  CHECKPOINT_NAME,
  DOSSIER_FILES,
  DOSSIER_KIND,
  DOSSIER_VERSION,
  DossierBodies,
  type DossierBundle,
  type DossierChoice,
  type DossierFile,
  type DossierFileName,
  type DossierManifest,
  type DossierStream,
  EVENTS_NAME,
  inOrder,
  MANIFEST_NAME,
  manifestText,
  PROOFS_NAME,
  rootHashOf,
  THOUGHTS_NAME
} from "../../domain/dossiers/manifest.ts"
import type {
  CheckpointOfAnotherLedger,
  HistoryRewritten,
  InvalidKeyName,
  NotACheckpoint,
  ProofRefused,
  SigningFailed
} from "../../domain/evidence/checkpoint-errors.ts"
import { type Checkpoint, parseCheckpoint } from "../../domain/evidence/checkpoint.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import type { StorageFull } from "../../domain/foundation/storage-errors.ts"
import type { FileUnreadable, TargetExists } from "../../domain/foundation/root-files.ts"
import { JobNotFound, RunNotFound, StoreCorrupt } from "../../domain/ledger/errors.ts"
import { type EventEnvelope, taskOfStream } from "../../domain/ledger/event-envelope.ts"
import { TaskNotFound } from "../../domain/thoughts/errors.ts"
import type { BundleSource } from "../bundles/bundle-source.ts"
import { type SoundBundle, soundBundle } from "../bundles/sound-bundle.ts"
import { type FolderDraft, FolderTarget, type TargetFailure } from "../foundation/folder-target.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import { Progress } from "../foundation/progress.ts"
import { Signing, type SigningKey } from "../foundation/signing.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { CheckpointsShape } from "../ledger/proofs/checkpoints.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { bundleFault } from "./carried-bundles.ts"
import { chosenEvents } from "./chosen-events.ts"
import { DossierFiles } from "./dossier-files.ts"

/** Who vouches for the events: a key that signs a checkpoint of now, or a checkpoint that was signed before. */
export type DossierEvidence =
  | { readonly key: SigningKey; readonly keyName?: string | undefined }
  | { readonly checkpoint: string }

const Ids = Schema.Array(Identifier).check(Schema.isMaxLength(MAX_CHOSEN))

const Request = Schema.Struct({
  run_id: Schema.optional(Identifier),
  /** Only these jobs of the run; by default the whole run. */
  jobs: Schema.optional(Ids),
  /** Tasks whose thoughts go along. */
  tasks: Schema.optional(Ids),
  /** `hashed` leaves out payloads, receipts and contents of thoughts, and puts their hashes in their place. */
  bodies: Schema.optional(DossierBodies),
  /** Absolute paths of bundles of chosen jobs that ride along. */
  bundles: Schema.optional(Schema.Array(Schema.String).check(Schema.isMaxLength(MAX_CHOSEN))),
  /** One tar file instead of a folder. */
  packed: Schema.optional(Schema.Boolean)
})

/** What is to be exported. */
export type ExportDossier = typeof Request.Type

/** A dossier that stands at its target; `created` is false when the same stood there already. */
export interface ExportedDossier {
  readonly path: string
  readonly created: boolean
  readonly ledger_id: string
  readonly choice: DossierChoice
  readonly size: number
  readonly root: string
  readonly root_hash: string
  readonly streams: ReadonlyArray<DossierStream>
  readonly counts: { readonly events: number; readonly thoughts: number; readonly bundles: number }
}

/** Every way exporting can fail; the target is left as it was. */
export type ExportDossierError =
  | InvalidInput
  | RunNotFound
  | JobNotFound
  | TaskNotFound
  | InvalidKeyName
  | SigningFailed
  | NotACheckpoint
  | CheckpointOfAnotherLedger
  | HistoryRewritten
  | ProofRefused
  | BundleDisagrees
  | FileUnreadable
  | TargetExists
  | TargetFailure
  | StorageFull
  | ReadError

export type ExportPorts = FolderTarget | DossierFiles | BundleSource | Hashing | Signing

const refused = (path: string, message: string) =>
  Result.fail(new InvalidInput({ message: `${path}: ${message}`, issues: [{ path, message }] }))

/** A request as the manifest says it. */
const prepared = (request: ExportDossier) => {
  const { bodies = "whole", bundles = [], jobs, packed = false, run_id, tasks = [] } = request
  if (run_id === undefined && tasks.length === 0) return refused("/run_id", "name a run, or a task")
  if (jobs !== undefined && run_id === undefined) return refused("/jobs", "name their run, too")
  if (jobs?.length === 0) return refused("/jobs", "name a job, or leave them out for the whole run")
  if (bodies === "hashed" && bundles.length > 0) {
    return refused("/bundles", "a bundle shows what was read: it cannot ride where bodies are left out")
  }
  const choice: DossierChoice = {
    run_id: run_id ?? null,
    jobs: jobs === undefined ? null : inOrder(jobs),
    tasks: inOrder(tasks)
  }
  return Result.succeed({ choice, bodies, bundles, packed })
}

const decode = decodeInput(Request, prepared)

/** The checkpoint that everything is proven against, with its note. */
const checkpointOf = Effect.fnUntraced(function* (checkpoints: CheckpointsShape, evidence: DossierEvidence) {
  const note = "checkpoint" in evidence ? evidence.checkpoint : (yield* checkpoints.make(evidence)).note
  return { note, checkpoint: yield* Effect.fromResult(parseCheckpoint(note)) }
})

/** The files with lines while they are written: what is appended is hashed and counted. */
class DraftFiles {
  private readonly draft: FolderDraft
  private readonly tallies: ReadonlyMap<
    DossierFileName,
    { bytes: number; readonly hash: ReturnType<Hashing["Service"]["sha256Stream"]> }
  >

  constructor(draft: FolderDraft, sha256Stream: Hashing["Service"]["sha256Stream"]) {
    this.draft = draft
    this.tallies = new Map(DOSSIER_FILES.map((name) => [name, { bytes: 0, hash: sha256Stream() }]))
  }

  append(name: DossierFileName, text: string): Effect.Effect<void, TargetFailure> {
    const tally = this.tallies.get(name)
    if (tally !== undefined) {
      tally.bytes += utf8Bytes(text).length
      tally.hash.update(text)
    }
    return this.draft.append(name, text)
  }

  /** What the manifest says of the files; this ends them. */
  files(): ReadonlyArray<DossierFile> {
    return [...this.tallies].map(([path, { bytes, hash }]) => ({ path, bytes, sha256: hash.digest() }))
  }
}

const linesText = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** An event as the dossier shows it. */
const shownEvent = (
  sha256: Hashing["Service"]["sha256"],
  bodies: DossierBodies,
  event: EventEnvelope
): DossierEvent => (bodies === "hashed" && hasBody(event) ? (withheldEvent(sha256, event) ?? event) : event)

/** The first thing that the judge has found is what is wrong with the ledger. */
const requireSound = ({ listed: [first] }: DossierFindings): Effect.Effect<void, StoreCorrupt> =>
  first === undefined
    ? Effect.void
    : Effect.fail(
        new StoreCorrupt({
          code: first.code as StoreCorrupt["code"],
          where: first.where,
          finding: first.message
        })
      )

interface Writing {
  readonly ledger: LedgerShape
  readonly checkpoints: CheckpointsShape
  readonly choice: DossierChoice
  readonly bodies: DossierBodies
  readonly note: string
  readonly checkpoint: Checkpoint
}

/** Writes the chosen events with their proofs and thoughts; gives how many there are. */
const writeEvents = Effect.fnUntraced(function* (
  { bodies, checkpoint, checkpoints, choice, ledger, note }: Writing,
  files: DraftFiles,
  judge: EventJudge,
  list: DossierFindings
) {
  const { sha256 } = yield* Hashing
  const report = yield* Progress
  const nextPage = chosenEvents(ledger, choice)
  const counts = { events: 0, thoughts: 0 }
  // Each is there, also when it stays empty.
  for (const name of DOSSIER_FILES) yield* files.append(name, name === CHECKPOINT_NAME ? note : "")
  while (true) {
    const read = yield* nextPage
    const page = read.filter(({ position }) => position <= checkpoint.size)
    const shown = page.map((event) => shownEvent(sha256, bodies, event))
    for (const event of shown) judge.add(event)
    yield* requireSound(list)
    if (page.length > 0) {
      const proofs = yield* checkpoints.proveInclusions({
        events: page.map(({ hash, position }) => ({ position, hash })),
        checkpoint: note
      })
      const thoughts = shown.flatMap((event) => {
        const taskId = event.type === "ThoughtRecorded" ? taskOfStream(event.stream_id) : undefined
        return taskId === undefined ? [] : [thoughtLine(event, taskId) ?? ""]
      })
      yield* files.append(EVENTS_NAME, linesText(shown.map(eventLine)))
      yield* files.append(PROOFS_NAME, linesText(proofs.map(proofLine)))
      if (thoughts.length > 0) yield* files.append(THOUGHTS_NAME, linesText(thoughts))
      counts.events += page.length
      counts.thoughts += thoughts.length
      report(`event ${counts.events}`)
    }
    if (page.length < read.length || read.length === 0) return counts
    yield* Effect.yieldNow
  }
})

/** Nothing can be shown of what is not there. */
const requireChosen = ({ run_id }: DossierChoice, judge: EventJudge) => {
  const [missing] = judge.absent()
  if (missing === undefined) return Effect.void
  const { id, kind } = missing
  if (kind === "run") return Effect.fail(new RunNotFound({ run_id: id }))
  return kind === "job"
    ? Effect.fail(new JobNotFound({ run_id: run_id ?? "", job_id: id }))
    : Effect.fail(new TaskNotFound({ task_id: id }))
}

/** A bundle that rides along, verified. */
interface Carried extends SoundBundle {
  readonly path: string
}

/** A bundle that verifies; `path` is what its caller named. */
const verifiedBundle = (folder: string, path: string) =>
  soundBundle(folder).pipe(
    Effect.catchTag("UnsoundBundle", ({ report: { findings } }) => {
      const [first] = findings
      const reason = `it does not verify (${first?.code} ${first?.where}: ${first?.message}); see cortex bundle verify`
      return Effect.fail(new BundleDisagrees({ path, reason }))
    })
  )

/** The bundles in the order of their jobs. */
const soundBundles = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  { jobs, run_id }: DossierChoice
) {
  const carried: Array<Carried> = []
  for (const path of paths) {
    const bundle = yield* verifiedBundle(path, path)
    const { job_id } = bundle.manifest
    const reason =
      bundle.manifest.run_id !== run_id || !(jobs ?? [job_id]).includes(job_id)
        ? `its job ${job_id} of run ${bundle.manifest.run_id} was not chosen`
        : carried.some(({ manifest }) => manifest.job_id === job_id)
          ? `another bundle of job ${job_id} was given, too`
          : undefined
    if (reason !== undefined) return yield* new BundleDisagrees({ path, reason })
    carried.push({ ...bundle, path })
  }
  return carried.sort((left, right) => compareCodePoints(left.manifest.job_id, right.manifest.job_id))
})

/** Copies the bundles into the draft, each held against the events of its job. */
const carryBundles = Effect.fnUntraced(function* (
  draft: FolderDraft,
  judge: EventJudge,
  carried: ReadonlyArray<Carried>
) {
  const { sha256 } = yield* Signing
  const files = yield* DossierFiles
  const bundles: Array<DossierBundle> = []
  for (const { manifest, manifestBytes, path } of carried) {
    const { artifacts, bundle_id, job_id, run_id } = manifest
    const into = bundleFolder(job_id)
    yield* files.carry(path, { manifestBytes, artifacts }, draft, into)
    const copy = yield* verifiedBundle(`${draft.folder}/${into}`, path)
    const reason = bytesEqual(copy.manifestBytes, manifestBytes)
      ? yield* bundleFault(judge, run_id, `${draft.folder}/${into}`, manifest)
      : "it changed while it was copied"
    if (reason !== undefined) return yield* new BundleDisagrees({ path, reason })
    bundles.push({ job_id, bundle_id, sha256: hexText(sha256(manifestBytes)) })
  }
  return bundles
})

const writeDossier = Effect.fnUntraced(function* (
  writing: Writing,
  ledgerId: string,
  carried: ReadonlyArray<Carried>,
  draft: FolderDraft
) {
  const { sha256, sha256Stream } = yield* Hashing
  const { bodies, checkpoint, choice } = writing
  const { root, size } = checkpoint
  const list = new DossierFindings()
  const jobs = carried.map(({ manifest }) => manifest.job_id)
  const judge = new EventJudge(list, { sha256, sha256Stream, choice, bodies, size, jobs })
  const files = new DraftFiles(draft, sha256Stream)
  const counts = yield* writeEvents(writing, files, judge, list)
  yield* requireChosen(choice, judge)
  const bundles = yield* carryBundles(draft, judge, carried)
  const said = {
    kind: DOSSIER_KIND,
    version: DOSSIER_VERSION,
    ledger_id: ledgerId,
    choice,
    bodies,
    checkpoint: { size, root: hexText(root) },
    streams: judge.streams(),
    bundles,
    files: files.files()
  } as const
  const manifest: DossierManifest = { ...said, root_hash: rootHashOf(sha256, said) }
  yield* draft.write(MANIFEST_NAME, manifestText(manifest))
  return { manifest, counts: { ...counts, bundles: bundles.length } }
})

/** Exports a dossier of a ledger to an absolute path. */
export const exportDossier = Effect.fn("Dossier.export")(function* (
  ledger: LedgerShape,
  checkpoints: CheckpointsShape,
  request: ExportDossier,
  evidence: DossierEvidence,
  path: string
): Effect.fn.Return<ExportedDossier, ExportDossierError, ExportPorts> {
  const { bodies, bundles, choice, packed } = yield* Effect.fromResult(decode(request))
  const carried = yield* soundBundles(bundles, choice)
  const { checkpoint, note } = yield* checkpointOf(checkpoints, evidence)
  const { ledgerId } = ledger
  if (ledgerId === undefined) {
    const finding = "the first event does not say which ledger this is"
    return yield* new StoreCorrupt({ code: "EVENT_INVALID", where: "event 1", finding })
  }
  const writing: Writing = { ledger, checkpoints, choice, bodies, note, checkpoint }
  const made: Effect.Effect<ExportedDossier, ExportDossierError, ExportPorts | Scope.Scope> = Effect.gen(
    function* () {
      const draft = yield* FolderTarget.use((target) => target.begin(path))
      const { counts, manifest } = yield* writeDossier(writing, ledgerId, carried, draft)
      const how = yield* packed ? draft.finishPacked : draft.finish
      return {
        path,
        created: how === "created",
        ledger_id: manifest.ledger_id,
        choice,
        size: manifest.checkpoint.size,
        root: manifest.checkpoint.root,
        root_hash: manifest.root_hash,
        streams: manifest.streams,
        counts
      }
    }
  )
  return yield* Effect.scoped(made)
})
