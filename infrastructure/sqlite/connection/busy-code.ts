// Which of SQLite's codes say that another connection is at work in the file. A reader of a database in WAL mode meets them
// too: while the last connection closes and takes the log away, and while the first one reads a log that was left behind.
// See https://sqlite.org/wal.html, "Sometimes Queries Return SQLITE_BUSY In WAL Mode". It loads nothing, since children
// start with it.

/** True when the same work may succeed a moment later. */
export const isBusyCode = (code: string): boolean =>
  // SQLITE_PROTOCOL: others kept changing the log's locks while this connection asked for them.
  /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)(?:_|$)/.test(code)
