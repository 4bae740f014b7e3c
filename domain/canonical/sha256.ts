// The port through which pure code hashes text. It is synchronous, since hashes are taken inside deciders
// and chain checks where nothing may be awaited. No implementation may live in this layer.

/** Lower-case hexadecimal SHA-256 (64 characters) of the text's UTF-8 bytes; the text must be well-formed. */
export type Sha256 = (text: string) => string

/** Lower-case hexadecimal SHA-256 (64 characters) of bytes. */
export type Sha256OfBytes = (bytes: Uint8Array) => string

/** A SHA-256 that is fed text by text, for what is too long for one text; `digest` gives lower-case hex, once. */
export interface Sha256Stream {
  /** Takes the next piece, as UTF-8. */
  readonly update: (text: string) => void
  /** The hash of all pieces in lower-case hex; nothing may follow. */
  readonly digest: () => string
}
