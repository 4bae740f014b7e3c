// The bundles that ride in a dossier: each is verified as any bundle is, and then held against the events of its job, which must make
// the same manifest, and against its receipts, which say what was read.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexText } from "../../domain/canonical/bytes.ts"
import type { Manifest } from "../../domain/bundles/manifest.ts"
import { agreedTexts } from "../../domain/dossiers/bundle-agreement.ts"
import type { EventJudge } from "../../domain/dossiers/event-judge.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import { bundleFolder, type DossierManifest } from "../../domain/dossiers/manifest.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { BundleSource } from "../bundles/bundle-source.ts"
import { verifyBundle } from "../bundles/verify-bundle.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Signing } from "../foundation/signing.ts"
import { DossierFiles } from "./dossier-files.ts"

/** Why a verified bundle is not what a run's events make, or undefined. */
export const bundleFault = Effect.fnUntraced(function* (
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
