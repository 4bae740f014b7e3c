// Every bound of the corpus in one place, as named constants with their units. Source: docs/spec/corpus.md, "Limits".

/** Largest file that is read (256 MiB). */
export const MAX_FILE_BYTES = 256 * 1_048_576

/** Largest Markdown file whose headings are looked for (4 MiB): a parser needs many times the text's memory. */
export const MAX_MARKDOWN_BYTES = 4 * 1_048_576

/** Longest heading whose markup is read, in UTF-16 units: reading markup can take time with the square of its length. */
export const MAX_HEADING_UNITS = 4_096

/** Most lines that the error about a repeated heading names. */
export const MAX_NAMED_LINES = 100

/** How much of a heading's text becomes part of its path, in code points. */
export const MAX_HEADING_CODE_POINTS = 256

/** Longest symbol, in characters (all of them ASCII). */
export const MAX_SYMBOL_LENGTH = 256

/** Longest path and longest heading path that a symbol may name, in UTF-8 bytes. */
export const MAX_TARGET_BYTES = 8_192

/** Largest payload of one expansion, in UTF-8 bytes (16 MiB): what is larger is read in several slices. */
export const MAX_SLICE_BYTES = 16 * 1_048_576

/** How old a change must be before an unchanged stat proves unchanged text (milliseconds). */
export const RACY_MILLIS = 2_000

/** Most skipped files that one report of indexing lists. */
export const MAX_LISTED_SKIPS = 10_000
