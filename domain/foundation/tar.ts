// The one header that a packed bundle may have for a file of a name and a size: POSIX ustar, mode 0644, no owner, no
// time. A reader makes the same header again and compares, so that nothing hides in a field. Not a tar library: it
// knows regular files with short names and nothing else.
import { utf8Bytes } from "../canonical/bytes.ts"

/** Headers, contents and the end come in blocks of this many bytes. */
export const TAR_BLOCK = 512

/** The zero bytes that end an archive: two blocks. */
export const TAR_END = 2 * TAR_BLOCK

const MAX_NAME_BYTES = 100
const SIZE_DIGITS = 11

/** Where the fields of a header begin. */
const at = {
  name: 0,
  mode: 100,
  uid: 108,
  gid: 116,
  size: 124,
  mtime: 136,
  checksum: 148,
  type: 156,
  magic: 257
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")

/** The header of a regular file; the name is ASCII. */
export const tarHeader = (name: string, size: number): Uint8Array => {
  const header = new Uint8Array(TAR_BLOCK)
  const put = (offset: number, text: string): void => header.set(utf8Bytes(text), offset)
  put(at.name, name)
  put(at.mode, "0000644")
  put(at.uid, "0000000")
  put(at.gid, "0000000")
  put(at.size, octal(size, SIZE_DIGITS))
  put(at.mtime, octal(0, SIZE_DIGITS))
  put(at.checksum, "        ")
  put(at.type, "0")
  put(at.magic, "ustar\u000000")
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(at.checksum, `${octal(sum, 6)}\u0000 `)
  return header
}

/** How many zero bytes follow a content of this size. */
export const tarPadding = (size: number): number => (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK

const asciiText = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

/** Name and size of a header that `tarHeader` could have made, or undefined. */
export const parseTarHeader = (
  header: Uint8Array
): { readonly name: string; readonly size: number } | undefined => {
  const name = asciiText(header.subarray(at.name, MAX_NAME_BYTES)).split("\u0000")[0] ?? ""
  const size = asciiText(header.subarray(at.size, at.size + SIZE_DIGITS))
  if (!/^[!-~]+$/.test(name) || !/^[0-7]{11}$/.test(size)) return undefined
  const parsed = { name, size: Number.parseInt(size, 8) }
  const made = tarHeader(parsed.name, parsed.size)
  return header.every((byte, index) => byte === made[index]) ? parsed : undefined
}
