// The files of the campaigns are the same bytes each time, so that a seed and a case repeat what was found.
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"
import { makeHonestFiles } from "./support/damage/honest-files.ts"

describe("the files that are damaged", () => {
  it("are the same bytes each time, log and older state too", async () => {
    const [first, second] = [
      await makeHonestFiles(temporaryFolder()),
      await makeHonestFiles(temporaryFolder())
    ]
    for (const [index, { bytes, older, shape, store, wal }] of first.entries()) {
      const again = second[index]!
      const same = [bytes.equals(again.bytes), wal.equals(again.wal), older.equals(again.older)]
      expect(same, `${store}, ${shape}`).toStrictEqual([true, true, true])
    }
  })
})
