// The lines of an append-only file, read in order from any place, and the one way of adding a line. A line is what ends
// in LF; what follows the last LF is a torn line, or one that is being written right now. Members are synchronous and
// throw Node's system errors; nothing here judges what a line says.
import { constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"

/** Bytes that are read at a time; more when a line is longer. */
const CHUNK_BYTES = 1_048_576

const LF = 0x0a

// A link is not followed, and the opening of a pipe does not wait for its other end.
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens the file for reading and, if wanted, adding lines, creating it when it is missing. */
export const openLines = (file: string, access: "read" | "append"): number =>
  openSync(
    file,
    (access === "read" ? constants.O_RDONLY : constants.O_RDWR | constants.O_CREAT) | SAFE,
    0o666
  )

export const sizeOf = (descriptor: number): number => fstatSync(descriptor).size

/** The bytes of one line, or fewer when the file ends before. */
export const readRange = (descriptor: number, offset: number, length: number): Uint8Array => {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, offset + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

export interface Line {
  /** Where the line begins in the file. */
  readonly offset: number
  /** Without its LF; only good until the next line is asked for. */
  readonly bytes: Uint8Array
  /** False for what follows the last LF. */
  readonly ended: boolean
}

/**
 * Every line from `offset` to the end of the file, or to `end` where the lines are a part of one; a line longer than
 * `maxBytes` is given as far as it was read.
 */
export function* linesFrom(
  descriptor: number,
  offset: number,
  maxBytes: number,
  end = Number.POSITIVE_INFINITY
): Generator<Line> {
  let at = offset
  let rest: Uint8Array = new Uint8Array(0)
  for (;;) {
    // Reading as much again as is left keeps the work linear however long a line is.
    const from = at + rest.length
    const chunk = readRange(descriptor, from, Math.min(Math.max(CHUNK_BYTES, rest.length), end - from))
    if (chunk.length === 0) break
    let searched = rest.length
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let feed = rest.indexOf(LF, searched); feed !== -1; feed = rest.indexOf(LF, searched)) {
      yield { offset: at, bytes: rest.subarray(0, feed), ended: true }
      at += feed + 1
      rest = rest.subarray(feed + 1)
      searched = 0
    }
    if (rest.length > maxBytes) break
  }
  if (rest.length > 0) yield { offset: at, bytes: rest, ended: false }
}

/** Adds one line at `size`, the end of the file, and makes it durable; when it cannot, the file is as before. */
export const appendLine = (descriptor: number, size: number, line: string): void => {
  const bytes = Buffer.from(`${line}\n`, "utf8")
  try {
    let written = 0
    while (written < bytes.length) {
      written += writeSync(descriptor, bytes, written, bytes.length - written, size + written)
    }
    fsyncSync(descriptor)
  } catch (error) {
    ftruncateSync(descriptor, size)
    throw error
  }
}

/** Where the last line ends, and a torn one begins. */
export const lastLineEnd = (descriptor: number, size: number): number => {
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const at = readRange(descriptor, start, end - start).lastIndexOf(LF)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

/** Cuts the file off at `size`, durably. */
export const cutAt = (descriptor: number, size: number): void => {
  ftruncateSync(descriptor, size)
  fsyncSync(descriptor)
}
