// The vocabulary of bundle verification: every finding code with its meaning and the exit code that it calls for, and
// the report that all interfaces show. A code is never renamed or reused; docs/spec/bundles.md lists them.
import * as Schema from "effect/Schema"
import { findingWith } from "../foundation/finding.ts"

const invalid = {
  MANIFEST_MISSING: "there is no bundle.json",
  MANIFEST_UNREADABLE: "bundle.json is no regular file, or cannot be read",
  MANIFEST_TOO_LARGE: "bundle.json is over 32 MiB",
  MANIFEST_NOT_JSON:
    "bundle.json is not strict JSON: UTF-8, no key twice in an object, whole numbers, 64 levels",
  VERSION_UNSUPPORTED: "bundle_version is not 5.0.0",
  FIELD_INVALID: "a field is missing, unknown or of another type"
} as const

const failed = {
  LIMIT_EXCEEDED: "the bundle has more steps, artifacts, names or bytes than any may have",
  FORBIDDEN_FIELD: "a field ties the bundle to a time or a machine",
  MANIFEST_NOT_CANONICAL: "bundle.json is not its own canonical text (py/1) and one line feed",
  ID_INVALID: "an id is empty, over 256 bytes, or holds a control character",
  ORDINAL_INVALID: "a step's ordinal is below 1",
  STEPS_EMPTY: "the bundle has no step",
  STEP_ORDER: "the steps are not in order of ordinal, then id",
  STEP_DUPLICATE: "two steps have one id",
  SLICE_UNBOUNDED: "a slice has no end",
  SLICE_INVALID: "a slice is not the canonical text of one",
  INPUTS_MISMATCH: "inputs is not what the steps name, sorted and without repeats",
  ARTIFACT_ORDER: "the artifacts are not in order of their ids, each once",
  ARTIFACT_ID_MISMATCH: "an artifact's id is not the hash of its reference and slice",
  ARTIFACT_PATH_INVALID: "an artifact's path is not artifacts/ID.txt",
  ARTIFACT_KIND_MISMATCH: "an artifact's kind does not fit the step that refers to it",
  ARTIFACT_UNREFERENCED: "no step that succeeded refers to an artifact",
  STEP_WITHOUT_ARTIFACT: "a step that did not fail has no artifact",
  FAILED_STEPS_INVALID: "failed_steps is empty, not sorted, or names what is no step",
  PLAN_HASH_MISMATCH: "plan_hash is not the hash of the run and its steps",
  ROOT_HASH_MISMATCH: "root_hash is not the hash of the artifacts",
  BUNDLE_ID_MISMATCH: "bundle_id is not the hash of the manifest",
  FILE_EXTRA: "there is something in the folder that the manifest does not name",
  FILE_NAME_INVALID: "a name below artifacts/ is not 16 lower-case hex digits and .txt",
  FILE_MISSING: "a file that the manifest names is not there",
  FILE_KIND: "a link, folder or device stands where only a regular file may",
  FILE_UNREADABLE: "a file cannot be read",
  FILE_CHANGED: "a file or folder changed while it was being verified",
  SIZE_MISMATCH: "a file has not as many bytes as the manifest says",
  HASH_MISMATCH: "a file's hash is not the one in the manifest",
  TEXT_NOT_UTF8: "an artifact is not UTF-8",
  TEXT_HAS_CARRIAGE_RETURN: "an artifact holds a carriage return",
  TEXT_HAS_BYTE_ORDER_MARK: "an artifact begins with a byte order mark",
  FINAL_LINE_FEED_MISSING: "an artifact does not end with a line feed",
  ATTESTATION_MISSING: "an attestation is required, and there is none",
  ATTESTATION_INVALID: "the attestation is not a DSSE envelope with an in-toto statement of ours",
  ATTESTATION_SUBJECT: "the attestation is of another bundle",
  ATTESTATION_UNTRUSTED: "no trusted key has signed the attestation for this run"
} as const

/** Every finding code with what it means. */
export const bundleFindingCodes = { ...invalid, ...failed } as const

/** What is wrong with a bundle; `bundleFindingCodes` says what each means. */
export type BundleFindingCode = keyof typeof bundleFindingCodes

/** A finding; `where` is a JSON pointer into bundle.json, or a path in the folder. */
export const BundleFinding = findingWith(bundleFindingCodes)
export type BundleFinding = typeof BundleFinding.Type

/** True for findings that make the input invalid (exit 2) and not merely fail (exit 1). */
export const makesInvalid = (code: BundleFindingCode): boolean => code in invalid

/** What a verification reports; the names of the bundle are null when its manifest is too broken to tell. */
export const BundleReport = Schema.Struct({
  verdict: Schema.Literals(["PASS", "FAIL", "INVALID"]),
  findings: Schema.Array(BundleFinding),
  /** More findings than are listed, when the list was cut. */
  findings_left_off: Schema.Int,
  counts: Schema.Record(Schema.String, Schema.Int),
  bundle_id: Schema.NullOr(Schema.String),
  run_id: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.String),
  plan_hash: Schema.NullOr(Schema.String),
  root_hash: Schema.NullOr(Schema.String),
  /** Names of the trusted keys that signed the attestation; empty when none was asked for. */
  signers: Schema.Array(Schema.String)
})
export type BundleReport = typeof BundleReport.Type
