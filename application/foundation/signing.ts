// The port for checking signatures and for SHA-256 over bytes. Both are synchronous, since they are taken inside pure judgements.
// A private key never crosses this port as bytes: it is a value that can sign, an adapter may keep it anywhere, and signing may
// take its time, as with a key in another machine.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isSignedBy } from "../../domain/evidence/ed25519-form.ts"
import { SigningFailed } from "../../domain/evidence/checkpoint-errors.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import type { SignatureChecks } from "../../domain/evidence/trust.ts"

/** A private key that can sign, with its public half (32 bytes); it shows nothing else of itself. */
export interface SigningKey {
  readonly publicKey: Uint8Array
  /** The Ed25519 signature (64 bytes) over a message; a promise that is rejected is `SigningFailed`. */
  readonly sign: (message: Uint8Array) => Effect.Effect<Uint8Array, SigningFailed> | Promise<Uint8Array>
}

/** Port: Ed25519 verification of signatures. Keys that sign are given with a request, as `SigningKey`. */
export class Signing extends Context.Service<Signing, SignatureChecks>()(
  "cortex-cassette/application/Signing"
) {}

const wrongKey = (message: string) => invalidAt("/key", message)

const refused = (error: unknown) =>
  new SigningFailed({ reason: error instanceof Error ? error.message : String(error) })

/** What a key answers, which may be anything where the host's own code is not checked. */
const answerOf = (
  key: SigningKey,
  message: Uint8Array
): Effect.Effect<unknown, InvalidInput | SigningFailed> => {
  const signing: unknown = key.sign(message)
  if (Effect.isEffect(signing)) return signing as Effect.Effect<unknown, SigningFailed>
  return signing instanceof Promise
    ? Effect.tryPromise({ try: () => signing as Promise<unknown>, catch: refused })
    : Effect.fail(wrongKey("sign gives neither an Effect nor a promise"))
}

/**
 * The signature of a key over a message. A key may be the host's own: a signature that does not verify would pass for evidence
 * until the day it is needed, so it is refused here (`InvalidInput`).
 */
export const signatureOf = Effect.fnUntraced(function* (
  key: SigningKey,
  message: Uint8Array
): Effect.fn.Return<Uint8Array, InvalidInput | SigningFailed, Signing> {
  const { verify } = yield* Signing
  const signature = yield* answerOf(key, message)
  return signature instanceof Uint8Array && isSignedBy(verify, key.publicKey, message, signature)
    ? signature
    : yield* wrongKey("what it signs does not verify with its publicKey")
})
