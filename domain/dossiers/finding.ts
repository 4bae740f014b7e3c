// The vocabulary of a dossier's verification: every finding code with its meaning and the exit code that it calls for, and the
// report that all interfaces show. A code is never renamed or reused; docs/spec/dossiers.md lists them.
import * as Schema from "effect/Schema"
import { findingWith } from "../foundation/finding.ts"
import { HandedOverFindings } from "../foundation/findings.ts"
import { DossierBodies, DossierChoice, DossierStream } from "./manifest.ts"

const invalid = {
  MANIFEST_MISSING: "there is no dossier.json",
  MANIFEST_UNREADABLE: "dossier.json is no regular file, or cannot be read",
  MANIFEST_TOO_LARGE: "dossier.json is over 4 MiB",
  MANIFEST_NOT_JSON: "dossier.json is not strict JSON: UTF-8, no key twice in an object, 64 levels",
  VERSION_UNSUPPORTED: "kind and version are not those of a dossier that this program knows",
  FIELD_INVALID: "a field is missing, unknown or of another type"
} as const

const failed = {
  LIMIT_EXCEEDED: "the dossier has more names, jobs, tasks, bundles or bytes than any may have",
  MANIFEST_NOT_CANONICAL: "dossier.json is not its own canonical text (jcs/1) and one line feed",
  CHOICE_INVALID: "what was chosen, or a list of the manifest, is not in its one form and order",
  ROOT_HASH_MISMATCH: "root_hash is not the hash of the manifest",
  FILE_EXTRA: "there is something in the folder that no dossier has",
  FILE_MISSING: "a file or folder of the dossier is not there",
  FILE_KIND: "a link, folder or device stands where only a regular file may",
  FILE_UNREADABLE: "a file cannot be read",
  FILE_CHANGED: "a file or folder changed while it was being verified",
  SIZE_MISMATCH: "a file has not as many bytes as the manifest says",
  HASH_MISMATCH: "a file's hash is not the one in the manifest",
  LINE_INVALID: "a line is not the canonical text of what stands there",
  CHECKPOINT_INVALID: "checkpoint.txt is not a signed checkpoint",
  CHECKPOINT_DIFFERS: "the checkpoint is of another ledger, size or root than the manifest says",
  CHECKPOINT_UNTRUSTED: "no trusted key has signed the checkpoint for this ledger",
  EVENT_NOT_CHOSEN: "an event does not belong to what was chosen",
  EVENT_ORDER: "events are not in the order of their positions, each once, up to the checkpoint's size",
  CHAIN_BROKEN: "an event does not hash to its hash, or does not follow the one before it",
  EVENT_INVALID: "an event has an unknown type or version, or says what no command may write",
  DATA_NOT_CANONICAL: "the stored text of an event is not in canonical form",
  MESSAGE_ID_FORGED: "a message id does not follow from its run, key and position",
  FOLD_IMPOSSIBLE: "an event cannot follow from the events before it",
  PROOF_REFUSED: "an inclusion proof does not lead from the event to the checkpoint",
  THOUGHT_CHAIN_BROKEN: "a thought does not follow the record before it in its task",
  THOUGHT_HASH_MISMATCH: "a thought's hash is not the hash of its six fields",
  THOUGHT_DIFFERS: "thoughts.jsonl does not say what the events say",
  STREAM_MISMATCH: "the events of a stream are not those that the manifest counts",
  BUNDLE_UNSOUND: "a bundle in the dossier does not verify",
  BUNDLE_DISAGREES: "a bundle in the dossier is not what the events of its job make",
  LEDGER_DIFFERS: "the ledger that the dossier was held against is another one, or is shorter",
  EVENT_LEFT_OUT: "the ledger has an event that belongs to what was chosen and is not in the dossier",
  EVENT_DIFFERS: "an event of the dossier is not the ledger's"
} as const

/** Every finding code with what it means. */
export const dossierFindingCodes = { ...invalid, ...failed } as const

/** What is wrong with a dossier; `dossierFindingCodes` says what each means. */
export type DossierFindingCode = keyof typeof dossierFindingCodes

/** A finding; `where` is `event POSITION`, a path in the folder with its line, or a JSON pointer into dossier.json. */
const DossierFinding = findingWith(dossierFindingCodes)

/** True for findings that make the input invalid (exit 2) and not merely fail (exit 1). */
export const makesInvalid = (code: DossierFindingCode): boolean => code in invalid

/** The findings of one verification. */
export class DossierFindings extends HandedOverFindings<DossierFindingCode> {
  constructor() {
    super(makesInvalid)
  }
}

/** What a verification reports; what the manifest says is null when it is too broken to tell. */
export const DossierReport = Schema.Struct({
  verdict: Schema.Literals(["PASS", "FAIL", "INVALID"]),
  findings: Schema.Array(DossierFinding),
  /** More findings than are listed, when the list was cut. */
  findings_left_off: Schema.Int,
  counts: Schema.Record(Schema.String, Schema.Int),
  ledger_id: Schema.NullOr(Schema.String),
  choice: Schema.NullOr(DossierChoice),
  bodies: Schema.NullOr(DossierBodies),
  /** Events that the checkpoint covers, and their root. */
  size: Schema.NullOr(Schema.Int),
  root: Schema.NullOr(Schema.String),
  root_hash: Schema.NullOr(Schema.String),
  streams: Schema.Array(DossierStream),
  /** Names of the trusted keys that signed the checkpoint; empty when no trust file was given. */
  signers: Schema.Array(Schema.String),
  /** Whether nothing of what was chosen was left out, up to the checkpoint; null: without the ledger, absence cannot be judged. */
  complete: Schema.NullOr(Schema.Boolean),
  /** Events of what was chosen that the ledger has behind the checkpoint; null without the ledger. */
  newer_events: Schema.NullOr(Schema.Int)
})
export type DossierReport = typeof DossierReport.Type
