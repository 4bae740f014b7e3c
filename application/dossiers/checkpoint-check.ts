// The checkpoint of a dossier: its form, what the manifest says of it, and whether a trusted key has signed it for this ledger.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexText, textOfUtf8 } from "../../domain/canonical/bytes.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import { MAX_CHECKPOINT_BYTES } from "../../domain/dossiers/limits.ts"
import { CHECKPOINT_NAME, type DossierManifest } from "../../domain/dossiers/manifest.ts"
import { type Checkpoint, originOf, parseCheckpoint } from "../../domain/evidence/checkpoint.ts"
import { type TrustFile, trustedSigners } from "../../domain/evidence/trust.ts"
import { Signing } from "../foundation/signing.ts"
import type { OpenedDossier } from "./dossier-files.ts"
import { checkHash, fileOf, tellFault } from "./file-check.ts"

/** A checkpoint that could be read, and the trusted keys that signed it. */
export interface JudgedCheckpoint {
  readonly checkpoint: Checkpoint
  readonly signers: ReadonlyArray<string>
}

const parsedNote = (bytes: Uint8Array): Result.Result<Checkpoint, string> => {
  const text = Result.try({ try: () => textOfUtf8(bytes), catch: () => "it is not UTF-8" })
  return Result.flatMap(text, (note) => Result.mapError(parseCheckpoint(note), ({ message }) => message))
}

/** Reads and judges `checkpoint.txt`; undefined when nothing can be held against it. */
export const checkCheckpoint = Effect.fnUntraced(function* (
  list: DossierFindings,
  opened: OpenedDossier,
  manifest: DossierManifest,
  trust: TrustFile | undefined
): Effect.fn.Return<JudgedCheckpoint | undefined, never, Signing> {
  const checks = yield* Signing
  const read = yield* Effect.result(opened.file(CHECKPOINT_NAME, MAX_CHECKPOINT_BYTES))
  if (Result.isFailure(read)) {
    tellFault(list, CHECKPOINT_NAME, read.failure)
    return undefined
  }
  const { bytes } = fileOf(manifest, CHECKPOINT_NAME)
  if (read.success.length !== bytes) {
    list.add(
      "SIZE_MISMATCH",
      CHECKPOINT_NAME,
      `it has ${read.success.length} bytes, the manifest says ${bytes}`
    )
  }
  checkHash(list, manifest, CHECKPOINT_NAME, hexText(checks.sha256(read.success)))
  const parsed = parsedNote(read.success)
  if (Result.isFailure(parsed)) {
    list.add("CHECKPOINT_INVALID", CHECKPOINT_NAME, parsed.failure)
    return undefined
  }
  const checkpoint = parsed.success
  const { origin, root, size } = checkpoint
  const said = manifest.checkpoint
  if (origin !== originOf(manifest.ledger_id) || size !== said.size || hexText(root) !== said.root) {
    const text = `it is of ${origin}, ${size} events and root ${hexText(root)}`
    list.add("CHECKPOINT_DIFFERS", CHECKPOINT_NAME, `${text}, which the manifest does not say`)
  }
  if (trust === undefined) return { checkpoint, signers: [] }
  const signers = trustedSigners(checks, trust, checkpoint)
  if (Result.isFailure(signers)) list.add("CHECKPOINT_UNTRUSTED", CHECKPOINT_NAME, signers.failure.message)
  return { checkpoint, signers: Result.getOrElse(signers, () => []) }
})
