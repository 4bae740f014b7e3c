// `cortex dossier export`: the evidence of a run, of some of its jobs or of tasks, for people who have none. The ledger is opened for
// reading alone, and is loaded here and by no other command of dossiers unless it is named.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { DossierEvidence, ExportDossier } from "../../../application/dossiers/dossier-request.ts"
import type { ExportedDossier } from "../../../application/dossiers/export-dossier.ts"
import { InvalidKeyName } from "../../../domain/evidence/checkpoint-errors.ts"
import { isKeyName } from "../../../domain/evidence/signed-note.ts"
import { dossierFilesLayer } from "../../embedding/dossier-files.ts"
import { repeatedFlag, textFlag } from "../../shared/flags.ts"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { readEvidence } from "../cassette/evidence-files.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"

/** Flags that say who vouches for a dossier's events. */
export const signingFlags = {
  key: textFlag("key", "FILE", "the private key that signs a checkpoint of now").pipe(Flag.optional),
  name: textFlag(
    "name",
    "NAME",
    "the key's name in trust files (default: cassette/ and the ledger's id)"
  ).pipe(Flag.optional)
} as const

interface EvidenceFlags {
  readonly key: Option.Option<string>
  readonly name: Option.Option<string>
  readonly checkpoint: Option.Option<string>
}

/** The key that signs a checkpoint now, or the checkpoint that was signed before. */
const evidenceOf = Effect.fnUntraced(function* ({ checkpoint, key, name }: EvidenceFlags) {
  if (Option.isNone(key)) {
    const evidence: DossierEvidence = {
      checkpoint: yield* readEvidence(
        "--checkpoint",
        Option.getOrElse(checkpoint, () => "")
      )
    }
    return evidence
  }
  const keyName = Option.getOrUndefined(name)
  if (keyName !== undefined && !isKeyName(keyName)) return yield* new InvalidKeyName({ name: keyName })
  const { loadSigningKey } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
  const evidence: DossierEvidence = {
    key: yield* loadSigningKey(yield* absolutePath("--key", key.value)),
    keyName
  }
  return evidence
})

/** Exports from the ledger that the flags name to an absolute path. */
export const exportedDossier = Effect.fnUntraced(function* (
  request: ExportDossier,
  flags: EvidenceFlags,
  path: string
) {
  const evidence = yield* evidenceOf(flags)
  const { exportDossier } = yield* Effect.promise(
    () => import("../../../application/dossiers/export-dossier.ts")
  )
  return yield* withLedger("read", (ledger, _, checkpoints) =>
    Effect.andThen(warnAbout(ledger), exportDossier(ledger, checkpoints, request, evidence, path))
  ).pipe(Effect.provide(dossierFilesLayer), withProgress("exporting"))
})

/** What people read of a dossier that was made. */
export const exportedFields = (made: ExportedDossier): ReadonlyArray<readonly [string, string]> => [
  ["dossier", made.root_hash],
  ["path", made.created ? made.path : `${made.path} (it was there already, the same)`],
  ["ledger", made.ledger_id],
  ["checkpoint", `${made.size}  ${made.root}`],
  ...Object.entries(made.counts).map(([name, count]) => [name, String(count)] as const)
]

export const exportCommand = Command.make(
  "export",
  {
    runId: textFlag("run-id", "R", "the run").pipe(Flag.optional),
    job: repeatedFlag("job", "J", "only this job of the run", "all"),
    task: repeatedFlag("task", "T", "the thoughts of this task, too"),
    ...signingFlags,
    checkpoint: textFlag(
      "checkpoint",
      "FILE",
      "a checkpoint that was signed before, instead of a key: events up to it; - is standard input"
    ).pipe(Flag.optional),
    bundle: repeatedFlag("bundle", "DIR", "a bundle of a chosen job that rides along"),
    hashPayloads: switchFlag(
      "hash-payloads",
      "leave out payloads, receipts and contents of thoughts, and put their hashes in their place"
    ),
    tar: switchFlag("tar", "make one tar file instead of a folder"),
    out: textFlag("out", "PATH", "the folder or file to make; nothing is written over")
  },
  Effect.fnUntraced(function* ({ bundle, hashPayloads, job, out, runId, tar, task, ...flags }) {
    const path = yield* absolutePath("--out", out)
    const bundles = yield* Effect.forEach(bundle, (folder) => absolutePath("--bundle", folder))
    const request = {
      run_id: Option.getOrUndefined(runId),
      jobs: job.length === 0 ? undefined : job,
      tasks: task,
      bodies: hashPayloads ? "hashed" : "whole",
      bundles,
      packed: tar
    } as const
    const made = yield* exportedDossier(request, flags, path)
    yield* answer({ data: made, lines: () => fieldLines(exportedFields(made)) })
  })
).pipe(
  Command.validate(({ checkpoint, key, name, runId, task }) => {
    const refused = (message: string) => Effect.fail(new CliError.ValidationError({ message }))
    if (Option.isNone(runId) && task.length === 0)
      return refused("Missing required flag: --run-id, or --task")
    if (Option.isSome(key) === Option.isSome(checkpoint)) {
      return refused("Give --key, which signs a checkpoint of now, or --checkpoint, which was signed before")
    }
    return Option.isSome(name) && Option.isNone(key)
      ? refused("--name is the name of --key: give it too")
      : Effect.void
  }),
  Command.withDescription(
    "Make a dossier: the events of a run, of jobs or of tasks as the ledger has them, a proof for each against a signed checkpoint, and the thoughts. A receiver verifies it without the ledger. The same ledger and key give the same bytes."
  ),
  Command.withShortDescription("make the evidence of a run, of jobs or of tasks"),
  Command.withExamples([
    { command: "cortex dossier export --run-id r1 --key audit.pem --out out" },
    {
      command: "cortex dossier export --run-id r1 --task r1 --checkpoint monday.txt --out out.tar --tar",
      description: "as of a checkpoint, in one file"
    },
    {
      command: "cortex dossier export --run-id r1 --key audit.pem --out out --hash-payloads",
      description: "who did what when, without what it was about"
    }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
