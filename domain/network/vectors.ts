// Vectors of texts: who made them, how texts are prepared for it, and how alike two are. Vectors of different makers are
// never compared. A store keeps the maker beside every vector; this file only says what must be equal.

/** The rule by which a text is prepared before it is embedded. */
export const EMBEDDING_NORMALIZER = "nfc/1"

/** Who made a vector. Two vectors can be compared only when all four are equal. */
export interface EmbedderIdentity {
  readonly model: string
  readonly revision: string
  /** 1 to 8,192. */
  readonly dimensions: number
  readonly normalizer: string
}

/** One line that names a maker, for people and for comparison. */
export const identityText = ({ dimensions, model, normalizer, revision }: EmbedderIdentity): string =>
  `${model} ${revision} (${dimensions} dimensions, ${normalizer})`

/** The text as it is embedded. */
export const preparedText = (text: string): string => text.normalize("NFC")

/** The vector at length 1 as 32-bit floats; undefined when it has another size, no length, or a number that is none. */
export const unitVector = (values: ReadonlyArray<number>, dimensions: number): Float32Array | undefined => {
  if (values.length !== dimensions || !values.every(Number.isFinite)) return undefined
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  return length === 0 || !Number.isFinite(length)
    ? undefined
    : Float32Array.from(values, (value) => value / length)
}

/** The cosine of two vectors of length 1, summed in the order of their places. */
export const cosine = (left: Float32Array, right: Float32Array): number => {
  let sum = 0
  for (let place = 0; place < left.length; place++) sum += left[place]! * right[place]!
  return sum
}

/** The numbers of a stored vector: little-endian 32-bit floats. */
export const floatsOf = (data: Uint8Array): Float32Array => {
  const aligned = data.byteOffset % 4 === 0 ? data : new Uint8Array(data)
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2)
}
