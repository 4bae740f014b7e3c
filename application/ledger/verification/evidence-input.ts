// What callers pass to verification, checkpoints and proofs, decoded strictly before anything is judged. Here a value
// that is passed over would make a verdict say more than was checked: a misspelt option, a rung that is none, a key that
// is "enabled" by a text. Nothing is guessed or repaired, and only the decoded copy is used afterwards.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Identifier } from "../../../domain/canonical/text.ts"
import { Timestamp } from "../../../domain/canonical/timestamp.ts"
import { isPublicKey, PUBLIC_KEY_BYTES } from "../../../domain/evidence/ed25519-form.ts"
import { TrustFile } from "../../../domain/evidence/trust.ts"
import { TrustedPoint } from "../../../domain/ledger/verification.ts"
import { decodeInput } from "../../foundation/input.ts"
import type { SigningKey } from "../../foundation/signing.ts"

/** The rungs in the order in which they are climbed. */
export const ALL_RUNGS = ["structure", "chain", "events", "thoughts", "projections", "steps"] as const
/** A part of a verification, named in `rungs` of its report. */
export type Rung = (typeof ALL_RUNGS)[number]

/** The rungs that a verification of one run climbs unless others are named: thoughts belong to no run. */
export const RUN_RUNGS: ReadonlyArray<Rung> = ALL_RUNGS.filter((rung) => rung !== "thoughts")

const Note = Schema.Struct({ note: Schema.String, trust: TrustFile })

const Verification = Schema.Struct({
  runId: Schema.optional(Identifier),
  now: Schema.optional(Timestamp),
  pure: Schema.optional(Schema.Boolean),
  rungs: Schema.optional(
    Schema.Array(Schema.Literals(ALL_RUNGS)).check(Schema.isNonEmpty({ expected: "at least one rung" }))
  ),
  since: Schema.optional(TrustedPoint),
  expectHead: Schema.optional(TrustedPoint),
  checkpoint: Schema.optional(Note)
})

/** What one verification climbs, as `verify` takes it. */
export const decodeVerification = decodeInput(Verification, Result.succeed)

/** A note and whom to believe. */
export const decodeNote = decodeInput(Note, Result.succeed)

/** A proof and the notes that it is about. */
export const decodeVerifyProof = decodeInput(
  Schema.Struct({ proof: Schema.String, checkpoints: Schema.Array(Schema.String), trust: TrustFile }),
  Result.succeed
)

// The sizes' ranges follow from the log and are judged there.
const Size = Schema.optional(Schema.Number)
const OptionalNote = Schema.optional(Schema.String)

/** Which event is to be shown in which tree. */
export const decodeInclusion = decodeInput(
  Schema.Struct({ position: Schema.Number, size: Size, checkpoint: OptionalNote }),
  Result.succeed
)

/** Which events are to be shown in the tree of a checkpoint. */
export const decodeInclusions = decodeInput(
  Schema.Struct({
    events: Schema.Array(Schema.Struct({ position: Schema.Number, hash: Schema.String })),
    checkpoint: Schema.String
  }),
  Result.succeed
)

/** Which trees are to be shown to be of one history. */
export const decodeConsistency = decodeInput(
  Schema.Struct({ from: Size, to: Size, oldCheckpoint: OptionalNote, checkpoint: OptionalNote }),
  Result.succeed
)

// A key may be an object of the host's own class: what else it holds is its own affair.
const isSigningKey = (value: unknown): value is SigningKey =>
  typeof value === "object" &&
  value !== null &&
  "publicKey" in value &&
  value.publicKey instanceof Uint8Array &&
  isPublicKey(value.publicKey) &&
  "sign" in value &&
  typeof value.sign === "function"

/** With which key, under which name, to sign. */
export const decodeSigner = decodeInput(
  Schema.Struct({
    key: Schema.declare(isSigningKey, {
      expected: `a key: sign, and publicKey, the ${PUBLIC_KEY_BYTES} bytes of an Ed25519 point that is not of small order`
    }),
    keyName: Schema.optional(Schema.String)
  }),
  Result.succeed
)
