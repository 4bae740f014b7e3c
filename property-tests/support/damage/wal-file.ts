// A write-ahead log of SQLite as bytes, read from its format description alone: a header of 32 bytes, then frames of
// a header of 24 bytes and one page, each under the running checksum. It says how much of a log is whole, so that what
// SQLite recovers can be foretold; it shares nothing with SQLite.

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The magic numbers: the last bit says whether checksums read words of 32 bits from the big end. */
const MAGIC = 0x377f0682

/** One frame that is whole. */
export interface Frame {
  /** Where it ends in the file. */
  readonly end: number
  /** The last frame of a transaction. */
  readonly commits: boolean
}

type Sum = readonly [number, number]

const checksum = (bytes: Buffer, bigEndian: boolean, [first, second]: Sum): Sum => {
  let [a, b] = [first, second]
  const word = (at: number) => (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + word(at) + b) >>> 0
    b = (b + word(at + 4) + a) >>> 0
  }
  return [a, b]
}

const sumAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]

const isSame = (left: Sum, right: Sum): boolean => left[0] === right[0] && left[1] === right[1]

/** The frames of a log up to the first that is not whole; none when the header is not. */
export const framesOf = (wal: Buffer): ReadonlyArray<Frame> => {
  if (wal.length < HEADER_BYTES) return []
  const magic = wal.readUInt32BE(0)
  if ((magic & ~1) >>> 0 !== MAGIC) return []
  const bigEndian = (magic & 1) === 1
  let sum = checksum(wal.subarray(0, 24), bigEndian, [0, 0])
  if (!isSame(sum, sumAt(wal, 24))) return []
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  const frames: Array<Frame> = []
  for (let at = HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    const header = wal.subarray(at, at + FRAME_HEADER_BYTES)
    if (!header.subarray(8, 16).equals(salt)) break
    sum = checksum(header.subarray(0, 8), bigEndian, sum)
    sum = checksum(wal.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), bigEndian, sum)
    if (!isSame(sum, sumAt(header, 16))) break
    frames.push({ end: at + frameBytes, commits: header.readUInt32BE(4) !== 0 })
  }
  return frames
}

/** Where the last transaction ends that is whole; 0 when none is. */
export const lastCommitEnd = (wal: Buffer): number =>
  framesOf(wal).findLast(({ commits }) => commits)?.end ?? 0

const putSum = (bytes: Buffer, at: number, [first, second]: Sum): Sum => {
  bytes.writeUInt32BE(first, at)
  bytes.writeUInt32BE(second, at + 4)
  return [first, second]
}

/** The whole frames of a log under a salt of this byte, where SQLite takes a random one each time. */
export const withSalt = (wal: Buffer, salt: number): Buffer => {
  const log = Buffer.from(wal.subarray(0, framesOf(wal).at(-1)?.end ?? 0))
  if (log.length === 0) return log
  const bigEndian = (log.readUInt32BE(0) & 1) === 1
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8)
  log.fill(salt, 16, 24)
  let sum = putSum(log, 24, checksum(log.subarray(0, 24), bigEndian, [0, 0]))
  for (let at = HEADER_BYTES; at < log.length; at += frameBytes) {
    log.fill(salt, at + 8, at + 16)
    sum = checksum(log.subarray(at, at + 8), bigEndian, sum)
    sum = checksum(log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), bigEndian, sum)
    putSum(log, at + 16, sum)
  }
  return log
}
