// The paths of git's index file (gitformat-index(5)), versions 2 to 4: what a repository tracks. A path is a string with one
// unit for each byte, as git keeps it. A split index is read together with the shared one that it names. An index in another form
// is an error, never an empty one: what is tracked is not left out.

const HEADER_BYTES = 12
/** The times, numbers and sizes of a file, which stand before the hash. */
const STAT_BYTES = 40
const EXTENDED = 0x40_00
/** The extension that says that folders may stand for what is in them; its name is small as that of one that must be known. */
const SPARSE = "sdir"

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

/** The paths of an index's entries in their order, and where they end; throws when it has another form or ends too early. */
const entriesOf = (
  bytes: Buffer,
  hashBytes: number
): { readonly paths: ReadonlyArray<string>; readonly end: number } => {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) {
    throw new RangeError("the index has a form that is not known")
  }
  const isCompressed = version === 4
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
  return { paths, end: start }
}

/** The extension `link` of a split index, which stands behind its entries; throws at one that must be known and is not. */
const linkOf = (bytes: Buffer, entriesEnd: number, hashBytes: number): Buffer | undefined => {
  const end = bytes.length - hashBytes
  let at = entriesEnd
  let link: Buffer | undefined
  while (at < end) {
    const name = bytes.toString("latin1", at, at + 4)
    const content = at + 8
    at = content + bytes.readUInt32BE(at + 4)
    if (at > end) throw new RangeError("the index ends in the middle of an extension")
    if (name === "link") link = bytes.subarray(content, at)
    else if (name !== SPARSE && !/^[A-Z]/.test(name)) throw new RangeError("an extension is not known")
  }
  if (at > end) throw new RangeError("the index ends too early")
  return link
}

/** Which of so many places are ones in an EWAH bitmap: runs of equal words, each with words as they are behind it. */
const onesOf = (bitmap: Buffer, places: number): Uint8Array => {
  const ones = new Uint8Array(places)
  const end = 8 + bitmap.readUInt32BE(4) * 8
  let place = 0
  for (let at = 8; at < end;) {
    const marker = bitmap.readBigUInt64BE(at)
    const run = Number((marker >> 1n) & 0xff_ff_ff_ffn) * 64
    if ((marker & 1n) === 1n) ones.fill(1, place, place + run)
    place += run
    at += 8
    for (let words = Number(marker >> 33n); words > 0; words--) {
      const word = bitmap.readBigUInt64BE(at)
      for (let bit = 0; bit < 64; bit++) ones[place + bit] = Number((word >> BigInt(bit)) & 1n)
      place += 64
      at += 8
    }
  }
  return ones
}

/**
 * The tracked paths in an index whose object names have so many bytes. A split index holds what differs from a shared one,
 * which `sharedOf` gives by its name. Throws when what is tracked cannot be told.
 */
export const trackedPaths = (
  bytes: Buffer,
  hashBytes: number,
  sharedOf: (name: string) => Buffer
): ReadonlyArray<string> => {
  const { end, paths } = entriesOf(bytes, hashBytes)
  const link = linkOf(bytes, end, hashBytes)
  if (link === undefined) return paths
  if (link.length < hashBytes) throw new RangeError("the link to the shared index ends too early")
  const name = link.toString("hex", 0, hashBytes)
  if (/^0+$/.test(name)) return paths
  const shared = entriesOf(sharedOf(`sharedindex.${name}`), hashBytes).paths
  // Without bitmaps nothing is deleted. Those that say what is replaced follow; the replacing entries have no path of their own.
  const deleted = link.length === hashBytes ? undefined : onesOf(link.subarray(hashBytes), shared.length)
  return [...shared.filter((_, place) => deleted?.[place] !== 1), ...paths.filter((path) => path !== "")]
}
