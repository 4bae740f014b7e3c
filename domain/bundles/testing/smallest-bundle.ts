/**
 * The golden bundle of docs/spec/vectors, with the job that it comes from and a way to make bundles that are wrong in
 * one place and consistent in all others. Outside tests nothing may import it.
 */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { pyText } from "../../canonical/py.ts"
import type { Sha256 } from "../../canonical/sha256.ts"
import type { JobEvidence } from "../build.ts"
import { bundleIdOf, planHashOf, rootHashOf } from "../hashes.ts"
import type { Manifest } from "../manifest.ts"

export const sha256: Sha256 = (text) => hash("sha256", text)

interface Golden {
  readonly bundle_json_text: string
  readonly artifacts: Readonly<Record<string, string>>
  readonly bundle_id: string
  readonly plan_hash: string
  readonly root_hash: string
}

export const golden = JSON.parse(
  readFileSync(new URL("../../../docs/spec/vectors/bundle-min.json", import.meta.url), "utf8")
) as Golden

export const goldenManifest = JSON.parse(golden.bundle_json_text) as Manifest
export const goldenText = Object.values(golden.artifacts)[0] ?? ""
const section = goldenManifest.inputs.files[0] ?? ""

/** The receipt of the golden bundle's one step, with members changed. */
export const goldenReceipt = (changes: object = {}): string =>
  JSON.stringify({
    step_id: "s1",
    op: "READ_SECTION",
    section_id: section,
    symbol_id: null,
    slice: "lines[0:3]",
    section_content_hash: "a".repeat(64),
    payload_hash: sha256(goldenText.slice(0, -1)),
    bytes_read: goldenText.length - 1,
    cache: "MISS",
    ...changes
  })

/** The payload of the golden bundle's one step, with members changed. */
export const goldenPayload = (changes: object = {}): string =>
  JSON.stringify({
    op: "READ_SECTION",
    refs: { section_id: section },
    constraints: { slice: "lines[0:3]" },
    expected_outputs: {},
    ...changes
  })

/** The job behind the golden bundle: a slice without a final line feed, as `lines` cuts them. */
export const goldenJob: JobEvidence = {
  run_id: "run_1",
  job_id: "job_4fa6643950efebf9",
  message_id: "msg_2efdbd678448e997",
  steps: [{ step_id: "s1", ordinal: 1, status: "COMMITTED", payload_json: goldenPayload() }],
  receipts: [{ step_id: "s1", outcome: "SUCCESS", receipt_json: goldenReceipt() }]
}

/** The manifest with all three hashes computed again: they are right, also where something else is wrong. */
export const rehashed = (manifest: Manifest): Manifest => {
  const hashes = { root_hash: rootHashOf(sha256, manifest.artifacts) }
  const planned = { ...manifest, plan_hash: planHashOf(sha256, manifest.run_id, manifest.steps), hashes }
  return { ...planned, bundle_id: bundleIdOf(sha256, planned) }
}

/** The bytes of `bundle.json` for a manifest. */
export const bytesOf = (manifest: object): Uint8Array => Buffer.from(`${pyText(manifest)}\n`)
