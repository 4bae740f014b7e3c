// The bytes of the disposable Merkle file: a header of four 32-byte fields, then every full subtree's hash in the order
// in which leaves complete them, so that the file only ever grows at its end and any node is found by arithmetic. The
// bytes are a function of the events alone: two processes that write the same part write the same bytes.
import { bytesEqual, joinBytes, type Sha256Bytes, utf8Bytes } from "../../../domain/canonical/bytes.ts"
import { type Hash, HASH_BYTES } from "../../../domain/evidence/merkle-tree.ts"

/** What the header says of the tree that follows it. */
export interface MerkleHeader {
  /** Leaves in the tree; nodes beyond them may follow and mean nothing. */
  readonly size: number
  readonly root: Hash
}

const MAGIC = utf8Bytes("cassette/merkle/1".padEnd(HASH_BYTES, "\n"))

/** Bytes before the first node: magic, size (8 bytes big-endian, 24 zeros), root, SHA-256 of these three. */
export const HEADER_BYTES = 4 * HASH_BYTES

const sizeField = (size: number): Uint8Array => {
  const field = new Uint8Array(HASH_BYTES)
  new DataView(field.buffer).setBigUint64(0, BigInt(size))
  return field
}

/** The header's bytes. */
export const formatHeader = (sha256: Sha256Bytes, { root, size }: MerkleHeader): Uint8Array => {
  const fields = joinBytes(MAGIC, sizeField(size), root)
  return joinBytes(fields, sha256(fields))
}

/** The header, or undefined when a single bit of it is not as it was written. */
export const parseHeader = (sha256: Sha256Bytes, bytes: Uint8Array): MerkleHeader | undefined => {
  if (bytes.length !== HEADER_BYTES) return undefined
  const field = (index: number) => bytes.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES)
  if (!bytesEqual(field(3), sha256(bytes.slice(0, 3 * HASH_BYTES)))) return undefined
  if (!bytesEqual(field(0), MAGIC)) return undefined
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(HASH_BYTES))
  return size >= 1 && Number.isSafeInteger(size) ? { size, root: field(2) } : undefined
}

/** The number of ones in the binary form of a whole number, beyond 32 bits too. */
const onesIn = (value: number): number => {
  let ones = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  return ones
}

/** How many nodes a tree of `size` leaves has in the file. */
export const nodeCount = (size: number): number => 2 * size - onesIn(size)

/** Where a node stands, in bytes from the beginning: behind all nodes that earlier leaves complete. */
export const nodeOffset = (level: number, index: number): number => {
  const lastLeaf = (index + 1) * 2 ** level - 1
  return HEADER_BYTES + (nodeCount(lastLeaf) + level) * HASH_BYTES
}

/** Where the nodes of a tree of `size` leaves end. */
export const endOffset = (size: number): number => HEADER_BYTES + nodeCount(size) * HASH_BYTES
