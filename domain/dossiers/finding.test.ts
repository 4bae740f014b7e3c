/** The finding codes are promised to other implementations: the specification's tables hold exactly these, with these meanings. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { type DossierFindingCode, dossierFindingCodes, makesInvalid } from "./finding.ts"

const specification = readFileSync(new URL("../../docs/spec/dossiers.md", import.meta.url), "utf8")

/** The rows of the table whose heading names an exit code. */
const tableOf = (exit: number): ReadonlyArray<readonly [string, string]> => {
  const [, after = ""] = specification.split(`exit ${exit} `)
  const [table = ""] = after.split("\n\n")
  return [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, code = "", meaning = ""]) => [
    code,
    meaning
  ])
}

const codesThat = (isInvalid: boolean) =>
  Object.entries(dossierFindingCodes).filter(
    ([code]) => makesInvalid(code as DossierFindingCode) === isInvalid
  )

it("finding codes are those of the specification", () => {
  assert.deepStrictEqual(tableOf(2), codesThat(true))
  assert.deepStrictEqual(tableOf(1), codesThat(false))
})
