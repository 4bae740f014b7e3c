// Every error that a command can end with is explained, with its exit code: in docs/errors.md by its tag, in the specifications by
// its code.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { errorCode } from "../domain/foundation/errors.ts"
import { exitCodes, exitMeanings } from "../interfaces/shared/exit-codes.ts"
import { runCli } from "../interfaces/cli/testing/in-process.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const specifications = readdirSync(join(repository, "docs", "spec"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", "spec", name))

interface Row {
  readonly names: ReadonlyArray<string>
  readonly exit: string
}

/** The rows of a document's tables with a column `exit` behind the names of errors. */
const rowsOf = (document: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let exitColumn = -1
  for (const line of readFileSync(join(repository, document), "utf8").split("\n")) {
    const cells = line.startsWith("|") ? line.split("|").map((cell) => cell.trim()) : []
    if (cells.length === 0) exitColumn = -1
    else if (exitColumn < 0) exitColumn = cells.indexOf("exit")
    if (exitColumn < 0 || cells[exitColumn] === "exit") continue
    const names = [...(cells[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
    if (names.length > 0) rows.push({ names, exit: cells[exitColumn] ?? "" })
  }
  return rows
}

/** What the tables say of each name; a name that stands twice is said twice. */
const told = (documents: ReadonlyArray<string>): ReadonlyArray<readonly [name: string, exit: string]> =>
  documents.flatMap(rowsOf).flatMap(({ exit, names }) => names.map((name) => [name, exit] as const))

const tags = Object.keys(exitCodes) as ReadonlyArray<keyof typeof exitCodes>

describe("error tables", () => {
  it("of docs/errors.md have each error once, with its exit code", () => {
    const rows = told(["docs/errors.md"])
    expect(rows.map(([name]) => name).sort()).toEqual([...tags].sort())
    for (const [tag, exit] of rows)
      expect([tag, exit]).toEqual([tag, `${exitCodes[tag as keyof typeof exitCodes]}`])
  })

  it("of the specifications have each code, with its exit code", () => {
    const exits = new Map(tags.map((tag) => [errorCode({ _tag: tag }), `${exitCodes[tag]}`]))
    const rows = told(specifications)
    expect([...new Set(rows.map(([code]) => code))].sort()).toEqual(
      [...exits.keys(), "INTERNAL", "USAGE"].sort()
    )
    for (const [code, exit] of rows)
      if (exits.has(code)) expect([code, exit]).toEqual([code, exits.get(code)])
  })
})

describe("exit codes", () => {
  it("mean the same in the table of errors and in every help", async () => {
    const errors = readFileSync(join(repository, "docs", "errors.md"), "utf8").replace(/\s+/g, " ")
    const help = (await runCli(["--help"], { cwd: repository })).stdout
    for (const [code, meaning] of Object.entries(exitMeanings)) {
      expect(errors).toContain(`${code} ${meaning}.`)
      expect(help).toContain(`  ${code}    ${meaning}\n`)
    }
  })
})
