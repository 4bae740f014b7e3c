/**
 * The header of a packed file: what `tar` knows it to be, and that no other header is read.
 */
import { assert, describe, it } from "@effect/vitest"
import { parseTarHeader, TAR_BLOCK, tarHeader, tarPadding } from "./tar.ts"

const name = "artifacts/da47e897a285124f.txt"

describe("a header", () => {
  it("is read back", () => {
    for (const size of [0, 1, 20, 512, 2 ** 32]) {
      assert.deepStrictEqual(parseTarHeader(tarHeader(name, size)), { name, size })
    }
  })

  it("with any byte changed is none, or is the header of another name or size", () => {
    for (let index = 0; index < TAR_BLOCK; index++) {
      for (const change of [1, 0x20, 0x80]) {
        const header = tarHeader(name, 20)
        header[index]! ^= change
        assert.isUndefined(parseTarHeader(header), `byte ${index}`)
      }
    }
  })

  it("fills its blocks", () => {
    assert.deepStrictEqual([0, 1, 511, 512, 513].map(tarPadding), [0, 511, 1, 0, 511])
  })
})
