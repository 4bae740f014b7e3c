/** The bytes of a stream, which is left as soon as it goes over the limit: undefined then. */
export const boundedBytes = async (
  chunks: AsyncIterable<Uint8Array>,
  limit: number
): Promise<Uint8Array | undefined> => {
  const read: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) return undefined
    read.push(chunk)
  }
  return Buffer.concat(read)
}
