// The disposable Merkle file as an open file: its header, its nodes, writing at an offset. A path that is a link, a
// folder or a device is not a tree and is never followed or written through. Nothing here judges content: a node that
// is not there reads as zeros, which no check of a proof passes.
import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Sha256Bytes } from "../../../domain/canonical/bytes.ts"
import { HASH_BYTES, type NodeAt } from "../../../domain/evidence/merkle-tree.ts"
import {
  endOffset,
  formatHeader,
  HEADER_BYTES,
  type MerkleHeader,
  nodeOffset,
  parseHeader
} from "./merkle-file-format.ts"
import { permissionsLike } from "../../files/file-access.ts"

/** Members are synchronous and throw Node's system errors. */
export interface MerkleFile {
  readonly writable: boolean
  /** The header as it stands, or undefined when it is not intact. */
  readonly header: () => MerkleHeader | undefined
  readonly nodeAt: NodeAt
  /** Writes the nodes that follow those of the first `size` leaves. */
  readonly appendNodes: (size: number, nodes: Uint8Array) => void
  /** Makes what was appended count. */
  readonly writeHeader: (header: MerkleHeader) => void
  readonly close: () => void
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

/** True for the codes that mean: not here, but perhaps elsewhere. */
export const isForbidden = (error: unknown): boolean =>
  ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_FS_EISDIR"].includes(codeOf(error))

const writeAll = (descriptor: number, bytes: Uint8Array, position: number): void => {
  let written = 0
  while (written < bytes.length) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
  }
}

const readAt = (descriptor: number, length: number, position: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, position + filled)
    if (count === 0) break
    filled += count
  }
  return bytes
}

const merkleFile = (sha256: Sha256Bytes, descriptor: number, writable: boolean): MerkleFile => ({
  writable,
  header: () => parseHeader(sha256, readAt(descriptor, HEADER_BYTES, 0)),
  nodeAt: (level, index) => readAt(descriptor, HASH_BYTES, nodeOffset(level, index)),
  appendNodes: (size, nodes) => writeAll(descriptor, nodes, endOffset(size)),
  writeHeader: (header) => writeAll(descriptor, formatHeader(sha256, header), 0),
  close: () => closeSync(descriptor)
})

// Without O_NONBLOCK the opening of a pipe would wait for its other end.
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK

const openRegular = (path: string, mode: number): number | undefined => {
  try {
    const descriptor = openSync(path, mode | SAFE)
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
    return undefined
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ELOOP" || code === "EISDIR" || code === "ENXIO") return undefined
    throw error
  }
}

/** Opens what is there, for reading alone when it cannot be written; undefined when it can be no tree. */
export const openMerkleFile = (sha256: Sha256Bytes, path: string): MerkleFile | undefined => {
  try {
    const descriptor = openRegular(path, constants.O_RDWR)
    return descriptor === undefined ? undefined : merkleFile(sha256, descriptor, true)
  } catch (error) {
    if (!isForbidden(error)) throw error
  }
  try {
    const descriptor = openRegular(path, constants.O_RDONLY)
    return descriptor === undefined ? undefined : merkleFile(sha256, descriptor, false)
  } catch (error) {
    if (!isForbidden(error)) throw error
    return undefined
  }
}

const create = (path: string, mode: number): number | undefined => {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | SAFE, mode)
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined
    throw error
  }
}

/**
 * Puts an empty file in the place of what is there. A program that has the old one open keeps it and disturbs no other; of two
 * that replace at once each gets a file of its own, and one of them stays. The tree is never more open than its ledger.
 */
export const replaceMerkleFile = (sha256: Sha256Bytes, path: string, ledgerFile: string): MerkleFile => {
  const { file } = permissionsLike(ledgerFile, dirname(path))
  for (;;) {
    rmSync(path, { force: true })
    const descriptor = create(path, file)
    if (descriptor !== undefined) return merkleFile(sha256, descriptor, true)
  }
}
