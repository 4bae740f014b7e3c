// The paths of git's index file (gitformat-index(5)), versions 2 to 4: what a repository tracks. A path is a string with one
// unit for each byte, as git keeps it. An index in another form names nothing.

const HEADER_BYTES = 12
/** The times, numbers and sizes of a file, which stand before the hash. */
const STAT_BYTES = 40
const EXTENDED = 0x40_00

/** How many bytes of the path before are left out at its end (version 4), and where the number ends. */
const omitted = (bytes: Buffer, start: number): readonly [count: number, end: number] => {
  let at = start
  let byte = bytes.readUInt8(at++)
  let count = byte & 127
  while (byte > 127) {
    byte = bytes.readUInt8(at++)
    count = (count + 1) * 128 + (byte & 127)
  }
  return [count, at]
}

/** True for an index that holds all of its entries: one that is split keeps most of them elsewhere. */
const isWhole = (bytes: Buffer, hashBytes: number): boolean =>
  bytes.length >= HEADER_BYTES + hashBytes &&
  bytes.toString("latin1", 0, 4) === "DIRC" &&
  [2, 3, 4].includes(bytes.readUInt32BE(4))

/** The tracked paths in an index whose object names have so many bytes; throws when it ends too early. */
export const trackedPaths = (bytes: Buffer, hashBytes: number): ReadonlyArray<string> => {
  if (!isWhole(bytes, hashBytes)) return []
  const isCompressed = bytes.readUInt32BE(4) === 4
  const paths: Array<string> = []
  let before = ""
  let start = HEADER_BYTES
  for (let rest = bytes.readUInt32BE(8); rest > 0; rest--) {
    const flags = start + STAT_BYTES + hashBytes
    let at = flags + ((bytes.readUInt16BE(flags) & EXTENDED) === 0 ? 2 : 4)
    let kept = ""
    if (isCompressed) {
      const [count, end] = omitted(bytes, at)
      kept = before.slice(0, before.length - count)
      at = end
    }
    const end = bytes.indexOf(0, at)
    if (end === -1) throw new RangeError("the index ends in the middle of a path")
    before = kept + bytes.toString("latin1", at, end)
    paths.push(before)
    // An entry that is not compressed is filled up to a multiple of eight.
    start = isCompressed ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8
  }
  return paths
}
