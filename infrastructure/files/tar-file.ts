// Files as one uncompressed ustar file on this machine's file systems. Reading compares every header with the one that packing
// would have made and takes nothing else: no link, no folder, no second spelling of a field, nothing behind the end.
// Contents go through in pieces, so that memory stays flat.
import { closeSync, constants, fstatSync, linkSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { TargetExists } from "../../domain/foundation/root-files.ts"
import { parseTarHeader, TAR_BLOCK, TAR_END, tarHeader, tarPadding } from "../../domain/foundation/tar.ts"
import { flush } from "./file-system.ts"
import { isSameFile } from "./same-content.ts"

const PIECE_BYTES = 262_144

/** The pieces of the next `bytes` bytes of a file, fewer when it ends before; each is valid until the next is asked for. */
export function* piecesOf(descriptor: number, bytes: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(bytes, PIECE_BYTES)))
  for (let left = bytes; left > 0;) {
    const read = readSync(descriptor, buffer, 0, Math.min(left, buffer.length), null)
    if (read === 0) return
    left -= read
    yield buffer.subarray(0, read)
  }
}

/** A file of an archive: its header, its content, what fills the last block. */
export function* tarEntry(name: string, size: number, content: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHeader(name, size)
  yield* content
  yield new Uint8Array(tarPadding(size))
}

/** The files below a folder that this process made, by their names with forward slashes, in the order of an archive. */
export const filesBelow = (folder: string, prefix = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, prefix), { withFileTypes: true })
    .flatMap((entry) => {
      const name = `${prefix}${entry.name}`
      return entry.isDirectory() ? filesBelow(folder, `${name}/`) : [name]
    })
    .sort()

/** Files of a folder that this process made, as one archive. */
export function* folderArchive(folder: string, names: ReadonlyArray<string>): Generator<Uint8Array> {
  for (const name of names) {
    const path = join(folder, name)
    const descriptor = openSync(path, "r")
    try {
      const { size } = statSync(path)
      yield* tarEntry(name, size, piecesOf(descriptor, size))
    } finally {
      closeSync(descriptor)
    }
  }
  yield new Uint8Array(TAR_END)
}

/** Puts a finished file in its place; throws `TargetExists` when something else stands there. */
export const putFile = (draft: string, file: string): "created" | "unchanged" => {
  try {
    // A link is refused when the name is taken, which a rename would not be.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    if (isSameFile(draft, file)) return "unchanged"
    throw new TargetExists({ path: file })
  }
  flush(dirname(file))
  return "created"
}

/** What an archive may hold, and how one that could not have been packed is refused. */
export interface ArchiveRules {
  /** How packing is called where people read it. */
  readonly maker: string
  readonly mayStand: (name: string, size: number) => boolean
  readonly maxFiles: number
  /** All contents together. */
  readonly maxBytes: number
  readonly refuse: (reason: string) => Error
}

const block = (descriptor: number, bytes: number): Uint8Array =>
  Buffer.concat([...piecesOf(descriptor, bytes)].map((piece) => Uint8Array.from(piece)))

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Reads header after header to the end of the archive, and hands each file over. */
const readEntries = (
  descriptor: number,
  { maker, maxBytes, maxFiles, mayStand, refuse }: ArchiveRules,
  take: (name: string, content: Iterable<Uint8Array>) => void
): void => {
  let before = ""
  let total = 0
  for (let count = 0; ; count++) {
    const header = block(descriptor, TAR_BLOCK)
    if (header.length === TAR_BLOCK && isZero(header)) break
    const found = header.length === TAR_BLOCK ? parseTarHeader(header) : undefined
    if (found === undefined)
      throw refuse(`entry ${count + 1} is not a file as ${maker} writes it, or is cut off`)
    const { name, size } = found
    total += size
    if (!mayStand(name, size)) throw refuse(`entry ${count + 1} has a name or size that none has`)
    if (name <= before) throw refuse(`entry ${count + 1} is not in the order of names`)
    if (count >= maxFiles || total > maxBytes) throw refuse("it holds more than any may")
    before = name
    let read = 0
    const counted = function* () {
      for (const piece of piecesOf(descriptor, size)) {
        read += piece.length
        yield piece
      }
    }
    take(name, counted())
    const padding = block(descriptor, tarPadding(size))
    if (read !== size || padding.length !== tarPadding(size)) throw refuse("it is cut off")
    if (!isZero(padding)) throw refuse(`something stands behind the content of entry ${count + 1}`)
  }
  const rest = block(descriptor, TAR_END - TAR_BLOCK + 1)
  if (rest.length !== TAR_END - TAR_BLOCK || !isZero(rest))
    throw refuse(`it does not end as ${maker} ends a file`)
}

const openArchive = (file: string, { refuse }: ArchiveRules): number => {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
    throw refuse(code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`)
  }
}

/** Opens an archive from elsewhere, and hands over each file in it. What could not have been packed is refused. */
export const readArchive = (
  file: string,
  rules: ArchiveRules,
  take: (name: string, content: Iterable<Uint8Array>) => void
): void => {
  const descriptor = openArchive(file, rules)
  try {
    if (!fstatSync(descriptor).isFile()) throw rules.refuse("it is a folder or a device")
    readEntries(descriptor, rules, take)
  } finally {
    closeSync(descriptor)
  }
}
