// Takes lines out of bytes as they come: what two processes that speak lines over a pipe have in common. It loads nothing,
// since a process per cassette starts with it, and keeps no more than the line that is not whole yet.

const LINE_FEED = 10

export class LineReader {
  private parts: Array<Uint8Array> = []

  /** The lines that are whole with these bytes, without their ends; the bytes may be changed afterwards. */
  read(bytes: Buffer): ReadonlyArray<string> {
    const lines: Array<string> = []
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      lines.push(this.whole(bytes.subarray(from, end)))
      from = end + 1
    }
    if (from < bytes.byteLength) this.parts.push(new Uint8Array(bytes.subarray(from)))
    return lines
  }

  private whole(last: Buffer): string {
    if (this.parts.length === 0) return last.toString("utf8")
    const line = Buffer.concat([...this.parts, last]).toString("utf8")
    this.parts = []
    return line
  }
}
