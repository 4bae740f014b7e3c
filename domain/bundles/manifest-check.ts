// The judgement over a manifest's bytes: form first, then order, references, slices and hashes, all recomputed. It finds
// everything that it can and trusts nothing that it has not checked. It reads no file: what the artifacts really hold
// is for folder-check.ts to say.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { textOfUtf8 } from "../canonical/bytes.ts"
import { isJsonObject, type JsonValue } from "../canonical/json.ts"
import { plainIssues, pointerOf } from "../canonical/plain-issues.ts"
import { compareCodePoints, pyTextOfRead } from "../canonical/py.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { readJsonBytes } from "../canonical/strict-reader.ts"
import { isIdentifier } from "../canonical/text.ts"
import { parseSlice, sliceText } from "../corpus/slice.ts"
import type { BundleFindings } from "./finding-list.ts"
import { artifactIdOf, planHashOf, rootHashOf } from "./hashes.ts"
import { MAX_ARTIFACT_BYTES, MAX_BUNDLE_BYTES, MAX_BUNDLE_STEPS, MAX_MANIFEST_BYTES } from "./limits.ts"
import {
  artifactPath,
  BUNDLE_VERSION,
  compareSteps,
  FORBIDDEN_FIELDS,
  inputsOf,
  kindOf,
  Manifest,
  type ManifestArtifact,
  type RawManifest,
  refOf
} from "./manifest.ts"

const decodeToAll = Schema.decodeUnknownResult(Manifest, { onExcessProperty: "error", errors: "all" })
const decodeToFirst = Schema.decodeUnknownResult(Manifest, { onExcessProperty: "error", errors: "first" })

/** Up to this size (bytes) all faults of form are told; beyond, a hostile manifest could have millions. */
const MAX_TOLD_BYTES = 1_048_576

/** A member on the way down; its path is spelled only when something is wrong there. */
interface JsonPlace {
  readonly parent: JsonPlace | undefined
  readonly key: string | number
}

const pointerTo = (place: JsonPlace): string => {
  const path: Array<string | number> = []
  for (let at: JsonPlace | undefined = place; at !== undefined; at = at.parent) path.unshift(at.key)
  return pointerOf(path)
}

/** Reports forbidden fields at every level that is the manifest's own; what steps say to each other is theirs. */
const checkForbidden = (list: BundleFindings, value: JsonValue, parent: JsonPlace | undefined): void => {
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    value.forEach((item: JsonValue, key) => checkForbidden(list, item, { parent, key }))
    return
  }
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_FIELDS.some((field) => field === key)) {
      list.add(
        "FORBIDDEN_FIELD",
        pointerTo({ parent, key }),
        `${key} may not stand in a bundle: leave it out`
      )
    }
    if (key !== "constraints" && key !== "expected_outputs") checkForbidden(list, member, { parent, key })
  }
}

const checkForm = (list: BundleFindings, raw: RawManifest, bytes: number): Manifest | undefined => {
  checkForbidden(list, raw, undefined)
  const version = raw["bundle_version"]
  if (typeof version === "string" && version !== BUNDLE_VERSION) {
    list.add("VERSION_UNSUPPORTED", "/bundle_version", `this program verifies version ${BUNDLE_VERSION}`)
    return undefined
  }
  // A forbidden field at the top is a finding of its own; below, it is an unknown field as well.
  const members = Object.entries(raw).filter(([key]) => !FORBIDDEN_FIELDS.some((field) => field === key))
  const decode = bytes > MAX_TOLD_BYTES ? decodeToFirst : decodeToAll
  const decoded = decode(Object.fromEntries(members))
  if (Result.isSuccess(decoded)) return decoded.success
  for (const { message, path } of plainIssues(decoded.failure.issue)) {
    list.add("FIELD_INVALID", pointerOf(path), message)
  }
  return undefined
}

const checkLimits = (list: BundleFindings, { artifacts, steps }: Manifest): boolean => {
  const bytes = artifacts.reduce((sum, artifact) => sum + Math.max(0, artifact.bytes), 0)
  const exceeded: ReadonlyArray<readonly [string, number, number]> = [
    ["/steps", steps.length, MAX_BUNDLE_STEPS],
    ["/artifacts", artifacts.length, MAX_BUNDLE_STEPS],
    ["/artifacts", bytes, MAX_BUNDLE_BYTES]
  ]
  for (const [where, count, most] of exceeded) {
    if (count > most) list.add("LIMIT_EXCEEDED", where, `${count} is over the limit of ${most}`)
  }
  const large = artifacts.findIndex((artifact) => artifact.bytes > MAX_ARTIFACT_BYTES)
  if (large >= 0) {
    list.add(
      "LIMIT_EXCEEDED",
      `/artifacts/${large}/bytes`,
      `an artifact may have ${MAX_ARTIFACT_BYTES} bytes`
    )
  }
  return large < 0 && exceeded.every(([, count, most]) => count <= most)
}

