// Whether two folders or two files hold the same, byte for byte. Links are never followed and never the same as
// anything; memory stays at two pieces however large the files are.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs"
import { join } from "node:path"

const PIECE_BYTES = 262_144

const openRegular = (path: string): { readonly descriptor: number; readonly size: number } | undefined => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  return { descriptor, size: fstatSync(descriptor).size }
}

const sameBytes = (left: number, right: number, size: number): boolean => {
  const pieces = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)] as const
  for (let read = 0; read < size;) {
    const length = readSync(left, pieces[0], 0, PIECE_BYTES, read)
    if (length === 0 || readSync(right, pieces[1], 0, length, read) !== length) return false
    if (pieces[0].compare(pieces[1], 0, length, 0, length) !== 0) return false
    read += length
  }
  return true
}

/** True when both are regular files with the same bytes. */
export const isSameFile = (left: string, right: string): boolean => {
  const [first, second] = [openRegular(left), openRegular(right)]
  try {
    if (first === undefined || second === undefined || first.size !== second.size) return false
    return sameBytes(first.descriptor, second.descriptor, first.size)
  } finally {
    for (const file of [first, second]) if (file !== undefined) closeSync(file.descriptor)
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** True when both are folders with the same names, and the same below each. */
export const isSameFolder = (left: string, right: string): boolean => {
  if (!isFolder(left) || !isFolder(right)) return false
  const names = readdirSync(left).sort()
  if (names.join("/") !== readdirSync(right).sort().join("/")) return false
  return names.every((name) => {
    const [first, second] = [join(left, name), join(right, name)]
    return isFolder(first) ? isSameFolder(first, second) : isSameFile(first, second)
  })
}
