// A program for the embedder `command`: it answers as its first argument says, honestly or not.
import { closeSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [behaviour = "honest", pidFile] = process.argv.slice(2)
if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid))

const vectorOf = (text: string): ReadonlyArray<number> => [text.length, 1, 0]

let answered = 0

for await (const line of createInterface({ input: process.stdin })) {
  const { id, texts } = JSON.parse(line) as { readonly id: number; readonly texts: ReadonlyArray<string> }
  if (behaviour === "silent") continue
  if (behaviour === "ending") process.exit(7)
  if (behaviour === "mute") {
    closeSync(1)
    continue
  }
  if (behaviour === "endless") {
    for (;;) process.stdout.write("1".repeat(65_536))
  }
  const vectors = texts.map(vectorOf)
  const answers: Readonly<Record<string, unknown>> = {
    nonsense: "nonsense",
    "other-id": { id: id + 1, vectors },
    short: { id, vectors: vectors.slice(1) },
    "other-size": { id, vectors: vectors.map((vector) => vector.slice(1)) },
    more: { id, vectors: [...vectors, [1, 1, 1]] },
    "no-number": { id, vectors: texts.map(() => [1, null, 1]) },
    zero: { id, vectors: texts.map(() => [0, 0, 0]) }
  }
  const text = JSON.stringify(answers[behaviour] ?? { id, vectors })
  // JSON has no word for it, and a number beyond all bounds is read as one.
  if (behaviour === "progress") process.stdout.write("\rloading 50 %\rloading 100 %\r")
  if (behaviour === "not-finite") {
    // As Python's writer of JSON spells it.
    console.log(`{"id":${id},"vectors":[${texts.map(() => "[NaN,1,1]").join(",")}]}`)
    continue
  }
  console.log(behaviour === "infinite" ? `{"id":${id},"vectors":[[1e999,0,0],[1,0,0]]}` : text)
  answered += 1
  if (behaviour === "ending-after-one" && answered === 1) process.exit(0)
}
