// A log that lies where its database file does not: what was written last is in it, and SQLite would drop it without a
// word when it makes a new database there. It reads the beginning of logs alone, on which SQLite holds no locks.
import { closeSync, lstatSync, openSync, readSync, statSync } from "node:fs"
import { unlessGone } from "../../files/file-access.ts"

/** What a write-ahead log begins with, and each of its frames (bytes). */
export const WAL_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
const PAGE_SIZE_OFFSET = 8

/** What a journal begins with, and where it says how many pages the database had: one that had none holds nothing of it. */
const JOURNAL_MAGIC = Buffer.from([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
const JOURNAL_PAGES_OFFSET = 16
const JOURNAL_HEADER_BYTES = 28

/** The beginning of a file; undefined when another process has taken it away meanwhile, as at the birth of a database. */
const beginningOf = (path: string, bytes: number): Buffer | undefined =>
  unlessGone(() => {
    const buffer = Buffer.alloc(bytes)
    const descriptor = openSync(path, "r")
    try {
      readSync(descriptor, buffer, 0, bytes, 0)
      return buffer
    } finally {
      closeSync(descriptor)
    }
  })

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** What the write-ahead log beside a file holds, in words; undefined when it holds no frame. */
const walContent = (file: string): string | undefined => {
  const path = `${file}-wal`
  const size = sizeOf(path)
  if (size <= WAL_HEADER_BYTES) return undefined
  const page = beginningOf(path, WAL_HEADER_BYTES)?.readUInt32BE(PAGE_SIZE_OFFSET)
  if (page === undefined) return undefined
  const frames = Math.floor((size - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + page))
  return `${path} (${size} bytes, ${frames} frames of ${page}-byte pages)`
}

/** The journal beside a file that may hold pages of a half-done transaction, in words. */
const journalContent = (file: string): string | undefined => {
  const path = `${file}-journal`
  const size = sizeOf(path)
  if (size < JOURNAL_HEADER_BYTES) return undefined
  const header = beginningOf(path, JOURNAL_HEADER_BYTES)
  if (header === undefined) return undefined
  const isHot = header.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)
  const pages = header.readUInt32BE(JOURNAL_PAGES_OFFSET)
  return isHot && pages > 0 ? `${path} (${size} bytes, of a database of ${pages} pages)` : undefined
}

/** True for a file of no bytes beside which a log stands: it held a database until it was cut. */
const isCut = (file: string): boolean =>
  // In this order: a file that is being created has content before it has a log.
  [`${file}-wal`, `${file}-shm`].some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined) &&
  statSync(file, { throwIfNoEntry: false })?.size === 0

/**
 * Why no database may be made or read at a path: its file is missing or empty, and a log with content lies there. An
 * index (`-shm`) alone holds nothing, and neither does a log without a frame where there is no file.
 */
export const leftLogFault = (file: string): string | undefined => {
  if (sizeOf(file) > 0) return undefined
  const content = walContent(file) ?? journalContent(file)
  const cut = isCut(file)
  if (!cut && (content === undefined || sizeOf(file) > 0)) return undefined
  const state = statSync(file, { throwIfNoEntry: false }) === undefined ? "missing" : "empty"
  return `it is ${state}, but a database's log stands beside it${content === undefined ? "" : `: ${content}`}; put the database file back beside its log, or move the log away if what it holds is of no worth`
}

/** What SQLite keeps beside a database: its log and the log's index, or a journal. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const

/**
 * What is said of something beside a database, under the name of its log or one of these, that is no file: SQLite could not open
 * it, and would wait at a pipe without an end.
 */
export const noFileBeside = (file: string, others: ReadonlyArray<string> = []): string | undefined => {
  const path = [...COMPANIONS, ...others]
    .map((part) => `${file}${part}`)
    .find((each) => lstatSync(each, { throwIfNoEntry: false })?.isFile() === false)
  return path === undefined
    ? undefined
    : `${path} is a folder, a link or a device, where a file belongs that stands beside ${file}: move it away`
}