const checkSlice = (list: BundleFindings, where: string, text: string): void => {
  const slice = parseSlice(text)
  if (Result.isFailure(slice)) {
    const unbounded = ["unbounded", "empty"].includes(slice.failure.reason)
    list.add(unbounded ? "SLICE_UNBOUNDED" : "SLICE_INVALID", where, slice.failure.message)
  } else if (sliceText(slice.success) !== text) {
    list.add("SLICE_INVALID", where, `write ${sliceText(slice.success)}, without blanks around it`)
  }
}

const checkId = (list: BundleFindings, id: string, ...where: ReadonlyArray<string | number>): void => {
  if (isIdentifier(id)) return
  list.add("ID_INVALID", pointerOf(where), "an id has 1 to 256 bytes of text without control characters")
}

const checkIds = (list: BundleFindings, manifest: Manifest): void => {
  for (const name of ["run_id", "job_id", "message_id"] as const) checkId(list, manifest[name], name)
  manifest.steps.forEach((step, index) => {
    checkId(list, step.step_id, "steps", index, "step_id")
    checkId(list, refOf(step), "steps", index, "refs")
  })
}

const checkSteps = (list: BundleFindings, { inputs, steps }: Manifest): void => {
  if (steps.length === 0) list.add("STEPS_EMPTY", "/steps", "a job has at least one step")
  const seen = new Set<string>()
  steps.forEach((step, index) => {
    const where = `/steps/${index}`
    if (step.ordinal < 1) list.add("ORDINAL_INVALID", `${where}/ordinal`, "ordinals begin at 1")
    if (seen.has(step.step_id)) list.add("STEP_DUPLICATE", `${where}/step_id`, `${step.step_id} stands twice`)
    seen.add(step.step_id)
    const before = steps[index - 1]
    if (before !== undefined && compareSteps(before, step) > 0) {
      list.add("STEP_ORDER", where, "the step before it has a higher ordinal or id")
    }
    checkSlice(list, `${where}/constraints/slice`, step.constraints.slice)
  })
  const named = inputsOf(steps)
  for (const name of ["symbols", "files", "slices"] as const) {
    if (JSON.stringify(named[name]) !== JSON.stringify(inputs[name])) {
      list.add("INPUTS_MISMATCH", `/inputs/${name}`, "the steps name others, or they are not sorted")
    }
  }
}

const checkArtifact = (
  list: BundleFindings,
  sha256: Sha256,
  artifact: ManifestArtifact,
  before: ManifestArtifact | undefined,
  where: string
): void => {
  const { artifact_id, path, ref, slice } = artifact
  if (before !== undefined && compareCodePoints(before.artifact_id, artifact_id) >= 0) {
    list.add("ARTIFACT_ORDER", where, "the artifact before it has a higher id, or the same")
  }
  if (artifactIdOf(sha256, ref, slice) !== artifact_id) {
    list.add("ARTIFACT_ID_MISMATCH", `${where}/artifact_id`, "it is not the hash of ref and slice")
  }
  if (path !== artifactPath(artifact_id)) {
    list.add("ARTIFACT_PATH_INVALID", `${where}/path`, `it must be ${artifactPath(artifact_id)}`)
  }
  checkSlice(list, `${where}/slice`, slice)
}

/** What ties steps and artifacts together: reference and slice, as one text that cannot be two pairs. */
const readingKey = (ref: string, slice: string): string => `${ref.length} ${ref}${slice}`

const checkReferences = (list: BundleFindings, { artifacts, provenance, steps }: Manifest): void => {
  const failed = new Set(provenance.failed_steps)
  // A step that failed has read nothing: only those that succeeded have artifacts, and say of which kind.
  const kinds = new Map<string, Set<ManifestArtifact["kind"]>>()
  for (const step of steps.filter(({ step_id }) => !failed.has(step_id))) {
    const key = readingKey(refOf(step), step.constraints.slice)
    kinds.set(key, (kinds.get(key) ?? new Set()).add(kindOf(step.op)))
  }
  const present = new Set<string>()
  artifacts.forEach(({ kind, ref, slice }, index) => {
    const key = readingKey(ref, slice)
    present.add(key)
    const expected = kinds.get(key)
    const where = `/artifacts/${index}`
    if (expected === undefined) {
      list.add("ARTIFACT_UNREFERENCED", where, "no step that succeeded has this reference with this slice")
    } else if (expected.size !== 1 || !expected.has(kind)) {
      list.add("ARTIFACT_KIND_MISMATCH", `${where}/kind`, "the step that refers to it reads something else")
    }
  })
  steps.forEach((step, index) => {
    if (failed.has(step.step_id) || present.has(readingKey(refOf(step), step.constraints.slice))) return
    list.add("STEP_WITHOUT_ARTIFACT", `/steps/${index}`, "the step did not fail, and what it read is missing")
  })
}

