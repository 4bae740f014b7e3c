// A cassette's child that hangs in its second request: what a file that never answers looks like from outside.
import { serve } from "../children/child-service.ts"

serve(({ number }) => {
  if (number > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return { number, value: { chunks: process.pid, words: 0, frequencies: [] } }
})
