// What is asked for when a dossier is made, and the choice that its manifest will say.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { sortedUnique } from "../../domain/bundles/manifest.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import { MAX_CHOSEN } from "../../domain/dossiers/limits.ts"
import { DossierBodies, type DossierChoice } from "../../domain/dossiers/manifest.ts"
import { invalidAt } from "../../domain/foundation/errors.ts"
import { decodeInput } from "../foundation/input.ts"
import type { SigningKey } from "../foundation/signing.ts"

/** Who vouches for the events: a key that signs a checkpoint of now, or a checkpoint that was signed before. */
export type DossierEvidence =
  | { readonly key: SigningKey; readonly keyName?: string | undefined }
  | { readonly checkpoint: string }

const Ids = Schema.Array(Identifier).check(Schema.isMaxLength(MAX_CHOSEN))

/** What is to be exported: a run, whole or some of its jobs, or tasks, or both. */
export const ExportDossier = Schema.Struct({
  run_id: Schema.optional(Identifier),
  /** Only these jobs of the run; by default the whole run. */
  jobs: Schema.optional(Ids),
  /** Tasks whose thoughts go along. */
  tasks: Schema.optional(Ids),
  /** `hashed` leaves out payloads, receipts and contents of thoughts, and puts their hashes in their place. */
  bodies: Schema.optional(DossierBodies),
  /** Absolute paths of bundles of chosen jobs that ride along. */
  bundles: Schema.optional(Schema.Array(Schema.String).check(Schema.isMaxLength(MAX_CHOSEN))),
  /** One tar file instead of a folder. */
  packed: Schema.optional(Schema.Boolean)
})

export type ExportDossier = typeof ExportDossier.Type

const refused = (path: string, message: string) => Result.fail(invalidAt(path, message))

/** A request as the manifest says it. */
const prepared = (request: ExportDossier) => {
  const { bodies = "whole", bundles = [], jobs, packed = false, run_id, tasks = [] } = request
  if (run_id === undefined && tasks.length === 0) return refused("/run_id", "name a run, or a task")
  if (jobs !== undefined && run_id === undefined) return refused("/jobs", "name their run, too")
  if (jobs?.length === 0) return refused("/jobs", "name a job, or leave them out for the whole run")
  if (bodies === "hashed" && bundles.length > 0) {
    return refused("/bundles", "a bundle shows what was read: it cannot ride where bodies are left out")
  }
  const choice: DossierChoice = {
    run_id: run_id ?? null,
    jobs: jobs === undefined ? null : sortedUnique(jobs),
    tasks: sortedUnique(tasks)
  }
  return Result.succeed({ choice, bodies, bundles, packed })
}

/** A request, decoded strictly. */
export const decodeRequest = decodeInput(ExportDossier, prepared)
