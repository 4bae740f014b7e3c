// Dossiers as tools: the evidence of a run, exported and verified. An agent signs nothing: what it exports is proven against a
// checkpoint that the ledger's owner has signed. A dossier that does not verify is a report, since the tool did its work.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DEFAULT_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { DossierReport } from "../../../domain/dossiers/finding.ts"
import { DossierChoice, DossierStream } from "../../../domain/dossiers/manifest.ts"
import { LedgerAccess } from "../ledger-access.ts"
import { pathInRoot } from "../root-folder.ts"
import { agentTool, type AgentTool, argument, reads, textArgument } from "./tool.ts"

const dossierExport = agentTool({
  name: "dossier_export",
  title: "Export a dossier",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "Make the evidence of a run as a folder: its events, a proof for each against a checkpoint that the ledger's owner signed, and thoughts. Use it to hand over what happened to a person without the ledger. Nothing is written over.",
  hints: { readOnly: false, destructive: false, idempotent: true },
  input: {
    run_id: argument(Identifier, "the run", "run-2026-11-28"),
    tasks: Schema.optionalKey(
      Schema.Array(Identifier).annotate({ description: "tasks whose thoughts go along" })
    ),
    checkpoint: textArgument("the signed checkpoint, a file inside the root; events up to it", "monday.txt"),
    out: textArgument("the folder to make, inside the root", "evidence"),
    hash_payloads: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "leave out payloads, receipts and contents, and put hashes there"
      })
    )
  },
  data: Schema.Struct({
    path: Schema.String,
    created: Schema.Boolean,
    ledger_id: Schema.String,
    choice: DossierChoice,
    size: Schema.Int,
    root: Schema.String,
    root_hash: Schema.String,
    streams: Schema.Array(DossierStream),
    counts: Schema.Struct({ events: Schema.Int, thoughts: Schema.Int, bundles: Schema.Int })
  }),
  run: ({ checkpoint: file, hash_payloads, out, run_id, tasks }) =>
    Effect.gen(function* () {
      const path = yield* pathInRoot("out", out)
      const note = yield* pathInRoot("checkpoint", file)
      const { checkpoints, ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      const { loadNote } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
      const { exportDossier } = yield* Effect.promise(
        () => import("../../../application/dossiers/export-dossier.ts")
      )
      const { dossierFilesLayer } = yield* Effect.promise(() => import("../../embedding/dossier-files.ts"))
      const bodies = hash_payloads === true ? "hashed" : "whole"
      const evidence = { checkpoint: yield* loadNote(note) }
      return yield* exportDossier(ledger, checkpoints, { run_id, tasks, bodies }, evidence, path).pipe(
        Effect.provide(dossierFilesLayer)
      )
    })
})

const dossierVerify = agentTool({
  name: "dossier_verify",
  title: "Verify a dossier",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "Check a dossier from its own bytes and a trust file: every hash, every proof, the order of events. With compare each event is held against the open ledger too, which finds what was left out. FAIL and INVALID are reports, not errors.",
  hints: reads,
  input: {
    path: textArgument("the dossier inside the root: a folder, or a packed one", "evidence"),
    trust: textArgument("the trust file inside the root", "trust.json"),
    compare: Schema.optionalKey(Schema.Boolean.annotate({ description: "compare with the open ledger" }))
  },
  data: DossierReport,
  run: ({ compare, path, trust: file }) =>
    Effect.gen(function* () {
      const inside = yield* pathInRoot("path", path)
      const trustFile = yield* pathInRoot("trust", file)
      const { loadTrustFile } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
      const { verifyDossier, verifyDossierWith } = yield* Effect.promise(
        () => import("../../../application/dossiers/verify-dossier.ts")
      )
      const { dossierFilesLayer } = yield* Effect.promise(() => import("../../embedding/dossier-files.ts"))
      const trust = yield* loadTrustFile(trustFile)
      if (compare !== true) {
        return (yield* Effect.provide(verifyDossier(inside, { trust }), dossierFilesLayer)).report
      }
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return (yield* Effect.provide(verifyDossierWith(ledger, inside, { trust }), dossierFilesLayer)).report
    })
})

/** The tools of dossiers in the order in which they are listed. */
export const dossierTools: ReadonlyArray<AgentTool> = [dossierExport, dossierVerify]
