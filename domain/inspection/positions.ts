// Places in the log beyond its ends.

/** Behind the last position there can be. */
export const MAX_POSITION = Number.MAX_SAFE_INTEGER
