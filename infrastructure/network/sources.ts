// The files that a cassette holds: globs below the allowed root, without what .gitignore leaves out, without links, and
// without everything that is no text. Texts are read as they are; nothing is normalised.
import { isUtf8 } from "node:buffer"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { join, posix, relative, sep } from "node:path"
import picomatch from "picomatch"
import type { Walk } from "../../application/corpus/corpus-files.ts"
import type { Skipped, SkipReason } from "../../domain/corpus/index-report.ts"
import { MAX_DOCUMENT_BYTES } from "../../domain/network/limits.ts"
import { walkFiles } from "../corpus/file-walk.ts"
import type { GivenDocument } from "./document-writing.ts"

/** Why the files of a folder cannot be found. */
export type WalkError = Exclude<ReturnType<typeof walkFiles>, Walk>

/** A glob of the configuration, relative to the root; undefined when it leads out of it. */
export const globBelowRoot = (root: string, folder: string, glob: string): string | undefined => {
  const base = relative(root, folder).split(sep).join("/")
  const joined = posix.normalize(posix.join(base === "" ? "." : base, glob))
  return joined === ".." || joined.startsWith("../") || posix.isAbsolute(glob) ? undefined : joined
}

/** The files of the globs (relative to the root), in order, and what is there but cannot be read or named. */
export const sourceFiles = (
  root: string,
  globs: ReadonlyArray<string>
): { readonly files: ReadonlyArray<string>; readonly unreadable: ReadonlyArray<Skipped> } | WalkError => {
  const walk = walkFiles(root, { paths: [], include: globs, exclude: [] })
  if (!("files" in walk)) return walk
  return { files: walk.files, unreadable: walk.skipped.filter(({ reason }) => reason === "UNREADABLE") }
}

/** True for what may still be there: it, or a folder above it, could not be read. */
export const isOutOfSight = (unreadable: ReadonlyArray<Skipped>, path: string): boolean =>
  unreadable.some(
    ({ path: skipped }) =>
      skipped === "./" || (skipped.endsWith("/") ? path.startsWith(skipped) : path === skipped)
  )

/** The type of a document: the first glob that matches, else its first folder; a file of the root is a `document`. */
export const documentType = (types: Readonly<Record<string, string>>): ((path: string) => string) => {
  const matchers = Object.entries(types).map(([glob, type]) => ({
    matches: picomatch(glob, { dot: true, basename: !glob.includes("/"), nonegate: true }),
    type
  }))
  return (path) => {
    const configured = matchers.find(({ matches }) => matches(path))?.type
    return configured ?? (path.includes("/") ? (path.split("/")[0] ?? "document") : "document")
  }
}

/** Reads a file as a document, or says why it is none. */
export const readDocument = (root: string, path: string, type: string): GivenDocument | SkipReason => {
  try {
    const descriptor = openSync(
      join(root, path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    )
    try {
      const found = fstatSync(descriptor)
      if (!found.isFile()) return "NOT_A_FILE"
      if (found.size > MAX_DOCUMENT_BYTES) return "TOO_LARGE"
      const bytes = readFileSync(descriptor)
      if (bytes.includes(0)) return "BINARY"
      if (!isUtf8(bytes)) return "NOT_UTF8"
      return { path, type, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return "UNREADABLE"
  }
}
