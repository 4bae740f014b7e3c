// The four hashes of a bundle: which artifact a slice of a reference is, what was planned, what was read, and the bundle
// as a whole. All are SHA-256 over texts that other programs can spell (docs/spec/bundles.md, "Hashes").
import { pyText } from "../canonical/py.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { compareSteps, type Manifest, type ManifestArtifact, type ManifestStep } from "./manifest.ts"

const ARTIFACT_ID_DIGITS = 16

/** The id of the artifact that a slice of a symbol or section is: 16 hex digits. */
export const artifactIdOf = (sha256: Sha256, ref: string, slice: string): string =>
  sha256(`${ref}_${slice}`).slice(0, ARTIFACT_ID_DIGITS)

/** The hash over what was asked for: the run and its steps in order. */
export const planHashOf = (sha256: Sha256, runId: string, steps: ReadonlyArray<ManifestStep>): string =>
  sha256(
    pyText({
      run_id: runId,
      steps: steps.toSorted(compareSteps).map((step) => ({
        step_id: step.step_id,
        ordinal: step.ordinal,
        op: step.op,
        refs: step.refs,
        constraints: step.constraints,
        expected_outputs: step.expected_outputs
      }))
    })
  )

/** The hash over what was read: one line for each artifact, in order of their ids (which are ASCII). */
export const rootHashOf = (
  sha256: Sha256,
  artifacts: ReadonlyArray<Pick<ManifestArtifact, "artifact_id" | "sha256">>
): string => {
  const lines = artifacts.map((artifact) => `${artifact.artifact_id}:${artifact.sha256}`).sort()
  return sha256(`${lines.join("\n")}\n`)
}

/** The hash over the whole manifest with `bundle_id` and `root_hash` empty; unknown members are hashed too. */
export const bundleIdOf = (sha256: Sha256, manifest: Pick<Manifest, "hashes"> & object): string =>
  sha256(pyText({ ...manifest, bundle_id: "", hashes: { ...manifest.hashes, root_hash: "" } }))
