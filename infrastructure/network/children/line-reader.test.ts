// Lines come out whole, however the bytes were cut.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LineReader } from "./line-reader.ts"

describe("lines", () => {
  it("are the same wherever the bytes are cut, inside a character too", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "").toWellFormed())
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (lines, steps) => {
          const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""))
          const reader = new LineReader()
          const read: Array<string> = []
          const room = Buffer.alloc(9)
          for (let from = 0, step = 0; from < bytes.byteLength; step++) {
            const end = Math.min(bytes.byteLength, from + steps[step % steps.length]!)
            // The same room every time, as a reader of a pipe has it.
            const taken = bytes.copy(room, 0, from, end)
            read.push(...reader.read(room.subarray(0, taken)))
            from = end
          }
          expect(read).toEqual(lines)
        }
      )
    )
  })
})
