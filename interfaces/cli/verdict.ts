// The one line that says how a verification ended. Its words are promised to scripts and go to standard error; with
// --format json the document alone says it.
import * as Effect from "effect/Effect"
import { Host, type HostShape, mayColour } from "../shared/host.ts"
import { Format } from "../shared/options.ts"
import { writeNotes } from "./output.ts"

/** `PASS: All invariants verified`, or `FAIL: N issue(s) found`. */
export const verdictLine = (host: HostShape, issues: number): string => {
  const [word, colour, rest] =
    issues === 0 ? ["PASS", 32, "All invariants verified"] : ["FAIL", 31, `${issues} issue(s) found`]
  return mayColour(host, "stderr") ? `\u001b[${colour}m${word}:\u001b[0m ${rest}` : `${word}: ${rest}`
}

/** Says that a verification has passed, to people. */
export const writePass = Effect.gen(function* () {
  if ((yield* Format) === "text") yield* writeNotes([verdictLine(yield* Host, 0)])
})
