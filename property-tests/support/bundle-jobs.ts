// Random finished jobs and their bundles, from the pure core alone: rows as the ledger would have them, and the files
// that come out. No ledger is opened here.
import { hash } from "node:crypto"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { artifactOf, type JobEvidence, manifestOf, planBundle } from "../../domain/bundles/build.ts"
import { jcsText } from "../../domain/canonical/jcs.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import {
  jsonArbitrary,
  safeIntegerArbitrary,
  textArbitrary
} from "../../domain/canonical/testing/json-arbitrary.ts"

export const sha256 = (text: string): string => hash("sha256", text)

/** A job, and the text behind each `section_content_hash` that a receipt names. */
export interface RandomJob {
  readonly job: JobEvidence
  readonly texts: Readonly<Record<string, string>>
}

const number = fc.integer({ min: 1, max: 99 })
const slice = fc.oneof(
  fc.tuple(number, number).map(([start, length]) => `lines[${start}:${start + length}]`),
  fc.tuple(number, number).map(([start, length]) => `chars[${start}:${start + length}]`),
  number.map((count) => `head(${count})`),
  number.map((count) => `tail(${count})`)
)

const ref = fc.oneof(
  fc.constantFrom("@DOCS/readme", "@DOCS/intro.md", "@A/b/c", "@A/B"),
  fc.constantFrom("1", "a", "f").map((digit) => digit.repeat(64))
)

/** Text as a section can give it: no carriage return, no byte order mark at its beginning. */
const text = fc
  .array(fc.oneof(textArbitrary, fc.constantFrom("\n", "\n\n", "😀", "\ud7ff", "\u2028", "line\n")), {
    maxLength: 8
  })
  .map((parts) =>
    parts
      .join("")
      .replaceAll("\r", "")
      .replace(/^\ufeff+/, "")
      .toWellFormed()
  )

const anyObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  textArbitrary,
  jsonArbitrary(safeIntegerArbitrary),
  { maxKeys: 3 }
)

/** What one step reads; steps with the same reference and slice read the same text, as one version of it does. */
const reading = fc.record({
  ref,
  slice,
  more: anyObject,
  expected_outputs: anyObject,
  succeeds: fc.boolean()
})

type Read = typeof reading extends fc.Arbitrary<infer R> ? R : never

const receiptOf = (step_id: string, { ref, slice }: Read, text: string): JsonObject => ({
  step_id,
  op: ref.startsWith("@") ? "READ_SYMBOL" : "READ_SECTION",
  section_id: ref.startsWith("@") ? sha256(ref) : ref,
  symbol_id: ref.startsWith("@") ? ref : null,
  slice,
  section_content_hash: sha256(`${ref} ${slice}`),
  payload_hash: sha256(text),
  bytes_read: Buffer.byteLength(text),
  cache: "MISS"
})

const jobOf = (run_id: string, reads: ReadonlyArray<Read>, texts: ReadonlyArray<string>): RandomJob => {
  const byReading = new Map<string, string>()
  for (const [index, read] of reads.entries()) {
    const key = `${read.ref} ${read.slice}`
    if (!byReading.has(key)) byReading.set(key, texts[index % texts.length] ?? "")
  }
  const rows = reads.map((read, index) => {
    const step_id = `step_0000000000002_0123456789abcdef.0001.${String(index + 1).padStart(5, "0")}`
    const { expected_outputs, more, ref, slice, succeeds } = read
    const payload = {
      op: ref.startsWith("@") ? "READ_SYMBOL" : "READ_SECTION",
      refs: ref.startsWith("@") ? { symbol_id: ref } : { section_id: ref },
      constraints: { ...more, slice },
      expected_outputs
    }
    const read_text = byReading.get(`${ref} ${slice}`) ?? ""
    return {
      step: { step_id, ordinal: index + 1, status: "COMMITTED" as const, payload_json: jcsText(payload) },
      receipt: {
        step_id,
        outcome: succeeds ? ("SUCCESS" as const) : ("FAILURE" as const),
        receipt_json: jcsText(succeeds ? receiptOf(step_id, read, read_text) : { error: "gone" })
      }
    }
  })
  return {
    job: {
      run_id,
      job_id: "job_0000000000002_0123456789abcdef.0001",
      message_id: "msg_0000000000002_0123456789abcdef",
      steps: rows.map(({ step }) => step),
      receipts: rows.map(({ receipt }) => receipt)
    },
    texts: Object.fromEntries([...byReading].map(([key, value]) => [sha256(key), value]))
  }
}

/** A random job that can be bundled when failures are allowed. */
export const randomJob: fc.Arbitrary<RandomJob> = fc
  .tuple(
    fc.constantFrom("run_1", "läufer", "run \u{1f600}"),
    fc.array(reading, { minLength: 1, maxLength: 8 }),
    fc.array(text, { minLength: 1, maxLength: 4 })
  )
  .map(([run_id, reads, texts]) => jobOf(run_id, reads, texts))

/** The files of a job's bundle, by their paths. */
export const filesOf = ({ job, texts }: RandomJob): Readonly<Record<string, string>> => {
  const plan = Result.getOrThrow(planBundle(sha256, job, { allowFailures: true }))
  const made = plan.readings.map((reading) =>
    Result.getOrThrow(artifactOf(sha256, reading, texts[reading.section_content_hash] ?? ""))
  )
  const { text: manifest } = Result.getOrThrow(
    manifestOf(
      sha256,
      plan,
      made.map(({ artifact }) => artifact)
    )
  )
  return {
    ...Object.fromEntries(made.map(({ artifact, text }) => [artifact.path, text])),
    "bundle.json": manifest
  }
}
