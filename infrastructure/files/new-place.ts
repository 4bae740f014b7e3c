// Where no new file or folder may be made, whichever command is to make it: in a bundle, a dossier or a cartridge, whose content is
// sealed, and under a name that belongs to a database beside it. SQLite would take a file there for its own and replay or
// remove it. Names are followed as the file system follows them, links and letters of either case included.
import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { MANIFEST_NAME as DOSSIER_MANIFEST } from "../../domain/dossiers/manifest.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { CARTRIDGE_FILES } from "../../domain/network/cartridges/cartridge-names.ts"

/** Names behind a database's own that SQLite, or the ledger's tree, takes for itself. */
const COMPANION = /^(.+)(?:-wal|-shm|-journal|\.merkle)$/i

/** How every bundle's manifest begins: it is canonical text. */
const BUNDLE_START = '{"artifacts":'

/** How every dossier's manifest begins. */
const DOSSIER_START = '{"bodies":'

const isFile = (path: string): boolean => {
  try {
    return lstatSync(path).isFile()
  } catch {
    // What cannot be looked at is no reason to refuse: making the new file tells what is wrong with the path.
    return false
  }
}

const startsAs = (path: string, start: string): boolean => {
  if (!isFile(path)) return false
  const bytes = Buffer.alloc(start.length)
  const descriptor = openSync(path, "r")
  try {
    return readSync(descriptor, bytes) === bytes.length && bytes.toString("latin1") === start
  } finally {
    closeSync(descriptor)
  }
}

const sealedKind = (folder: string): "bundle" | "cartridge" | "dossier" | undefined => {
  if (startsAs(join(folder, MANIFEST_NAME), BUNDLE_START)) return "bundle"
  if (startsAs(join(folder, DOSSIER_MANIFEST), DOSSIER_START)) return "dossier"
  return CARTRIDGE_FILES.every((name) => isFile(join(folder, name))) ? "cartridge" : undefined
}

const ownerOf = (path: string): string | undefined => {
  const stem = COMPANION.exec(path)?.[1]
  if (stem === undefined) return undefined
  try {
    return statSync(stem).isFile() ? stem : undefined
  } catch {
    return undefined
  }
}

const realFolder = (path: string): string | undefined => {
  try {
    return realpathSync(dirname(path))
  } catch {
    return undefined
  }
}

const placeFault = (path: string): string | undefined => {
  const owner = ownerOf(path)
  if (owner !== undefined) return `the name belongs to a file that is kept beside ${owner}`
  let folder = realFolder(path)
  while (folder !== undefined) {
    const kind = sealedKind(folder)
    if (kind !== undefined) return `${folder} is a ${kind}, and nothing else may stand in it`
    folder = dirname(folder) === folder ? undefined : dirname(folder)
  }
  return undefined
}

/** Why nothing new may be made at an absolute path that `field` names, or undefined; what stands there is not judged. */
export const newPlaceFault = (field: string, path: string): InvalidInput | undefined => {
  const fault = placeFault(path)
  if (fault === undefined) return undefined
  const message = `${path}: ${fault}: choose another place`
  return new InvalidInput({ message, issues: [{ path: field, message }] })
}
