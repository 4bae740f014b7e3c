// Things that fall due come out in the order of their times, however they were added, moved and taken away.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { DueList } from "./due-list.ts"

const step = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "e"),
  due: fc.option(fc.nat(5), { nil: undefined })
})

it("a list of what falls due is a map in the order of times and ids", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const list = new DueList()
      const model = new Map<string, number>()
      for (const { due, id } of steps) {
        if (due === undefined) {
          list.delete(id)
          model.delete(id)
        } else {
          list.add(id, due)
          model.set(id, due)
        }
        const [first] = [...model].toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
        expect(list.first).toEqual(first && { id: first[0], due: first[1] })
        expect(list.size).toBe(model.size)
      }
    })
  )
})
