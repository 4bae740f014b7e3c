// A program for the embedder `command`: it answers as its first argument says, honestly or not.
import { createInterface } from "node:readline"

const [behaviour = "honest"] = process.argv.slice(2)

const vectorOf = (text: string): ReadonlyArray<number> => [text.length, 1, 0]

for await (const line of createInterface({ input: process.stdin })) {
  const { id, texts } = JSON.parse(line) as { readonly id: number; readonly texts: ReadonlyArray<string> }
  if (behaviour === "silent") continue
  if (behaviour === "ending") process.exit(7)
  const vectors = texts.map(vectorOf)
  const answers: Readonly<Record<string, unknown>> = {
    nonsense: "nonsense",
    "other-id": { id: id + 1, vectors },
    short: { id, vectors: vectors.slice(1) },
    "other-size": { id, vectors: vectors.map((vector) => vector.slice(1)) },
    zero: { id, vectors: texts.map(() => [0, 0, 0]) }
  }
  console.log(JSON.stringify(answers[behaviour] ?? { id, vectors }))
}
