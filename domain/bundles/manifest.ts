// The manifest of a bundle, `bundle.json`: its Schema, from which the shipped JSON Schema is made, and the order of its
// lists. The Schema says what is there and of which type; what the values must be is for manifest-check.ts to say.
// A released version never changes: another form is another `bundle_version`.
import * as Schema from "effect/Schema"
import type { JsonValue } from "../canonical/json.ts"
import { compareCodePoints } from "../canonical/py.ts"

/** The one version of the form that is written and read. */
export const BUNDLE_VERSION = "5.0.0"

/** The manifest's name in the bundle's folder, and the folder of the artifacts. */
export const MANIFEST_NAME = "bundle.json"
export const ARTIFACT_FOLDER = "artifacts"

/** Fields that would tie a bundle to a time or a machine. */
export const FORBIDDEN_FIELDS = ["timestamp", "created_at", "updated_at", "cwd", "os", "locale"] as const

const AnyObject = Schema.Record(Schema.String, Schema.Json)

const Constraints = Schema.StructWithRest(Schema.Struct({ slice: Schema.String }), [AnyObject])

const stepFields = {
  step_id: Schema.String,
  ordinal: Schema.Int,
  constraints: Constraints,
  expected_outputs: AnyObject
}

const ManifestStep = Schema.Union([
  Schema.Struct({
    ...stepFields,
    op: Schema.Literal("READ_SYMBOL"),
    refs: Schema.Struct({ symbol_id: Schema.String })
  }),
  Schema.Struct({
    ...stepFields,
    op: Schema.Literal("READ_SECTION"),
    refs: Schema.Struct({ section_id: Schema.String })
  })
])
/** One step of a bundle: what it was to read, within which bounds. */
export type ManifestStep = typeof ManifestStep.Type

const ManifestArtifact = Schema.Struct({
  artifact_id: Schema.String,
  kind: Schema.Literals(["SYMBOL_SLICE", "SECTION_SLICE"]),
  ref: Schema.String,
  slice: Schema.String,
  path: Schema.String,
  sha256: Schema.String,
  bytes: Schema.Int
})
/** One artifact of a bundle: which slice of what, in which file, with SHA-256 and size in bytes. */
export type ManifestArtifact = typeof ManifestArtifact.Type

/** `bundle.json`: what a job read, with the hash of each artifact. */
export const Manifest = Schema.Struct({
  bundle_version: Schema.Literal(BUNDLE_VERSION),
  bundle_id: Schema.String,
  run_id: Schema.String,
  job_id: Schema.String,
  message_id: Schema.String,
  plan_hash: Schema.String,
  steps: Schema.Array(ManifestStep),
  inputs: Schema.Struct({
    symbols: Schema.Array(Schema.String),
    files: Schema.Array(Schema.String),
    slices: Schema.Array(Schema.String)
  }),
  artifacts: Schema.Array(ManifestArtifact),
  hashes: Schema.Struct({ root_hash: Schema.String }),
  provenance: Schema.Struct({ failed_steps: Schema.optionalKey(Schema.Array(Schema.String)) })
}).annotate({
  identifier: "Bundle",
  title: "Bundle manifest",
  description:
    "bundle.json of a bundle, version 5.0.0; docs/spec/bundles.md has the rules that no schema can say"
})
export type Manifest = typeof Manifest.Type

/** What a step reads: the symbol's id or the section's. */
export const refOf = (step: ManifestStep): string =>
  step.op === "READ_SYMBOL" ? step.refs.symbol_id : step.refs.section_id

/** The kind of artifact that a step's reading leaves. */
export const kindOf = (op: ManifestStep["op"]): ManifestArtifact["kind"] =>
  op === "READ_SYMBOL" ? "SYMBOL_SLICE" : "SECTION_SLICE"

/** The path of an artifact in the bundle's folder. */
export const artifactPath = (artifactId: string): string => `${ARTIFACT_FOLDER}/${artifactId}.txt`

/** The order of steps: by ordinal, then by id. */
export const compareSteps = (left: ManifestStep, right: ManifestStep): number =>
  left.ordinal - right.ordinal || compareCodePoints(left.step_id, right.step_id)

/** The texts in code-point order, each once. */
export const sortedUnique = (texts: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(texts)].sort(compareCodePoints)

/** What a bundle's steps name: symbols, sections (as `files`) and slices, each list sorted and without repeats. */
export const inputsOf = (steps: ReadonlyArray<ManifestStep>): Manifest["inputs"] => ({
  symbols: sortedUnique(steps.flatMap((step) => (step.op === "READ_SYMBOL" ? [step.refs.symbol_id] : []))),
  files: sortedUnique(steps.flatMap((step) => (step.op === "READ_SECTION" ? [step.refs.section_id] : []))),
  slices: sortedUnique(steps.map(({ constraints }) => constraints.slice))
})

/** A manifest as it was read: every member that stands in it, known or not. */
export type RawManifest = { readonly [key: string]: JsonValue }
