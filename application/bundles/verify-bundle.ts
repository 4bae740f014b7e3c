// Verifies a bundle from nothing but its own bytes: the manifest, then the names in the folder, then every artifact. It
// needs no ledger and no index, gives the runtime its turn between files, and ends in a report; only a folder that cannot be
// looked at is an error, since that says nothing about the bundle.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { BundleFindings } from "../../domain/bundles/finding-list.ts"
import type { BundleReport } from "../../domain/bundles/finding.ts"
import { checkArtifactFile, checkListing, isArtifactPath } from "../../domain/bundles/folder-check.ts"
import { checkManifest } from "../../domain/bundles/manifest-check.ts"
import { artifactPath, type Manifest, MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { manifestFaultCodes } from "../../domain/foundation/foreign-files.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import { Hashing } from "../foundation/hashing.ts"
import { BundleSource, type OpenedBundle } from "./bundle-source.ts"
import { traced } from "../foundation/telemetry.ts"

/** A verification's report with what was verified; the manifest is there when its form holds. */
export interface VerifiedBundle {
  readonly report: BundleReport
  readonly manifest: Manifest | undefined
  /** The bytes of `bundle.json`, undefined when it could not be read. */
  readonly manifestBytes: Uint8Array | undefined
}

const verifyArtifacts = Effect.fnUntraced(function* (
  list: BundleFindings,
  opened: OpenedBundle,
  manifest: Manifest
) {
  const listed = new Map(opened.listing.entries.map(({ kind, path }) => [path, kind]))
  let bytes = 0
  for (const artifact of manifest.artifacts) {
    const path = artifactPath(artifact.artifact_id)
    // A path of another form was reported with the manifest, what is no file with the listing.
    if (!isArtifactPath(path)) continue
    const kind = listed.get(path)
    if (kind === undefined) {
      checkArtifactFile(list, artifact, Result.fail({ fault: "missing", message: "there is no such file" }))
    } else if (kind === "file") {
      const read = yield* Effect.result(opened.artifact(path, artifact.bytes))
      if (Result.isSuccess(read)) bytes += read.success.bytes
      checkArtifactFile(list, artifact, read)
    }
  }
  return bytes
})

/** The report over what was found, with the names that the manifest gives the bundle. */
const reportOf = (list: BundleFindings, manifest: Manifest | undefined, bytes: number): BundleReport => ({
  ...list.report,
  verdict: list.handedOverVerdict,
  counts: {
    steps: manifest?.steps.length ?? 0,
    artifacts: manifest?.artifacts.length ?? 0,
    bytes_verified: bytes
  },
  bundle_id: manifest?.bundle_id ?? null,
  run_id: manifest?.run_id ?? null,
  job_id: manifest?.job_id ?? null,
  plan_hash: manifest?.plan_hash ?? null,
  root_hash: manifest?.hashes.root_hash ?? null,
  signers: []
})

/** Verifies the bundle at an absolute path: a folder, or the `bundle.json` in it. */
export const verifyBundle = traced("cassette.bundle.verify")(function* (
  path: string
): Effect.fn.Return<VerifiedBundle, FileUnreadable, BundleSource | Hashing> {
  const { sha256 } = yield* Hashing
  const opened = yield* BundleSource.use((source) => source.open(path))
  const list = new BundleFindings()
  const read = yield* Effect.result(opened.manifest)
  if (Result.isFailure(read))
    list.add(manifestFaultCodes[read.failure.fault], MANIFEST_NAME, read.failure.message)
  const manifestBytes = Result.getOrUndefined(read)
  const manifest = manifestBytes && checkManifest(list, sha256, manifestBytes)
  checkListing(list, manifest, opened.listing)
  const bytes = manifest === undefined ? 0 : yield* verifyArtifacts(list, opened, manifest)
  for (const folder of yield* opened.changedFolders) {
    list.add("FILE_CHANGED", folder, "names were added, removed or replaced while the bundle was verified")
  }
  return {
    report: reportOf(list, manifest, bytes),
    manifest,
    manifestBytes
  }
})
