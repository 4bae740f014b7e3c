// The entry point for Cloudflare's Durable Objects: a ledger in each. It imports nothing but `node:crypto` and `cloudflare:workers`.
export { LedgerObject, type LedgerStatus } from "./ledger-object.ts"
export type { Outcome } from "./outcome.ts"
export { signingKeyFromPem } from "./signing-key.ts"
export type { SigningKey } from "../../application/foundation/signing.ts"
export type { MadeCheckpoint } from "../../application/ledger/proofs/checkpoint.ts"
