/** The tables of finding codes in a specification. Outside tests nothing may import it. */

/** The rows, code and meaning, of the table whose heading names an exit code. */
export const codeTable = (specification: string, exit: number): ReadonlyArray<readonly [string, string]> => {
  const [, after = ""] = specification.split(`exit ${exit} `)
  const [table = ""] = after.split("\n\n")
  return [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, code = "", meaning = ""]) => [
    code,
    meaning
  ])
}
