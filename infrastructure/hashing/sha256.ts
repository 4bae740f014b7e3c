// SHA-256 from Node, one-shot: `crypto.hash` is the fastest for short texts. It stands apart from the hashing port, so
// that a process which needs nothing else loads nothing else.
import { createHash, hash } from "node:crypto"
import type { Sha256Bytes } from "../../domain/canonical/bytes.ts"
import type { Sha256, Sha256OfBytes } from "../../domain/canonical/sha256.ts"

/** Lower-case hex SHA-256 of the text's UTF-8 bytes. */
export const sha256: Sha256 = (text) => hash("sha256", text, "hex")

/** Lower-case hex SHA-256 of bytes. */
export const sha256OfBytes: Sha256OfBytes = (bytes) => hash("sha256", bytes, "hex")

/** SHA-256 of bytes. */
export const sha256Bytes: Sha256Bytes = (bytes) => createHash("sha256").update(bytes).digest()
