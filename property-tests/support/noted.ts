// What an auditor keeps of a ledger, for properties that hold a later state against it: its head, and a signed
// checkpoint with the trust that it is judged by. The key is a new one in every process.

import { generateKeyPairSync, sign } from "node:crypto"
import * as Effect from "effect/Effect"
import { makeCheckpoint } from "../../application/ledger/proofs/checkpoint.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import type { TrustedPoint } from "../../domain/ledger/verification.ts"

const pair = generateKeyPairSync("ed25519")
const spki = pair.publicKey.export({ format: "der", type: "spki" })
const key = {
  publicKey: Uint8Array.from(spki.subarray(12)),
  sign: (message: Uint8Array) => Effect.sync(() => sign(null, message, pair.privateKey))
}

/** Trust in the key for one ledger's checkpoints. */
export const trustFor = (ledgerId: string): TrustFile => ({
  keys: [{ name: "k", public_key: spki.toString("base64"), scope: { ledgers: [ledgerId] }, enabled: true }]
})

export interface Noted {
  readonly point: TrustedPoint
  readonly note: string
}

/** What an auditor notes now. */
export const noted = Effect.gen(function* () {
  const { hash, position } = yield* (yield* Ledger).head
  return { point: { position, hash }, note: (yield* makeCheckpoint({ key, keyName: "k" })).note }
})
