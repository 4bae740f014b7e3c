// The Merkle root over the records of a cassette. It stands apart from the other names of content, so that a process
// that only reads cassettes need not load what writes canonical JSON.
import { bytesOfHex, hexText, type Sha256Bytes } from "../canonical/bytes.ts"
import { MerkleFrontier } from "../evidence/merkle-frontier.ts"
import { leafHash } from "../evidence/merkle-tree.ts"
import { byText } from "./text-order.ts"

/** The Merkle root (RFC 6962) over record hashes in binary order, 64 hexadecimal digits. */
export const recordsRoot = (sha256Bytes: Sha256Bytes, hashes: ReadonlyArray<string>): string => {
  const tree = new MerkleFrontier(sha256Bytes)
  for (const hash of hashes.toSorted(byText)) {
    tree.append(leafHash(sha256Bytes, bytesOfHex(hash) ?? new Uint8Array(0)))
  }
  return hexText(tree.root())
}
