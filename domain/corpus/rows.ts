// The rows of the corpus database as the rest of the program sees them, in the names in which they are stored. They
// are plain data: what a row means for a file that has changed since is judged elsewhere.

/** What tells a changed file from an unchanged one; nanoseconds and the inode as decimal digits. */
export interface FileStat {
  readonly size: number
  readonly mtime_ns: string
  readonly ctime_ns: string
  readonly inode: string
}

/** An indexed file, with what the file system said of it. */
export interface FileRow extends FileStat {
  /** Relative to the root, with `/` between names. */
  readonly path: string
  /** When the text was hashed (milliseconds since 1970, of the program's clock). */
  readonly hashed_at_ms: number
  readonly content_hash: string
  readonly line_count: number
}

/** A section of an indexed file: lines from `line_start`, counted from 0, up to but without `line_end`. */
export interface SectionRow {
  readonly section_id: string
  readonly path: string
  /** 0-based number of the first line. */
  readonly line_start: number
  /** Number of the first line after the section. */
  readonly line_end: number
  /** SHA-256 of the section's text. */
  readonly content_hash: string
}

/** A heading of an indexed file. */
export interface HeadingRow {
  readonly path: string
  /** 0-based line on which the heading begins. */
  readonly line: number
  readonly level: number
  /** The heading path: the texts of this heading and those above it, from the top. */
  readonly heading: string
  readonly section_id: string
}

/** A symbol with its target and its default slice. */
export interface SymbolRow {
  readonly symbol_id: string
  readonly path: string
  readonly heading: string | null
  /** The canonical text of the default slice. */
  readonly slice: string | null
}

/** A file as it was indexed, with everything that was found in it. */
export interface IndexedFile {
  readonly file: FileRow
  readonly sections: ReadonlyArray<SectionRow>
  readonly headings: ReadonlyArray<HeadingRow>
}
