// The port for signatures and for SHA-256 over bytes. Both are synchronous, since they are taken inside pure judgements.
// A private key never crosses this port as bytes: it is a value that can sign, and an adapter may keep it anywhere.
import * as Context from "effect/Context"
import type { SignatureChecks } from "../../domain/ledger/trust.ts"

/** A private key that can sign, with its public half (32 bytes); it shows nothing else of itself. */
export interface SigningKey {
  readonly publicKey: Uint8Array
  /** The Ed25519 signature (64 bytes) over a message. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

export class Signing extends Context.Service<Signing, SignatureChecks>()(
  "cortex-cassette/application/Signing"
) {}
