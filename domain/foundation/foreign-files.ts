// What was met in a folder from elsewhere, before it is judged: names without following links, and why a file could
// not be read to its end as one file. Bundles and dossiers judge with the same words and codes.

/** What stands under one name; a link is never followed. */
export interface FolderEntry {
  /** Relative to the folder, with forward slashes. */
  readonly path: string
  readonly kind: "file" | "folder" | "link" | "other"
}

/** The names in a folder, as far as they were looked at, in order. */
export interface FolderListing {
  readonly entries: ReadonlyArray<FolderEntry>
  /** True when there are more names than were looked at. */
  readonly cut: boolean
}

/** Why a file could not be read to its end as one file. */
export interface ReadFault {
  readonly fault: "missing" | "kind" | "unreadable" | "changed" | "size"
  readonly message: string
}

/** The finding that each fault is. */
export const readFaultCodes = {
  missing: "FILE_MISSING",
  kind: "FILE_KIND",
  unreadable: "FILE_UNREADABLE",
  changed: "FILE_CHANGED",
  size: "SIZE_MISMATCH"
} as const satisfies Readonly<Record<ReadFault["fault"], string>>

/** The finding that each fault of a manifest is. */
export const manifestFaultCodes = {
  missing: "MANIFEST_MISSING",
  kind: "MANIFEST_UNREADABLE",
  unreadable: "MANIFEST_UNREADABLE",
  changed: "MANIFEST_UNREADABLE",
  size: "MANIFEST_TOO_LARGE"
} as const satisfies Readonly<Record<ReadFault["fault"], string>>

/** What is said of an entry of each kind. */
export const entryKindWords = {
  file: "a file",
  folder: "a folder",
  link: "a link",
  other: "a device, pipe or socket"
} as const satisfies Readonly<Record<FolderEntry["kind"], string>>
