import { createInterface } from "node:readline"
const vectorOf = (text) => [1, ..."aei"].map((letter) => (letter === 1 ? 1 : text.split(letter).length - 1))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, texts } = JSON.parse(line)
  console.log(JSON.stringify({ id, vectors: texts.map(vectorOf) }))
}
