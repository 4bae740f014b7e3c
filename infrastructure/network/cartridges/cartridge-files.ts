// The files of a cartridge on disk, as a folder or as one uncompressed tar: where each one's bytes lie. Anyone who made them
// may be an enemy: no link is followed, no further name is let pass, a header is compared with the one that packing
// would have made. It judges no line and changes nothing.
import { closeSync, fstatSync, opendirSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseTarHeader, TAR_BLOCK, TAR_END, tarPadding } from "../../../domain/foundation/tar.ts"
import { CARTRIDGE_FILES, type CartridgeFile } from "../../../domain/network/cartridges/cartridge-names.ts"
import { type CartridgeFault, CartridgeRefused } from "../../../domain/network/errors.ts"
import { openLines, readRange } from "../../files/json-lines.ts"

/** Where the bytes of one file of a cartridge lie. */
interface CartridgePart {
  readonly descriptor: number
  readonly start: number
  readonly end: number
}

/** An open cartridge. */
export interface OpenCartridge {
  readonly path: string
  readonly parts: Readonly<Record<CartridgeFile, CartridgePart>>
  readonly close: () => void
}

type Refuse = (code: CartridgeFault, file: string, reason: string) => CartridgeRefused

const refusing =
  (cartridge: string): Refuse =>
  (code, file, reason) =>
    new CartridgeRefused({ cartridge, code, file, line: null, reason })

const isPartName = (name: string): boolean => CARTRIDGE_FILES.some((known) => known === name)

const open = (path: string, name: string, refuse: Refuse): number => {
  try {
    return openLines(path, "read")
  } catch (error) {
    const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
    if (code === "ENOENT") throw refuse("FILE_MISSING", name, "there is no such file")
    if (code === "ELOOP" || code === "ENXIO")
      throw refuse("FILE_KIND", name, "it is a link or no regular file")
    throw refuse("FILE_UNREADABLE", name, `it cannot be read (${code})`)
  }
}

const checkNames = (folder: string, refuse: Refuse): void => {
  const names = opendirSync(folder)
  try {
    for (let entry = names.readSync(); entry !== null; entry = names.readSync()) {
      if (!isPartName(entry.name)) throw refuse("FILE_EXTRA", entry.name, "no cartridge has such a file")
    }
  } finally {
    names.closeSync()
  }
}

const openFolder = (path: string, refuse: Refuse): OpenCartridge => {
  checkNames(path, refuse)
  const descriptors: Array<number> = []
  const close = () => {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
  const partOf = (name: CartridgeFile): CartridgePart => {
    const descriptor = open(join(path, name), name, refuse)
    descriptors.push(descriptor)
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw refuse("FILE_KIND", name, "it is no regular file")
    return { descriptor, start: 0, end: stat.size }
  }
  try {
    return { path, parts: byName(partOf), close }
  } catch (error) {
    close()
    throw error
  }
}

const byName = <A>(make: (name: CartridgeFile) => A): Readonly<Record<CartridgeFile, A>> => {
  const made: Partial<Record<CartridgeFile, A>> = {}
  for (const name of CARTRIDGE_FILES) made[name] = make(name)
  return made as Record<CartridgeFile, A>
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

const openArchive = (path: string, refuse: Refuse): OpenCartridge => {
  const descriptor = open(path, path, refuse)
  const close = () => closeSync(descriptor)
  let at = 0
  const partOf = (name: CartridgeFile): CartridgePart => {
    const header = parseTarHeader(readRange(descriptor, at, TAR_BLOCK))
    if (header?.name !== name) {
      throw refuse("ARCHIVE_MALFORMED", name, `its header does not stand at byte ${at}, or was changed`)
    }
    const start = at + TAR_BLOCK
    const end = start + header.size
    const padding = readRange(descriptor, end, tarPadding(header.size))
    at = end + tarPadding(header.size)
    if (padding.length !== tarPadding(header.size)) {
      throw refuse("ARCHIVE_MALFORMED", name, "the archive is cut off within it")
    }
    if (!isZero(padding)) throw refuse("ARCHIVE_MALFORMED", name, "something stands behind its content")
    return { descriptor, start, end }
  }
  try {
    const parts = byName(partOf)
    const rest = readRange(descriptor, at, TAR_END + 1)
    if (rest.length !== TAR_END || !isZero(rest) || fstatSync(descriptor).size !== at + TAR_END) {
      throw refuse(
        "ARCHIVE_MALFORMED",
        path,
        `it does not end as a packed cartridge ends, from byte ${at} on`
      )
    }
    return { path, parts, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Opens a cartridge: a folder, or one packed file. Throws `CartridgeRefused`. */
export const openCartridge = (path: string): OpenCartridge => {
  const refuse = refusing(path)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw refuse("FILE_MISSING", path, "there is no such file or folder")
  if (stat.isDirectory()) return openFolder(path, refuse)
  if (!stat.isFile()) throw refuse("FILE_KIND", path, "it is neither a folder nor a file")
  return openArchive(path, refuse)
}
