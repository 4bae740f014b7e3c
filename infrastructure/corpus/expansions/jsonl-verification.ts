// The verification of an expansion file, line by line from the first to the last: unlike reading it does not stop at
// the first fault, so that the person who must mend the file sees all of them. It changes nothing.
import { closeSync } from "node:fs"
import * as Result from "effect/Result"
import { CheckFindings, type CheckReport } from "../../../domain/corpus/check-report.ts"
import { type CacheFindingCode, expansionFault } from "../../../domain/corpus/expansion-check.ts"
import { keyText } from "../../../domain/corpus/expansion.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { linesFrom, openLines } from "../../files/json-lines.ts"
import { expansionOfLine, lookAt, MAX_LINE_BYTES } from "./jsonl-records.ts"

/** Every fault of the file; one that is not there has none. Synchronous; throws `NotACache` and Node's system errors. */
export const verifyJsonLines = (file: string): CheckReport => {
  const list = new CheckFindings()
  const firstLines = new Map<string, number>()
  let line = 0
  const report = (code: CacheFindingCode, message: string): void => list.add(code, `line ${line}`, message)
  const judge = (bytes: Uint8Array) => {
    const expansion = expansionOfLine(bytes)
    if (Result.isFailure(expansion)) return report(expansion.failure.code, expansion.failure.message)
    const fault = expansionFault(sha256, expansion.success)
    if (fault !== undefined) report(fault.code, fault.message)
    const key = keyText(expansion.success)
    const first = firstLines.get(key)
    if (first === undefined) return firstLines.set(key, line)
    return report("KEY_DUPLICATE", `it has the key of line ${first}`)
  }
  if (lookAt(file) !== undefined) {
    const descriptor = openLines(file, "read")
    try {
      for (const { bytes, ended } of linesFrom(descriptor, 0, MAX_LINE_BYTES)) {
        line += 1
        if (ended || bytes.length > MAX_LINE_BYTES) judge(bytes)
        else report("LINE_TORN", `it was cut off after ${bytes.length} bytes: cortex cache repair removes it`)
      }
    } finally {
      closeSync(descriptor)
    }
  }
  return list.reportOver({ expansions: firstLines.size })
}
