// The program of a cassette's child, but for two things: it notes its process id beside the cassette's file, and it
// hangs in a request for as long as another file there says so.
import { appendFileSync, existsSync } from "node:fs"
import { cassetteAnswers, serve } from "../children/child-service.ts"

const [, , file = "", id = ""] = process.argv
appendFileSync(`${file}.children`, `${process.pid}\n`)

const answer = cassetteAnswers(file, id, {})
serve((message) => {
  if (existsSync(`${file}.hang`)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return answer(message)
})
