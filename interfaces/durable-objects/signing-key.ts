// The signing key of an object, from a secret of its environment.
import * as Result from "effect/Result"
import type { SigningKey } from "../../application/foundation/signing.ts"
import { SigningFailed } from "../../domain/evidence/checkpoint-errors.ts"
import { signingKeyOfPem } from "../../infrastructure/keys/ed25519.ts"

/** The Ed25519 key that a text holds as `cortex key generate` writes it (PKCS#8 PEM); throws `SigningFailed` for any other. */
export const signingKeyFromPem = (pem: string): SigningKey => {
  const key = typeof pem === "string" ? signingKeyOfPem(pem) : Result.fail("there is none")
  if (Result.isFailure(key)) throw new SigningFailed({ reason: `the secret is no key: ${key.failure}` })
  return key.success
}
