/**
 * The finding codes are promised to other implementations: the specification's tables hold exactly these codes, with
 * these meanings, under the exit code that they call for.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { BundleFindings } from "./finding-list.ts"
import { codeTable } from "../foundation/testing/code-tables.ts"
import { type BundleFindingCode, bundleFindingCodes, makesInvalid } from "./finding.ts"
import { MAX_FINDINGS } from "../foundation/finding.ts"

const specification = readFileSync(new URL("../../docs/spec/bundles.md", import.meta.url), "utf8")

const codesThat = (isInvalid: boolean) =>
  Object.entries(bundleFindingCodes).filter(([code]) => makesInvalid(code as BundleFindingCode) === isInvalid)

describe("finding codes", () => {
  it("are those of the specification", () => {
    assert.deepStrictEqual(codeTable(specification, 2), codesThat(true))
    assert.deepStrictEqual(codeTable(specification, 1), codesThat(false))
  })
})

describe("a list of findings", () => {
  it("keeps the worst verdict and counts what it does not list", () => {
    const list = new BundleFindings()
    assert.strictEqual(list.handedOverVerdict, "PASS")
    for (let index = 0; index < MAX_FINDINGS; index++) list.add("FILE_EXTRA", ".", "")
    assert.strictEqual(list.handedOverVerdict, "FAIL")
    list.add("FIELD_INVALID", "", "")
    assert.deepStrictEqual(
      [list.handedOverVerdict, list.listed.length, list.leftOff],
      ["INVALID", MAX_FINDINGS, 1]
    )
  })
})
