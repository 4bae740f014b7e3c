// Texts that other people wrote, for benchmarks that ask how good an answer is: files of Debian packages, each pinned
// by its version and by the SHA-256 of the package. They are fetched when they are needed, kept in the system's
// temporary folder, and never used when their hash is another one.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

/** A package by its place in a Debian archive and the hash of its bytes. */
export type DebianPackage = readonly [path: string, sha256: string]

/** The pool of today, and the archive that keeps what the pool has let go. */
const ARCHIVES = [
  "http://deb.debian.org/debian",
  "https://snapshot.debian.org/archive/debian/20260101T000000Z",
  "https://snapshot.debian.org/archive/debian/20250520T000000Z"
]

/** How long one download may take (milliseconds). */
const DOWNLOAD_MILLIS = 60_000

const isRight = (bytes: Uint8Array, sha256: string): boolean =>
  createHash("sha256").update(bytes).digest("hex") === sha256

const fetched = async (url: string): Promise<Uint8Array | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MILLIS) })
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
  } catch (error) {
    console.error(`${url}: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** The bytes of a package; undefined when no archive gives them. */
const packageBytes = async ([path, sha256]: DebianPackage): Promise<Uint8Array | undefined> => {
  const folder = join(tmpdir(), "cassette-bench-packages")
  const kept = join(folder, basename(path))
  if (existsSync(kept)) {
    const bytes = readFileSync(kept)
    if (isRight(bytes, sha256)) return bytes
  }
  for (const archive of ARCHIVES) {
    const bytes = await fetched(`${archive}/${path}`)
    if (bytes === undefined) continue
    if (!isRight(bytes, sha256)) {
      console.error(`${archive}/${path} has another SHA-256: not used`)
      continue
    }
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${kept}.${process.pid}`, bytes)
    renameSync(`${kept}.${process.pid}`, kept)
    return bytes
  }
  return undefined
}

const AR_HEADER_BYTES = 60
const AR_MAGIC = "!<arch>\n"

/** The member of an `ar` archive whose name begins so. */
const memberOf = (archive: Uint8Array, name: string): Uint8Array => {
  const text = new TextDecoder("latin1")
  for (let at = AR_MAGIC.length; at + AR_HEADER_BYTES <= archive.length;) {
    const header = text.decode(archive.subarray(at, at + AR_HEADER_BYTES))
    const size = Number(header.slice(48, 58))
    const start = at + AR_HEADER_BYTES
    if (header.startsWith(name)) return archive.subarray(start, start + size)
    at = start + size + (size % 2)
  }
  throw new Error(`the package has no ${name}`)
}

/** Unpacks the packages into a folder, in their order; false when one of them cannot be had. */
export const unpack = async (packages: ReadonlyArray<DebianPackage>, folder: string): Promise<boolean> => {
  for (const each of packages) {
    const bytes = await packageBytes(each)
    if (bytes === undefined) return false
    execFileSync("tar", ["-xJf", "-", "-C", folder], {
      input: memberOf(bytes, "data.tar.xz"),
      stdio: ["pipe", "ignore", "inherit"]
    })
  }
  return true
}