const checkFailedSteps = (list: BundleFindings, { provenance, steps }: Manifest): void => {
  const failed = provenance.failed_steps
  if (failed === undefined) return
  const where = "/provenance/failed_steps"
  const ids = new Set(steps.map(({ step_id }) => step_id))
  if (failed.length === 0) list.add("FAILED_STEPS_INVALID", where, "leave it out when no step failed")
  failed.forEach((stepId, index) => {
    const before = failed[index - 1]
    if (before !== undefined && compareCodePoints(before, stepId) >= 0) {
      list.add("FAILED_STEPS_INVALID", `${where}/${index}`, "the ids must be sorted, each once")
    }
    if (!ids.has(stepId)) list.add("FAILED_STEPS_INVALID", `${where}/${index}`, "no step has this id")
  })
}

/** The canonical texts of the manifest's own members, in order: every hash is over some of them, so each is made once. */
const memberTexts = (raw: RawManifest): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(raw)
      .sort(compareCodePoints)
      .map((name) => [name, pyTextOfRead(raw[name] ?? null)])
  )

const objectText = (members: ReadonlyMap<string, string>): string =>
  `{${[...members].map(([name, text]) => `${pyTextOfRead(name)}:${text}`).join(",")}}`

/** As `bundleIdOf`, from the texts of the members. */
const bundleIdOfTexts = (sha256: Sha256, texts: ReadonlyMap<string, string>): string =>
  sha256(objectText(new Map([...texts, ["bundle_id", '""'], ["hashes", '{"root_hash":""}']])))

/** As `planHashOf`; steps that are in order are hashed as they stand. */
const planHashOfTexts = (sha256: Sha256, texts: ReadonlyMap<string, string>, manifest: Manifest): string => {
  const { run_id, steps } = manifest
  const inOrder = steps.every((step, index) => index === 0 || compareSteps(steps[index - 1]!, step) <= 0)
  if (!inOrder) return planHashOf(sha256, run_id, steps)
  return sha256(`{"run_id":${texts.get("run_id")},"steps":${texts.get("steps")}}`)
}

const checkHashes = (
  list: BundleFindings,
  sha256: Sha256,
  texts: ReadonlyMap<string, string>,
  manifest: Manifest
): void => {
  const { artifacts, bundle_id, hashes, plan_hash } = manifest
  const hashed: ReadonlyArray<readonly [Parameters<BundleFindings["add"]>[0], string, string, string]> = [
    ["PLAN_HASH_MISMATCH", "/plan_hash", plan_hash, planHashOfTexts(sha256, texts, manifest)],
    ["ROOT_HASH_MISMATCH", "/hashes/root_hash", hashes.root_hash, rootHashOf(sha256, artifacts)],
    ["BUNDLE_ID_MISMATCH", "/bundle_id", bundle_id, bundleIdOfTexts(sha256, texts)]
  ]
  for (const [code, where, stated, computed] of hashed) {
    if (stated !== computed) list.add(code, where, `recomputed it is ${computed}`)
  }
}

/** True when the bytes, which are UTF-8, are the canonical text, which is ASCII, and one line feed. */
const isCanonical = (bytes: Uint8Array, text: string): boolean =>
  bytes.length === text.length + 1 && textOfUtf8(bytes) === `${text}\n`

/**
 * Judges the bytes of `bundle.json`. The manifest is given when its form and limits hold, so that its artifacts can be
 * looked at; all that is wrong with it is in the list.
 */
export const checkManifest = (
  list: BundleFindings,
  sha256: Sha256,
  bytes: Uint8Array
): Manifest | undefined => {
  if (bytes.length > MAX_MANIFEST_BYTES) {
    list.add("MANIFEST_TOO_LARGE", "bundle.json", `it may have ${MAX_MANIFEST_BYTES} bytes`)
    return undefined
  }
  const value = readJsonBytes(bytes, "py/1")
  if (Result.isFailure(value)) {
    list.add("MANIFEST_NOT_JSON", "bundle.json", value.failure.message)
    return undefined
  }
  const raw = value.success
  if (!isJsonObject(raw)) {
    list.add("FIELD_INVALID", "", "the manifest must be an object")
    return undefined
  }
  const manifest = checkForm(list, raw, bytes.length)
  const texts = memberTexts(raw)
  if (!isCanonical(bytes, objectText(texts))) {
    list.add(
      "MANIFEST_NOT_CANONICAL",
      "bundle.json",
      "its bytes are not its canonical text and one line feed"
    )
  }
  if (manifest === undefined || !checkLimits(list, manifest)) return undefined
  checkIds(list, manifest)
  checkSteps(list, manifest)
  manifest.artifacts.forEach((artifact, index) =>
    checkArtifact(list, sha256, artifact, manifest.artifacts[index - 1], `/artifacts/${index}`)
  )
  checkFailedSteps(list, manifest)
  checkReferences(list, manifest)
  checkHashes(list, sha256, texts, manifest)
  return manifest
}
