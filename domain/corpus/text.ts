// The text that a file holds, as UTF-8 bytes: without a byte order mark and with every line end an LF, nothing else
// changed. It works on bytes, in place, so that a large file is held once. Whether bytes are text at all is judged
// before, by anyone who reads them.

const CR = 0x0d
const LF = 0x0a

const hasByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/**
 * Gives the text's bytes: a byte order mark is dropped, CRLF and CR become LF. The given bytes are overwritten and the
 * result is a part of them.
 */
export const normalizeText = (bytes: Uint8Array): Uint8Array => {
  const text = hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes
  let from = text.indexOf(CR)
  if (from === -1) return text
  let to = from
  while (from < text.length) {
    // At a CR: it becomes an LF, and takes the LF behind it along.
    text[to++] = LF
    from += text[from + 1] === LF ? 2 : 1
    const next = text.indexOf(CR, from)
    const end = next === -1 ? text.length : next
    text.copyWithin(to, from, end)
    to += end - from
    from = end
  }
  return text.subarray(0, to)
}

/** The number of lines that a text has: those that end in LF, and what follows the last one. */
export const countLines = (text: Uint8Array): number => {
  let lines = 0
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) lines++
  return text.length === 0 || text[text.length - 1] === LF ? lines : lines + 1
}

/** Where each line begins, in bytes, and at last where the text ends. */
export const lineStarts = (text: Uint8Array): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) starts.push(at + 1)
  if (starts.at(-1) !== text.length) starts.push(text.length)
  return starts
}

/** The bytes of the lines from `start` to before `end`, with their LFs; lines beyond the text are empty. */
export const textOfLines = (text: Uint8Array, start: number, end: number): Uint8Array => {
  let line = 0
  let from = 0
  const skip = (target: number): number => {
    let at = from
    while (line < target) {
      const next = text.indexOf(LF, at)
      if (next === -1) return text.length
      at = next + 1
      line++
    }
    return at
  }
  from = skip(start)
  return text.subarray(from, skip(end))
}
