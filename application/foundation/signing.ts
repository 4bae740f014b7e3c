// The port for signatures and for SHA-256 over bytes. Both are synchronous, since they are taken inside pure judgements.
// A private key never crosses this port as bytes: it is a value that can sign, and an adapter may keep it anywhere.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isSignedBy } from "../../domain/evidence/ed25519-form.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import type { SignatureChecks } from "../../domain/evidence/trust.ts"

/** A private key that can sign, with its public half (32 bytes); it shows nothing else of itself. */
export interface SigningKey {
  readonly publicKey: Uint8Array
  /** The Ed25519 signature (64 bytes) over a message. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

export class Signing extends Context.Service<Signing, SignatureChecks>()(
  "cortex-cassette/application/Signing"
) {}

const wrongKey = new InvalidInput({
  message: "/key: what it signs does not verify with its publicKey",
  issues: [{ path: "/key", message: "what it signs does not verify with its publicKey" }]
})

/**
 * The signature of a key over a message. A key may be the host's own: a signature that does not verify would pass for evidence
 * until the day it is needed, so it is refused here (`InvalidInput`).
 */
export const signatureOf = Effect.fnUntraced(function* (
  key: SigningKey,
  message: Uint8Array
): Effect.fn.Return<Uint8Array, InvalidInput, Signing> {
  const { verify } = yield* Signing
  const signature = key.sign(message)
  return isSignedBy(verify, key.publicKey, message, signature) ? signature : yield* wrongKey
})
