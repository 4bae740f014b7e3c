// What a path is that was taken for a database: one of the other things that this program makes, and the command that reads
// it. It looks at names and the first bytes alone and judges nothing.
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { parseTarHeader, TAR_BLOCK, tarPadding } from "../../domain/foundation/tar.ts"

/** The file by which each is known, in a folder and in an archive. */
const KINDS = new Map([
  [
    "dossier.json",
    {
      folder: "it is a dossier: read it with dossier show or dossier verify",
      archive: "it is a packed dossier: read it with dossier show or dossier verify"
    }
  ],
  [
    "bundle.json",
    {
      folder: "it is a bundle: read it with bundle show or bundle verify",
      archive: "it is a packed bundle: read it with bundle unpack"
    }
  ],
  [
    "records.jsonl",
    {
      folder: "it is a cartridge: read it with network import",
      archive: "it is a packed cartridge: read it with network import"
    }
  ]
])

const EVENTS = "it is a log of events as JSON lines: make a ledger of it with cassette import"

/** How many files of an archive are looked at. */
const MAX_ENTRIES = 10_000

/** How much of a file is looked at for its first event (bytes). */
const LINE_BYTES = 4_096

/** The names of the files of an archive, as far as it is one. */
function* namesInArchive(descriptor: number): Generator<string> {
  const block = new Uint8Array(TAR_BLOCK)
  let at = 0
  for (let count = 0; count < MAX_ENTRIES; count++) {
    if (readSync(descriptor, block, 0, TAR_BLOCK, at) < TAR_BLOCK) return
    const header = parseTarHeader(block)
    if (header === undefined) return
    yield header.name
    at += TAR_BLOCK + header.size + tarPadding(header.size)
  }
}

const beginsWithEvent = (descriptor: number): boolean => {
  const bytes = Buffer.alloc(LINE_BYTES)
  const text = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, LINE_BYTES, 0))
  return text.startsWith("{") && text.includes('"prev_hash"') && text.includes('"position"')
}

const kindOf = (names: Iterable<string>, form: "folder" | "archive"): string | undefined => {
  for (const name of names) {
    const kind = KINDS.get(name)?.[form]
    if (kind !== undefined) return kind
  }
  return undefined
}

const looked = (path: string): string | undefined => {
  if (statSync(path).isDirectory()) return kindOf(readdirSync(path), "folder")
  // What is no file may keep a reader waiting.
  if (!statSync(path).isFile()) return undefined
  const descriptor = openSync(path, "r")
  try {
    return kindOf(namesInArchive(descriptor), "archive") ?? (beginsWithEvent(descriptor) ? EVENTS : undefined)
  } finally {
    closeSync(descriptor)
  }
}

/** What a file or folder is that is no database, with the command that reads it; undefined for anything else. */
export const recognized = (path: string): string | undefined => {
  try {
    return looked(path)
  } catch {
    // The path was refused already, with a reason; this would only have made it plainer.
    return undefined
  }
}
