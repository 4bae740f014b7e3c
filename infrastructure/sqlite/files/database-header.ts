// The first 100 bytes of a database's file, judged byte by byte as SQLite's file format describes them
// (https://www.sqlite.org/fileformat2.html#the_database_header). A pure judgement: it reads no file, and it knows only
// databases as this program makes them, so that a value which SQLite would take but this program never writes is a fault too.

/** How long a header is. */
export const HEADER_BYTES = 100

/** What is known of the file around its header. */
export interface HeaderPlace {
  /** How long the file is (bytes). */
  readonly fileBytes: number
  /**
   * True when a log stands beside the file: it may hold a newer first page, so that what changes with every commit
   * (counters, sizes, the freelist) is not judged here.
   */
  readonly logged: boolean
}

const MAGIC = Buffer.from("SQLite format 3\0", "latin1")

const u16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** A big-endian number of four bytes. */
export const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) * 65_536 + u16(bytes, at + 2)

/** How large a page is (bytes); 0 when the header names no size that there is. */
export const pageSizeOf = (header: Uint8Array): number => {
  const size = u16(header, 16)
  if (size === 1) return 65_536
  return size >= 512 && size <= 32_768 && (size & (size - 1)) === 0 ? size : 0
}

/** What the header says of the list of free pages: its first trunk page and how many pages it holds. */
export const freelistOf = (header: Uint8Array): { readonly trunk: number; readonly pages: number } => ({
  trunk: u32(header, 32),
  pages: u32(header, 36)
})

/** How many bytes of the magic text may be damaged for a file to be a damaged database and not something else. */
const MAX_DAMAGED_MAGIC = 2

/** True for a header that is that of an SQLite database, or was before a few bytes were damaged. */
export const looksLikeHeader = (header: Uint8Array): boolean =>
  header.length >= HEADER_BYTES && MAGIC.filter((byte, at) => header[at] !== byte).length <= MAX_DAMAGED_MAGIC

/** One rule of the header: whether it holds, and what is wrong when it does not. */
type Rule = readonly [holds: boolean, fault: () => string]

const fixedRules = (header: Uint8Array, logged: boolean): ReadonlyArray<Rule> => {
  const byte = (at: number): number => header[at] ?? 0
  const number = (at: number): number => u32(header, at)
  return [
    [MAGIC.equals(header.subarray(0, 16)), () => "bytes 0 to 15 are not SQLite's magic text"],
    [pageSizeOf(header) > 0, () => `bytes 16 and 17 name a page size that there is not (${u16(header, 16)})`],
    [
      byte(18) === byte(19) && (byte(18) === 1 || byte(18) === 2),
      () =>
        `bytes 18 and 19, the versions for writing and reading, are ${byte(18)} and ${byte(19)}: both are 1 or both 2`
    ],
    [byte(20) === 0, () => `byte 20 reserves ${byte(20)} bytes of each page, this program reserves none`],
    [
      byte(21) === 64 && byte(22) === 32 && byte(23) === 32,
      () =>
        `bytes 21 to 23, the payload fractions, are ${byte(21)}, ${byte(22)} and ${byte(23)}, not 64, 32 and 32`
    ],
    // It is 0 until the first table is made, and that may stand in the log.
    [
      number(44) === 4 || (logged && number(44) === 0),
      () => `bytes 44 to 47, the schema's format, are ${number(44)}, not 4`
    ],
    [
      // SQLite looks at its last two bits alone. A text in UTF-16 is no damage: it is another program's database.
      (number(56) >= 1 && number(56) <= 3) || (logged && number(56) === 0),
      () => `bytes 56 to 59, the encoding of texts, are ${number(56)}, not 1`
    ],
    [number(48) === 0, () => `bytes 48 to 51, a suggested cache size, are ${number(48)}, not 0`],
    [
      number(52) === 0 && number(64) === 0,
      () =>
        `bytes 52 to 55 and 64 to 67, for auto_vacuum, are ${number(52)} and ${number(64)}, not 0: this program makes no such file`
    ],
    [
      header.subarray(72, 92).every((value) => value === 0),
      () => "bytes 72 to 91 are reserved and not all zero"
    ]
  ]
}

/** What may stand newer in a log. */
const changingRules = (header: Uint8Array, fileBytes: number): ReadonlyArray<Rule> => {
  const number = (at: number): number => u32(header, at)
  const pages = number(28)
  const size = pages * pageSizeOf(header)
  const free = freelistOf(header)
  return [
    [
      number(24) === number(92),
      () =>
        `bytes 24 to 27, the change counter, are ${number(24)}, and bytes 92 to 95, the change that the page count is of, ${number(92)}`
    ],
    [
      size === fileBytes,
      () => `bytes 28 to 31 say ${pages} pages (${size} bytes), the file has ${fileBytes} bytes`
    ],
    [
      (free.trunk === 0) === (free.pages === 0) &&
        free.trunk !== 1 &&
        free.trunk <= pages &&
        free.pages < pages,
      () =>
        `bytes 32 to 39 say that ${free.pages} of ${pages} pages are free, from page ${free.trunk} on, which cannot be`
    ]
  ]
}

/**
 * Everything that is wrong with a header, as sentences without a full stop; nothing for a sound one. Bytes 40 to 43 (the
 * schema's cookie) and 96 to 99 (the library that wrote last) may be anything. Bytes 60 to 63 and 68 to 71 (user
 * version, application id) are held against the schema, by others.
 */
export const headerFaults = (
  header: Uint8Array,
  { fileBytes, logged }: HeaderPlace
): ReadonlyArray<string> => {
  if (header.length < HEADER_BYTES) return [`the file ends within its header, after ${header.length} bytes`]
  return [...fixedRules(header, logged), ...(logged ? [] : changingRules(header, fileBytes))]
    .filter(([holds]) => !holds)
    .map(([, fault]) => fault())
}
