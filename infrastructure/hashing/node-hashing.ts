// SHA-256 from Node: the one-shot `crypto.hash`, which is the fastest for short texts, and a stream for long ones.
import { createHash, hash } from "node:crypto"
import * as Layer from "effect/Layer"
import { Hashing } from "../../application/foundation/hashing.ts"
import type { Sha256, Sha256Stream } from "../../domain/canonical/sha256.ts"
import { sha256OfBytes } from "./sha256.ts"

/** Lower-case hex SHA-256 of the text's UTF-8 bytes. */
export const sha256: Sha256 = (text) => hash("sha256", text, "hex")

/** A SHA-256 that is fed text by text. */
export const sha256Stream = (): Sha256Stream => {
  const state = createHash("sha256")
  return {
    update: (text) => {
      state.update(text, "utf8")
    },
    digest: () => state.digest("hex")
  }
}

/** Node's SHA-256 under the hashing port. */
export const nodeHashingLayer: Layer.Layer<Hashing> = Layer.succeed(Hashing, {
  sha256,
  sha256OfBytes,
  sha256Stream
})
