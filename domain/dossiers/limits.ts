// Every bound of a dossier in one place, with units. A dossier from elsewhere is held against these before it is read.
// Source: docs/spec/dossiers.md, "Limits".

/** Longest `dossier.json` (4 MiB). */
export const MAX_MANIFEST_BYTES = 4 * 1_048_576

/** Most jobs, most tasks and most bundles of a dossier. */
export const MAX_CHOSEN = 1_000

/** Longest line of a file (64 MiB): an event's data has at most 16 MiB, and twice that when it is quoted as a text. */
export const MAX_LINE_BYTES = 64 * 1_048_576

/** Longest of the files with lines (64 GiB). */
export const MAX_FILE_BYTES = 64 * 1_073_741_824

/** Longest `checkpoint.txt`: no signed note is longer. */
export const MAX_CHECKPOINT_BYTES = 2 * 1_048_576

/** Most names at the top of a dossier and in `bundles` that are looked at; no honest one has as many. */
export const MAX_DOSSIER_ENTRIES = 2 * MAX_CHOSEN
