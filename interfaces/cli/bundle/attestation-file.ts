// Where a bundle's attestation lies and how it is read: beside the bundle under the bundle's name, unless a flag says
// otherwise. A file that was not named may be missing; one that was named may not.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { MAX_ATTESTATION_BYTES } from "../../../domain/bundles/attestation.ts"
import { folderOfBundle } from "../../embedding/bundle-files.ts"
import { readBytes } from "../json-file.ts"

/** The attestation's file for a bundle at an absolute path. */
export const attestationBeside = (path: string): string => `${folderOfBundle(path)}.dsse.json`

const bound = {
  limit: MAX_ATTESTATION_BYTES,
  tooLarge: `the file is over ${MAX_ATTESTATION_BYTES} bytes: no attestation is`
}

/** The envelope's bytes: of the file that was named, or of the one beside the bundle when there is one. */
export const readAttestation = Effect.fnUntraced(function* (path: string, named: Option.Option<string>) {
  const file = Option.getOrElse(named, () => attestationBeside(path))
  if (Option.isNone(named) && !existsSync(file)) return undefined
  return (yield* readBytes("--attestation", file, bound)).bytes
})
