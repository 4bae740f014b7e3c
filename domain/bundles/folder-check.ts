// The judgement over a bundle's folder: which names stand in it, and what each artifact turned out to hold. It takes
// facts that were read elsewhere and reads nothing itself, so that it can be held against invented folders.
import * as Result from "effect/Result"
import {
  entryKindWords,
  type FolderEntry,
  type FolderListing,
  type ReadFault,
  readFaultCodes
} from "../foundation/foreign-files.ts"
import type { BundleFindings } from "./finding-list.ts"
import { MAX_BUNDLE_ENTRIES } from "./limits.ts"
import {
  ARTIFACT_FOLDER,
  artifactPath,
  type Manifest,
  type ManifestArtifact,
  MANIFEST_NAME
} from "./manifest.ts"

/** What one file turned out to hold. */
export interface ArtifactFacts {
  readonly bytes: number
  readonly sha256: string
  readonly isUtf8: boolean
  readonly hasCarriageReturn: boolean
  readonly hasByteOrderMark: boolean
  readonly endsWithLineFeed: boolean
}

const artifactName = /^artifacts\/[0-9a-f]{16}\.txt$/

/** True when a path may be opened at all: below `artifacts`, 16 hex digits, `.txt`. */
export const isArtifactPath = (path: string): boolean => artifactName.test(path)

const checkEntry = (
  list: BundleFindings,
  named: ReadonlySet<string> | undefined,
  entry: FolderEntry
): void => {
  const { kind, path } = entry
  const isFolder = path === ARTIFACT_FOLDER
  if (isFolder || path === MANIFEST_NAME || named?.has(path)) {
    const expected = isFolder ? "folder" : "file"
    if (kind !== expected)
      list.add("FILE_KIND", path, `it is ${entryKindWords[kind]}, not ${entryKindWords[expected]}`)
    return
  }
  if (path.startsWith(`${ARTIFACT_FOLDER}/`) && !isArtifactPath(path)) {
    list.add("FILE_NAME_INVALID", path, "an artifact is named by 16 lower-case hex digits and .txt")
  }
  // Without a manifest it cannot be told which artifacts belong to it.
  if (named === undefined && isArtifactPath(path) && kind === "file") return
  list.add("FILE_EXTRA", path, `${entryKindWords[kind]} that the manifest does not name`)
}

/** Judges the names of a folder; without a manifest only those that no bundle may have. */
export const checkListing = (
  list: BundleFindings,
  manifest: Manifest | undefined,
  { cut, entries }: FolderListing
): void => {
  if (cut) list.add("LIMIT_EXCEEDED", ".", `the folder has over ${MAX_BUNDLE_ENTRIES} names`)
  const named = manifest && new Set(manifest.artifacts.map(({ artifact_id }) => artifactPath(artifact_id)))
  for (const entry of entries) checkEntry(list, named, entry)
}

/** Judges what was read of one artifact. */
export const checkArtifactFile = (
  list: BundleFindings,
  artifact: ManifestArtifact,
  facts: Result.Result<ArtifactFacts, ReadFault>
): void => {
  const where = artifactPath(artifact.artifact_id)
  if (Result.isFailure(facts)) {
    list.add(readFaultCodes[facts.failure.fault], where, facts.failure.message)
    return
  }
  const read = facts.success
  if (read.bytes !== artifact.bytes) {
    list.add("SIZE_MISMATCH", where, `it has ${read.bytes} bytes, the manifest says ${artifact.bytes}`)
  }
  if (read.sha256 !== artifact.sha256) {
    list.add("HASH_MISMATCH", where, `its hash is ${read.sha256}, the manifest says ${artifact.sha256}`)
  }
  if (!read.isUtf8) list.add("TEXT_NOT_UTF8", where, "artifacts are text in UTF-8")
  if (read.hasCarriageReturn) list.add("TEXT_HAS_CARRIAGE_RETURN", where, "lines end with LF alone")
  if (read.hasByteOrderMark) list.add("TEXT_HAS_BYTE_ORDER_MARK", where, "text begins without a mark")
  if (!read.endsWithLineFeed) list.add("FINAL_LINE_FEED_MISSING", where, "the last byte must be a line feed")
}
