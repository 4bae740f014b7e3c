// A dossier or a bundle as a page shows it: its own verification's report, what it says of itself, its events as sentences, the
// texts that were read. It needs no ledger.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import { utf8ByteLength } from "../../domain/canonical/text.ts"
import { artifactPath, type ManifestArtifact } from "../../domain/bundles/manifest.ts"
import { isWithheld, readableEvent } from "../../domain/dossiers/event-lines.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import { beginningOf } from "../../domain/history/bodies.ts"
import { Timeline } from "../../domain/history/timeline.ts"
import type { EvidenceEntry, EvidenceSeen, EvidenceText } from "../../domain/inspection/answers.ts"
import type { StoredText } from "../../domain/inspection/stored-text.ts"
import { verifyBundle } from "../bundles/verify-bundle.ts"
import { verifyDossier } from "../dossiers/verify-dossier.ts"
import { Hashing } from "../foundation/hashing.ts"

/** Most events and texts of a page, and how much of each text it has (UTF-16 units). */
const MOST_ENTRIES = 5_000
const MOST_TEXTS = 500
const SHOWN_TEXT = 65_536

const storedText = (sha256: string, text: string): StoredText => {
  const shown = beginningOf(text, SHOWN_TEXT)
  return { text: shown, bytes: utf8ByteLength(text), sha256, is_cut: shown !== text }
}

const said = (facts: ReadonlyArray<readonly [string, string | number | null]>) =>
  facts.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)] as const]))

const now = Effect.map(Clock.currentTimeMillis, nearestTimestamp)

/** What is seen of the dossier at an absolute path. */
export const dossierSeen = Effect.fnUntraced(function* (path: string, trust: TrustFile | undefined) {
  const { sha256 } = yield* Hashing
  const timeline = new Timeline()
  const entries: Array<EvidenceEntry> = []
  let passed = 0
  const { manifest, report } = yield* verifyDossier(path, { trust }, (events) =>
    Effect.sync(() => {
      for (const event of events) {
        passed += 1
        if (entries.length === MOST_ENTRIES) continue
        const text = isWithheld(event) ? event.withheld : event.data
        const data = storedText(sha256(text), text)
        entries.push({ ...timeline.entry(readableEvent(event)), data, is_withheld: isWithheld(event) })
      }
    })
  )
  const signers = report.signers.join(", ")
  const seen: EvidenceSeen = {
    kind: "dossier",
    file: path,
    now: yield* now,
    verdict: trust === undefined && report.verdict === "PASS" ? "UNSIGNED" : report.verdict,
    findings: report.findings,
    findings_left_off: report.findings_left_off,
    facts: said([
      ["Ledger", report.ledger_id],
      ["Run", report.choice?.run_id ?? null],
      ["Jobs", report.choice?.jobs?.join(", ") ?? null],
      ["Tasks", report.choice?.tasks.join(", ") || null],
      ["Checkpoint", manifest === undefined ? null : `over ${manifest.checkpoint.size} events`],
      [
        "Signed by",
        signers || (trust === undefined ? "not judged: name a trust file (--trust)" : "no trusted key")
      ],
      ["Bodies", report.bodies],
      ["Root", report.root_hash],
      [
        "Left out",
        "that cannot be told without the ledger: cortex dossier verify PATH --trust FILE --db FILE does"
      ]
    ]),
    entries,
    entries_left_off: passed - entries.length,
    texts: []
  }
  return seen
})

/** Gives the text of an artifact by its path below the bundle's folder, or undefined. */
export type ReadText = (path: string, bytes: number) => string | undefined

const textOf = (
  sha256: (text: string) => string,
  read: ReadText,
  artifact: ManifestArtifact
): EvidenceText => {
  const { artifact_id, bytes, ref, sha256: hash, slice } = artifact
  const text = read(artifactPath(artifact_id), bytes)
  return {
    ref,
    slice,
    sha256: hash,
    text: text === undefined || sha256(text) !== hash ? null : storedText(hash, text)
  }
}

/** What is seen of the bundle in a folder. */
export const bundleSeen = Effect.fnUntraced(function* (path: string, read: ReadText) {
  const { sha256 } = yield* Hashing
  const { manifest, report } = yield* verifyBundle(path)
  const seen: EvidenceSeen = {
    kind: "bundle",
    file: path,
    now: yield* now,
    verdict: report.verdict,
    findings: report.findings,
    findings_left_off: report.findings_left_off,
    facts: said([
      ["Bundle", report.bundle_id],
      ["Run", report.run_id],
      ["Job", report.job_id],
      ["Plan", report.plan_hash],
      ["Root", report.root_hash],
      ["Failed steps", manifest?.provenance.failed_steps?.join(", ") || null]
    ]),
    entries: [],
    entries_left_off: 0,
    texts: (manifest?.artifacts ?? []).slice(0, MOST_TEXTS).map((artifact) => textOf(sha256, read, artifact))
  }
  return seen
})
