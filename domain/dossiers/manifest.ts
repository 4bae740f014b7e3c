// The manifest of a dossier, `dossier.json`: which events were chosen, which checkpoint they are proven against, and the hash of
// every file. The Schema says what is there; what the values must be is for manifest-check.ts to say. Another form is another
// `version` (docs/spec/dossiers.md).
import * as Schema from "effect/Schema"
import { jcsText } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { runStream, taskStream } from "../ledger/event-envelope.ts"

export const DOSSIER_KIND = "cassette/dossier"

/** The one version of the form that is written and read. */
export const DOSSIER_VERSION = "1.0.0"

/** The names in a dossier's folder. */
export const MANIFEST_NAME = "dossier.json"
export const CHECKPOINT_NAME = "checkpoint.txt"
export const EVENTS_NAME = "events.jsonl"
export const PROOFS_NAME = "proofs.jsonl"
export const THOUGHTS_NAME = "thoughts.jsonl"
export const BUNDLES_FOLDER = "bundles"

/** The files beside the manifest, in the order in which the manifest lists them. */
export const DOSSIER_FILES = [CHECKPOINT_NAME, EVENTS_NAME, PROOFS_NAME, THOUGHTS_NAME] as const
export type DossierFileName = (typeof DOSSIER_FILES)[number]

/** What was chosen: a run, whole or some of its jobs, and tasks. */
export const DossierChoice = Schema.Struct({
  run_id: Schema.NullOr(Schema.String),
  /** null: the whole run. */
  jobs: Schema.NullOr(Schema.Array(Schema.String)),
  tasks: Schema.Array(Schema.String)
})
export type DossierChoice = typeof DossierChoice.Type

/** `whole`, or `hashed`: payloads, receipts and contents of thoughts are left out, and their hashes stand in their place. */
export const DossierBodies = Schema.Literals(["whole", "hashed"])
export type DossierBodies = typeof DossierBodies.Type

/** Which events of one stream are there: enough to find that one was left out, when the ledger is at hand. */
export const DossierStream = Schema.Struct({
  stream_id: Schema.String,
  count: Schema.Int,
  /** Positions of the first and the last. */
  first: Schema.Int,
  last: Schema.Int,
  /** SHA-256 over the positions in decimal digits, each with a line feed. */
  positions_sha256: Schema.String
})
export type DossierStream = typeof DossierStream.Type

/** A bundle that rides along in `bundles/JOB_ID`. */
export const DossierBundle = Schema.Struct({
  job_id: Schema.String,
  bundle_id: Schema.String,
  /** SHA-256 of its `bundle.json`. */
  sha256: Schema.String
})
export type DossierBundle = typeof DossierBundle.Type

export const DossierFile = Schema.Struct({
  path: Schema.Literals(DOSSIER_FILES),
  bytes: Schema.Int,
  sha256: Schema.String
})
export type DossierFile = typeof DossierFile.Type

/** `dossier.json`: what was chosen, the checkpoint, the streams and the hash of each file. */
export const DossierManifest = Schema.Struct({
  kind: Schema.Literal(DOSSIER_KIND),
  version: Schema.Literal(DOSSIER_VERSION),
  ledger_id: Schema.String,
  choice: DossierChoice,
  bodies: DossierBodies,
  /** What the checkpoint says: how many events the ledger had, and their root in hexadecimal. */
  checkpoint: Schema.Struct({ size: Schema.Int, root: Schema.String }),
  streams: Schema.Array(DossierStream),
  bundles: Schema.Array(DossierBundle),
  files: Schema.Array(DossierFile),
  root_hash: Schema.String
}).annotate({
  identifier: "Dossier",
  title: "Dossier manifest",
  description:
    "dossier.json of a dossier, version 1.0.0; docs/spec/dossiers.md has the rules that no schema can say"
})
export type DossierManifest = typeof DossierManifest.Type

/** The streams that a choice names, in the order in which a manifest lists them. */
export const streamsOfChoice = ({ run_id, tasks }: DossierChoice): ReadonlyArray<string> => [
  ...(run_id === null ? [] : [runStream(run_id)]),
  ...tasks.map(taskStream)
]

/** The hash over everything that a manifest says. */
export const rootHashOf = (sha256: Sha256, manifest: object): string =>
  sha256(jcsText(Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== "root_hash"))))

/** The one text of a manifest. */
export const manifestText = (manifest: object): string => `${jcsText(manifest)}\n`

/** The folder of a job's bundle. */
export const bundleFolder = (jobId: string): string => `${BUNDLES_FOLDER}/${jobId}`
