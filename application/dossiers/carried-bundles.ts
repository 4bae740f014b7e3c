// The bundles that ride in a dossier: each is verified as any bundle is, and then held against the events of its job, which must make
// the same manifest, and against its receipts, which say what was read.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { bytesEqual, hexText } from "../../domain/canonical/bytes.ts"
import { compareCodePoints } from "../../domain/canonical/py.ts"
import type { Manifest } from "../../domain/bundles/manifest.ts"
import { agreedTexts } from "../../domain/dossiers/bundle-agreement.ts"
import { BundleDisagrees } from "../../domain/dossiers/errors.ts"
import type { EventJudge } from "../../domain/dossiers/event-judge.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import {
  bundleFolder,
  type DossierBundle,
  type DossierChoice,
  type DossierManifest
} from "../../domain/dossiers/manifest.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { BundleSource } from "../bundles/bundle-source.ts"
import { type SoundBundle, soundBundle } from "../bundles/sound-bundle.ts"
import { verifyBundle } from "../bundles/verify-bundle.ts"
import type { FolderDraft } from "../foundation/folder-target.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Signing } from "../foundation/signing.ts"
import { DossierFiles } from "./dossier-files.ts"

/** Why a verified bundle is not what a run's events make, or undefined. */
const bundleFault = Effect.fnUntraced(function* (
  judge: EventJudge,
  runId: string,
  folder: string,
  manifest: Manifest
): Effect.fn.Return<string | undefined, never, DossierFiles | Hashing> {
  const { sha256 } = yield* Hashing
  const files = yield* DossierFiles
  const texts = agreedTexts(sha256, runId, manifest, judge.rowsOf(manifest.job_id))
  if (Result.isFailure(texts)) return texts.failure
  for (const { bytes_read, path, payload_hash } of texts.success) {
    const read = yield* Effect.result(files.hashOfFirst(`${folder}/${path}`, bytes_read))
    if (Result.isFailure(read)) return `${path}: ${read.failure.message}`
    if (read.success !== payload_hash) return `${path} is not the text that its receipt names`
  }
  return undefined
})

/** Judges the bundles that a manifest lists; gives how many there are. */
export const checkBundles = Effect.fnUntraced(function* (
  list: DossierFindings,
  dossierFolder: string,
  { bundles, choice }: DossierManifest,
  judge: EventJudge
): Effect.fn.Return<number, FileUnreadable, BundleSource | DossierFiles | Hashing | Signing> {
  const { sha256 } = yield* Signing
  for (const { bundle_id, job_id, sha256: said } of bundles) {
    const name = bundleFolder(job_id)
    const folder = `${dossierFolder}/${name}`
    const { manifest, manifestBytes, report } = yield* verifyBundle(folder)
    for (const { code, message, where } of report.findings) {
      list.add("BUNDLE_UNSOUND", `${name}/${where}`, `${code}: ${message}`)
    }
    if (report.verdict !== "PASS" || manifest === undefined || manifestBytes === undefined) continue
    const isNamed =
      manifest.job_id === job_id &&
      manifest.bundle_id === bundle_id &&
      hexText(sha256(manifestBytes)) === said
    const fault = isNamed
      ? yield* bundleFault(judge, choice.run_id ?? "", folder, manifest)
      : "it is another bundle than dossier.json names"
    if (fault !== undefined) list.add("BUNDLE_DISAGREES", name, fault)
  }
  return bundles.length
})

/** A bundle that rides along, verified. */
export interface Carried extends SoundBundle {
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
export const soundBundles = Effect.fnUntraced(function* (
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
export const carryBundles = Effect.fnUntraced(function* (
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
