// The files that a cassette holds: globs below the allowed root, without what .gitignore leaves out, without links, and
// without everything that is no text. Texts are read as they are; nothing is normalised.
import { isUtf8 } from "node:buffer"
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs"
import { join, posix, relative, sep } from "node:path"
import * as Result from "effect/Result"
import type { Walk } from "../../../application/corpus/corpus-files.ts"
import type { Skipped, SkipReason } from "../../../domain/foundation/root-files.ts"
import { MAX_DOCUMENT_BYTES } from "../../../domain/network/limits.ts"
import { globMatcher, globs } from "../../corpus/files/ignore-rules.ts"
import { type WalkError, walkFiles } from "../../corpus/files/file-walk.ts"
import { isOpenDatabase } from "../../sqlite/connection/open-databases.ts"
import type { GivenDocument } from "./document-writing.ts"

/**
 * A glob of the configuration, which is relative to its file, as one that is relative to the root; undefined when it leads
 * out of it. One without a slash is a name in any folder.
 */
export const globBelowRoot = (root: string, folder: string, glob: string): string | undefined => {
  if (!glob.includes("/") && glob !== "." && glob !== "..") return glob
  const base = relative(root, folder).split(sep).join("/")
  const joined = posix.normalize(posix.join(base === "" ? "." : base, glob))
  return joined === ".." || joined.startsWith("../") || posix.isAbsolute(glob) ? undefined : joined
}

export interface SourceFiles {
  /** In order. */
  readonly files: ReadonlyArray<string>
  /** What is there but cannot be read or named, and the folders that programs fill (`GENERATED`). */
  readonly leftOut: ReadonlyArray<Skipped>
  /** The places of globs that match no file at all. */
  readonly unmatched: ReadonlyArray<number>
  /**
   * True for a path that may be taken for gone when it is not among the files. Where some glob matches nothing, it may be
   * mistyped: then only what one of the others would match is surely gone.
   */
  readonly isGone: (path: string) => boolean
}

/** What each glob matches. */
const globMatchers = (given: ReadonlyArray<string>) =>
  given.map((glob) => globs("/include", [glob])).filter((each) => typeof each === "function")

/** Rules for git are no documents, unless a glob names them. */
const isRules = (path: string): boolean => posix.basename(path) === ".gitignore"

/** The files of the globs (relative to the root). */
export const sourceFiles = (
  root: string,
  given: ReadonlyArray<string>
): Result.Result<SourceFiles, WalkError> =>
  Result.map(walkFiles(root, { paths: [], include: given, exclude: [] }), (walk) =>
    sourcesOfWalk(walk, given)
  )

const sourcesOfWalk = (walk: Walk, given: ReadonlyArray<string>): SourceFiles => {
  const named = globMatchers(given.filter(isRules))
  const files = walk.files.filter((path) => !isRules(path) || named.some((matches) => matches(path)))
  const matchers = globMatchers(given)
  const unmatched = [...matchers.keys()].filter((index) => !files.some(matchers[index]!))
  return {
    files,
    leftOut: walk.skipped.filter(({ reason }) => reason === "UNREADABLE" || reason === "GENERATED"),
    unmatched,
    isGone: (path) =>
      unmatched.length === 0 || matchers.some((matches, index) => !unmatched.includes(index) && matches(path))
  }
}

/** True for what may still be there: it, or a folder above it, could not be read. */
export const isOutOfSight = (
  leftOut: ReadonlyArray<{ readonly path: string; readonly reason: string }>,
  path: string
): boolean =>
  leftOut.some(
    ({ path: skipped, reason }) =>
      reason !== "GENERATED" &&
      (skipped === "./" || (skipped.endsWith("/") ? path.startsWith(skipped) : path === skipped))
  )

/** The type of a document: the first glob that matches, else its first folder; a file of the root is a `document`. */
export const documentType = (
  types: ReadonlyArray<readonly [glob: string, type: string]>
): ((path: string) => string) => {
  const matchers = types.map(([glob, type]) => ({
    matches: globMatcher(glob),
    type
  }))
  return (path) => {
    const configured = matchers.find(({ matches }) => matches(path))?.type
    return configured ?? (path.includes("/") ? (path.split("/")[0] ?? "document") : "document")
  }
}

// Small files are read into this one after another.
const room = Buffer.alloc(65_536)

/** The content of an open file of such a size, valid until the next; one that says 0 may have content all the same. */
const contentOf = (descriptor: number, size: number): Buffer => {
  if (size === 0 || size > room.length) return readFileSync(descriptor)
  let length = 0
  while (length < size) {
    const read = readSync(descriptor, room, length, size - length, null)
    if (read === 0) break
    length += read
  }
  return room.subarray(0, length)
}

/** Reads a file below a root, which is its real path, as a document, or says why it is none. */
export const readDocument = (root: string, path: string, type: string): GivenDocument | SkipReason => {
  const file = join(root, path)
  if (isOpenDatabase(file)) return "BINARY"
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = fstatSync(descriptor)
      if (!found.isFile()) return "NOT_A_FILE"
      if (found.size > MAX_DOCUMENT_BYTES) return "TOO_LARGE"
      const bytes = contentOf(descriptor, found.size)
      if (bytes.includes(0)) return "BINARY"
      if (!isUtf8(bytes)) return "NOT_UTF8"
      return { path, type, text: bytes.toString("utf8") }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return "UNREADABLE"
  }
}
