// Makes a dossier: a checkpoint, then the chosen events that it covers with their proofs, page by page into a draft, then the bundles
// and the manifest. The judge that verifies a dossier sits beside, so that none is put in its place that would be refused. The
// bytes are a function of the ledger, the key and the choice.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { hexText } from "../../domain/canonical/bytes.ts"
import type { BundleDisagrees } from "../../domain/dossiers/errors.ts"
import { EventJudge } from "../../domain/dossiers/event-judge.ts"
import { DossierFindings } from "../../domain/dossiers/finding.ts"
import {
  DOSSIER_KIND,
  DOSSIER_VERSION,
  type DossierChoice,
  type DossierManifest,
  type DossierStream,
  MANIFEST_NAME,
  manifestText,
  rootHashOf
} from "../../domain/dossiers/manifest.ts"
import type {
  CheckpointOfAnotherLedger,
  HistoryRewritten,
  InvalidKeyName,
  NotACheckpoint,
  ProofRefused,
  SigningFailed
} from "../../domain/evidence/checkpoint-errors.ts"
import { parseCheckpoint } from "../../domain/evidence/checkpoint.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { FileUnreadable, TargetExists } from "../../domain/foundation/root-files.ts"
import type { StorageFull } from "../../domain/foundation/storage-errors.ts"
import { JobNotFound, RunNotFound, StoreCorrupt } from "../../domain/ledger/errors.ts"
import { TaskNotFound } from "../../domain/ledger/thoughts/errors.ts"
import type { BundleSource } from "../bundles/bundle-source.ts"
import { type FolderDraft, FolderTarget, type TargetFailure } from "../foundation/folder-target.ts"
import { Hashing } from "../foundation/hashing.ts"
import type { Signing } from "../foundation/signing.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { CheckpointsShape } from "../ledger/proofs/checkpoints.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { type Carried, carryBundles, soundBundles } from "./carried-bundles.ts"
import type { DossierFiles } from "./dossier-files.ts"
import { decodeRequest, type DossierEvidence, type ExportDossier } from "./dossier-request.ts"
import { DraftFiles, writeEvents, type Writing } from "./event-writing.ts"
import { traced } from "../foundation/telemetry.ts"

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

/** The ports that an export needs beside the ledger and its checkpoints. */
export type ExportPorts = FolderTarget | DossierFiles | BundleSource | Hashing | Signing

/** The checkpoint that everything is proven against, with its note. */
const checkpointOf = Effect.fnUntraced(function* (checkpoints: CheckpointsShape, evidence: DossierEvidence) {
  const note = "checkpoint" in evidence ? evidence.checkpoint : (yield* checkpoints.make(evidence)).note
  return { note, checkpoint: yield* Effect.fromResult(parseCheckpoint(note)) }
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
export const exportDossier = traced("cassette.dossier.export")(function* (
  ledger: LedgerShape,
  checkpoints: CheckpointsShape,
  request: ExportDossier,
  evidence: DossierEvidence,
  path: string
): Effect.fn.Return<ExportedDossier, ExportDossierError, ExportPorts> {
  const { bodies, bundles, choice, packed } = yield* Effect.fromResult(decodeRequest(request))
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
