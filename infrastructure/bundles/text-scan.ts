// Looks at a text that comes in pieces, as bytes: its hash, and whether it is UTF-8 without carriage returns and byte
// order mark that ends with a line feed. Memory stays at one piece however long the text is; nothing is decoded.
import { isUtf8 } from "node:buffer"
import { createHash, type Hash, hash } from "node:crypto"
import type { ArtifactFacts } from "../../domain/bundles/folder-check.ts"

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

/** Room before a piece for the bytes of a character that the piece before left unfinished. */
export const CARRIED_BYTES = 3

/** How many bytes at the end belong to a character that goes on behind it. */
const unfinishedBytes = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(CARRIED_BYTES, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? back : 0
    }
  }
  return 0
}

const hasMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** The facts of a text that is in memory as a whole. */
export const factsOfWhole = (bytes: Buffer): ArtifactFacts => ({
  bytes: bytes.length,
  sha256: hash("sha256", bytes),
  isUtf8: isUtf8(bytes),
  hasCarriageReturn: bytes.includes(CARRIAGE_RETURN),
  hasByteOrderMark: hasMark(bytes),
  endsWithLineFeed: bytes.at(-1) === LINE_FEED
})

/** A scan over pieces; the pieces lie in `buffer` from `start` on, since what was carried stands before them. */
export class TextScan {
  private readonly buffer: Buffer
  private readonly state: Hash = createHash("sha256")
  private carried = 0
  private bytes = 0
  private sound = true
  private hasCarriageReturn = false
  private hasByteOrderMark = false
  private last: number | undefined = undefined

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  /** Where in the buffer the next piece belongs. */
  get start(): number {
    return this.carried
  }

  /** Takes the piece of this length that was put at `start`; the first has at least three bytes, or is the last. */
  take(length: number): void {
    const piece = this.buffer.subarray(this.carried, this.carried + length)
    if (this.bytes === 0) this.hasByteOrderMark = hasMark(piece)
    this.state.update(piece)
    this.bytes += length
    this.hasCarriageReturn ||= piece.includes(CARRIAGE_RETURN)
    this.last = piece.at(-1) ?? this.last
    const whole = this.buffer.subarray(0, this.carried + length)
    const unfinished = unfinishedBytes(whole)
    this.sound &&= isUtf8(whole.subarray(0, whole.length - unfinished))
    whole.copyWithin(0, whole.length - unfinished)
    this.carried = unfinished
  }

  /** What the pieces were; after this the scan is over. */
  facts(): ArtifactFacts {
    return {
      bytes: this.bytes,
      sha256: this.state.digest("hex"),
      isUtf8: this.sound && this.carried === 0,
      hasCarriageReturn: this.hasCarriageReturn,
      hasByteOrderMark: this.hasByteOrderMark,
      endsWithLineFeed: this.last === LINE_FEED
    }
  }
}
