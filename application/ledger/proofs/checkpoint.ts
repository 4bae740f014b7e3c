// Making and verifying checkpoints. Both read every event: a signature and a verdict rest on the events themselves,
// never on a cached tree. Nothing is signed for a history whose chain does not hold, and what a checkpoint says is
// looked at only after a trusted key has been found to have signed it.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexText, utf8Bytes } from "../../../domain/canonical/bytes.ts"
import {
  CheckpointOfAnotherLedger,
  type CheckpointUntrusted,
  HistoryRewritten,
  InvalidKeyName,
  type NotACheckpoint,
  type SigningFailed
} from "../../../domain/evidence/checkpoint-errors.ts"
import {
  type CheckpointBody,
  formatCheckpointBody,
  originOf,
  parseCheckpoint
} from "../../../domain/evidence/checkpoint.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { decodeEvent } from "../../../domain/ledger/events.ts"
import { emptyRoot, type Hash } from "../../../domain/evidence/merkle-tree.ts"
import { formatSignedNote, isKeyName, keyHash } from "../../../domain/evidence/signed-note.ts"
import { type TrustFile, trustedSigners } from "../../../domain/evidence/trust.ts"
import { decodeNote, decodeSigner } from "../verification/evidence-input.ts"
import { eventRoots } from "./event-roots.ts"
import type { Hashing } from "../../foundation/hashing.ts"
import { LedgerReader, type ReadError } from "../reading/ledger-reader.ts"
import { signatureOf, Signing, type SigningKey } from "../../foundation/signing.ts"
import { traced } from "../../foundation/telemetry.ts"

type Ports = LedgerReader | Hashing | Signing

/** The origin of the opened ledger's checkpoints, from its first event. */
export const ledgerOrigin: Effect.Effect<string, ReadError, LedgerReader> = LedgerReader.use((reader) =>
  Effect.flatMap(reader.events(0, 1), ([first]) => {
    const event = first === undefined ? undefined : Result.getOrUndefined(decodeEvent(first))
    return event?.type === "LedgerCreated"
      ? Effect.succeed(originOf(event.data.ledger_id))
      : Effect.fail(
          new StoreCorrupt({
            code: "EVENT_INVALID",
            where: "event 1",
            finding: "the first event does not say which ledger this is"
          })
        )
  })
)

/** Who signs; the key's name is `cassette/` and the ledger's id by default. */
export interface MakeCheckpointOptions {
  readonly key: SigningKey
  /** The key's name on the signature line and in trust files; by default the origin, `cassette/<ledger_id>`. */
  readonly keyName?: string | undefined
}

/** A checkpoint that was made: its note's text, and what it says. */
export interface MadeCheckpoint {
  readonly note: string
  readonly origin: string
  readonly size: number
  /** The root in hexadecimal. */
  readonly root: string
  readonly key_name: string
}

/** Signs the ledger as it is now: all events up to the newest. */
export const makeCheckpoint = traced("cassette.checkpoint.make")(function* (
  options: MakeCheckpointOptions
): Effect.fn.Return<MadeCheckpoint, InvalidInput | InvalidKeyName | SigningFailed | ReadError, Ports> {
  const { sha256 } = yield* Signing
  const { key, keyName } = yield* Effect.fromResult(decodeSigner(options))
  const origin = yield* ledgerOrigin
  const name = keyName ?? origin
  if (!isKeyName(name)) return yield* new InvalidKeyName({ name })
  const { position: size } = yield* (yield* LedgerReader).head
  const roots = yield* eventRoots(size, [size])
  if (roots.fault !== undefined) return yield* Effect.fail(roots.fault)
  const root = roots.at(size)
  if (root === undefined) {
    return yield* new StoreCorrupt({
      code: "HEAD_MISMATCH",
      where: "head",
      finding: `the head says position ${size}, there are fewer events`
    })
  }
  const text = formatCheckpointBody({ origin, size, root })
  const hash = keyHash(sha256, { name, publicKey: key.publicKey })
  const signature = yield* signatureOf(key, utf8Bytes(text))
  const note = formatSignedNote({ text, signatures: [{ name, keyHash: hash, signature }] })
  return { note, origin, size, root: hexText(root), key_name: name }
})

/** A checkpoint that its ledger bears out. */
export interface VerifiedCheckpoint {
  readonly origin: string
  readonly size: number
  readonly root: string
  /** The trusted keys that signed it. */
  readonly signers: ReadonlyArray<string>
  /** Events of the log now; those after `size` are not covered. */
  readonly log_size: number
}

export type CheckpointError =
  | InvalidInput
  | NotACheckpoint
  | CheckpointUntrusted
  | CheckpointOfAnotherLedger
  | HistoryRewritten

/** The checkpoint of a note that a trusted key has signed and that is of this origin (of any, when undefined). */
export const believedCheckpoint = Effect.fnUntraced(function* (
  note: string,
  trust: TrustFile,
  origin: string | undefined
): Effect.fn.Return<
  CheckpointBody & { readonly signers: ReadonlyArray<string> },
  NotACheckpoint | CheckpointUntrusted | CheckpointOfAnotherLedger,
  Signing
> {
  const checks = yield* Signing
  const checkpoint = yield* Effect.fromResult(parseCheckpoint(note))
  const signers = trustedSigners(checks, trust, checkpoint)
  // A neighbour's checkpoint by a key that is trusted for the neighbour alone, or for this ledger alone, is not a
  // forgery: it is the wrong file.
  const known = Result.isSuccess(signers) || signers.failure.reason === "key_out_of_scope"
  if (known && origin !== undefined && checkpoint.origin !== origin) {
    return yield* new CheckpointOfAnotherLedger({ expected: origin, actual: checkpoint.origin })
  }
  const { root, size } = checkpoint
  return { origin: checkpoint.origin, size, root, signers: yield* Effect.fromResult(signers) }
})

/** What contradicts a checkpoint whose root over `logSize` events was computed, or undefined. */
export const rewriteFault = (
  { origin, root, size }: CheckpointBody,
  logSize: number,
  actual: Hash | undefined
): HistoryRewritten | undefined => {
  const actualRoot = actual === undefined ? null : hexText(actual)
  if (actualRoot === hexText(root)) return undefined
  return new HistoryRewritten({
    origin,
    reason: size > logSize ? "cut" : "root_differs",
    size,
    root: hexText(root),
    other_size: logSize,
    other_root: actualRoot
  })
}

/** Holds a signed checkpoint against the ledger: trust, then origin, then the root of its size over the events. */
export const verifyCheckpoint = traced("cassette.checkpoint.verify")(function* (
  text: string,
  whom: TrustFile
): Effect.fn.Return<VerifiedCheckpoint, CheckpointError | ReadError, Ports> {
  const { sha256 } = yield* Signing
  const { note, trust } = yield* Effect.fromResult(decodeNote({ note: text, trust: whom }))
  const checkpoint = yield* believedCheckpoint(note, trust, yield* ledgerOrigin)
  const { origin, root, signers, size } = checkpoint
  const { position: logSize } = yield* (yield* LedgerReader).head
  const roots = yield* eventRoots(Math.min(size, logSize), [size])
  const rewritten = rewriteFault(checkpoint, logSize, size === 0 ? emptyRoot(sha256) : roots.at(size))
  if (rewritten !== undefined) return yield* rewritten
  // The root binds hashes; only a chain that holds binds the events to them.
  if (roots.fault !== undefined) return yield* Effect.fail(roots.fault)
  return { origin, size, root: hexText(root), signers, log_size: logSize }
})
