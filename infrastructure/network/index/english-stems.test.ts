// What is remembered of texts keeps nothing else of them.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { termTextsBy } from "../../../domain/network/ranking/words.ts"
import { englishTerms } from "./english-stems.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: unknown = runInNewContext("gc")

const heapAfterwards = (): number => {
  if (typeof collectGarbage === "function") collectGarbage()
  return process.memoryUsage().heapUsed
}

it("keeps no document in memory for a name that it remembers", () => {
  const documents = 10
  const before = heapAfterwards()
  let found = 0
  for (let place = 0; place < documents; place++) {
    const own = `nameofonlythisdocument${String.fromCharCode(97 + place)}`
    const text = `${"common words of texts ".repeat(50_000)}${own} module.${own}-parts/${own} ünï${own}`
    found += termTextsBy(text, englishTerms).identifiers.length
  }
  expect(found).toBeGreaterThan(documents)
  // Each document has 1.1 MB.
  expect(heapAfterwards() - before).toBeLessThan(4_000_000)
})
