// SHA-256 from Node: the one-shot `crypto.hash`, which is the fastest for short texts, and a stream for long ones.
import { createHash, hash } from "node:crypto"
import * as Layer from "effect/Layer"
import { Hashing } from "../../application/foundation/hashing.ts"
import type { Sha256, Sha256Stream } from "../../domain/canonical/sha256.ts"
import { sha256OfBytes } from "./sha256.ts"

/** Lower-case hex SHA-256 of the text's UTF-8 bytes. */
export const sha256: Sha256 = (text) => hash("sha256", text, "hex")

/** How much text is held until it is hashed at once (UTF-16 units): each call of Node's stream costs as much as hashing 1 KiB. */
const HELD_UNITS = 65_536

/** A SHA-256 that is fed text by text. */
export const sha256Stream = (): Sha256Stream => {
  const state = createHash("sha256")
  let held = ""
  return {
    update: (text) => {
      held += text
      if (held.length < HELD_UNITS) return
      state.update(held, "utf8")
      held = ""
    },
    digest: () => state.update(held, "utf8").digest("hex")
  }
}

/** Node's SHA-256 under the hashing port. */
export const nodeHashingLayer: Layer.Layer<Hashing> = Layer.succeed(Hashing, {
  sha256,
  sha256OfBytes,
  sha256Stream
})
