// The bounds of the ledger's format, as named constants with their units; nothing else may spell one of these numbers. Bounds of one
// interface stand beside it. Source: docs/spec/ledger.md, "Limits".

/** Longest payload or receipt: UTF-8 bytes of its canonical text (1 MiB). */
export const MAX_PAYLOAD_BYTES = 1_048_576

/** Longest content of a thought: UTF-8 bytes (1 MiB). */
export const MAX_THOUGHT_BYTES = 1_048_576

/** Longest `data` of one event: UTF-8 bytes of its canonical text (16 MiB). */
export const MAX_EVENT_BYTES = 16 * 1_048_576

/** Longest line of an event: UTF-8 bytes. One byte of `data` may stand in it as an escape of six. */
export const MAX_EVENT_LINE_BYTES = 6 * MAX_EVENT_BYTES + 65_536

/** Most jobs that one message may carry; the width of an id allows 9,999. */
export const MAX_JOBS_PER_MESSAGE = 1_000

/** Most steps that one message may carry, over all its jobs. */
export const MAX_STEPS_PER_MESSAGE = 10_000

/** Longest free text (a reason, an intent): UTF-8 bytes. */
export const MAX_TEXT_BYTES = 65_536

/** Shortest and longest lease in whole seconds, and the one that a claim gets by default. */
export const MIN_TTL_SECONDS = 1
/** Longest lease, in seconds: a day. */
export const MAX_TTL_SECONDS = 86_400
/** How long a lease lasts that names no time, in seconds. */
export const DEFAULT_TTL_SECONDS = 300

/** Most commands that one batch may have. */
export const MAX_BATCH_COMMANDS = 256

/** How far ahead of the clock the newest event may be dated before nothing more is appended (366 days). */
export const MAX_HEAD_LEAD_MILLIS = 366 * 86_400_000

/** How far ahead of the clock the newest event may be dated before people are warned (60 seconds). */
export const HEAD_LEAD_WARNING_MILLIS = 60_000

/** `prev_hash` of the first event and the hash of an empty head. */
export const ZERO_HASH = "0".repeat(64)

/** Newest database version that this program reads and writes. */
export const DATABASE_VERSION = 2
