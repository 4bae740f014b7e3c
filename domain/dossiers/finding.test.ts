/** The finding codes are promised to other implementations: the specification's tables hold exactly these, with these meanings. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { codeTable } from "../foundation/testing/code-tables.ts"
import { type DossierFindingCode, dossierFindingCodes, makesInvalid } from "./finding.ts"

const specification = readFileSync(new URL("../../docs/spec/dossiers.md", import.meta.url), "utf8")

const codesThat = (isInvalid: boolean) =>
  Object.entries(dossierFindingCodes).filter(
    ([code]) => makesInvalid(code as DossierFindingCode) === isInvalid
  )

it("finding codes are those of the specification", () => {
  assert.deepStrictEqual(codeTable(specification, 2), codesThat(true))
  assert.deepStrictEqual(codeTable(specification, 1), codesThat(false))
})
