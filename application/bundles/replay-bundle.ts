// Replays a bundle: runs its steps with nothing but the bundle, twice, and gives the receipt when both runs say the
// same. A step that reads gives the hash and the length of what it reads.
import * as Effect from "effect/Effect"
import { BundleChanged, Different } from "../../domain/bundles/errors.ts"
import type { Manifest } from "../../domain/bundles/manifest.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import {
  firstDifference,
  type ReadArtifact,
  type ReplayReceipt,
  replayReceipt
} from "../../domain/bundles/replay.ts"
import { Hashing } from "../foundation/hashing.ts"
import { BundleSource } from "./bundle-source.ts"
import { soundBundle, type UnsoundBundle } from "./sound-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** Reads every artifact once, in order. */
const readArtifacts = Effect.fnUntraced(function* (path: string, manifest: Manifest) {
  const opened = yield* BundleSource.use((source) => source.open(path))
  const read: Array<ReadArtifact> = []
  for (const { artifact_id, bytes, path: name } of manifest.artifacts) {
    const facts = yield* Effect.mapError(
      opened.artifact(name, bytes),
      ({ message }) => new BundleChanged({ path: name, reason: message })
    )
    read.push({ artifact_id, sha256: facts.sha256, bytes: facts.bytes })
  }
  return read
})

/** The receipt of a replay of the bundle at an absolute path, chained to the one before it. */
export const replayBundle = traced("cassette.bundle.replay")(function* (
  path: string,
  parent?: ReplayReceipt
): Effect.fn.Return<
  ReplayReceipt,
  BundleChanged | Different | FileUnreadable | UnsoundBundle,
  BundleSource | Hashing
> {
  const { sha256 } = yield* Hashing
  const { manifest } = yield* soundBundle(path)
  const run = Effect.map(readArtifacts(path, manifest), (read) =>
    replayReceipt(sha256, manifest, read, parent?.receipt_hash ?? null)
  )
  const [first, second] = [yield* run, yield* run]
  const difference = firstDifference(first, second)
  return difference === undefined
    ? first
    : yield* Effect.fail(new Different({ verdict: "DIFFERENT", differences: [difference] }))
})
