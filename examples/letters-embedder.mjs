// The smallest embedder `command` for a network: it counts letters, so near vectors mean like letters and not like meaning. It
// shows what such a program reads and answers; `sentence-embedder.py` beside it runs a model. One line of JSON a request on
// standard input, one line a reply on standard output: {"id":1,"texts":["..."]} is answered by {"id":1,"vectors":[[...]]}.
import { createInterface } from "node:readline"

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

/** A vector of length 1: how often each letter stands in the text. */
const vectorOf = (text) => {
  const counts = [...LETTERS].map((letter) => text.toLowerCase().split(letter).length - 1)
  const length = Math.hypot(...counts) || 1
  return counts.map((count) => count / length)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, texts } = JSON.parse(line)
  console.log(JSON.stringify({ id, vectors: texts.map(vectorOf) }))
}
