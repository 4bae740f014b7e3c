// The table of guarantees in README.md beside this file: its rows are read whole, and each command names a script and files that exist. That
// the commands end well is shown by running them, which `pnpm guarantees` does.
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { guaranteesIn, isProperty, quicker } from "./table.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const textOf = (file: string): string => readFileSync(join(repository, file), "utf8")

const heading = "\n## Measured guarantees\n\n| claim | command |\n|---|---|\n"

describe("the table of guarantees", () => {
  const guarantees = guaranteesIn(textOf("docs/guarantees/README.md"))

  it.each(guarantees.map(({ command }) => [command]))(
    "names a script and files that exist: %s",
    (command) => {
      const [, script = "", rest = ""] = /^pnpm ([a-z]+)(.*)$/.exec(quicker(command)) ?? []
      const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }
      expect(Object.keys(scripts)).toContain(script)
      for (const file of rest.split(" ").filter((word) => word.includes("/"))) {
        const names = readdirSync(join(repository, dirname(file)))
        expect(names.filter((name) => name.startsWith(basename(file))).length, file).toBeGreaterThan(0)
      }
    }
  )

  it("has storms beside the properties, and nothing else", () => {
    const others = guarantees.map(({ command }) => command).filter((command) => !isProperty(command))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((command) => !command.startsWith("pnpm storm "))).toEqual([])
    expect(isProperty("PROP_RUNS=9 pnpm prop x") && isProperty("pnpm prop x")).toBe(true)
  })

  it("names every command once", () => {
    expect(new Set(guarantees.map(({ command }) => command)).size).toBe(guarantees.length)
  })

  it("is read to the next heading, and no further", () => {
    const document = `# A${heading}| a | \`pnpm one\` |\n| b | \`PROP_RUNS=9 pnpm two x\` |\n\n## B\n\n| c | \`pnpm three\` |\n`
    expect(guaranteesIn(document)).toEqual([
      { claim: "a", command: "pnpm one" },
      { claim: "b", command: "PROP_RUNS=9 pnpm two x" }
    ])
    expect(quicker("PROP_RUNS=9 pnpm two x")).toBe("pnpm two x")
    expect(quicker("pnpm storm --seconds 12")).toBe("pnpm storm --seconds 4")
    expect(quicker("pnpm storm --workers 30")).toBe("pnpm storm --workers 8")
  })

  it("is refused without heading, without rows, and with a row that has no command", () => {
    expect(() => guaranteesIn("# A\n")).toThrow("no heading")
    expect(() => guaranteesIn(heading)).toThrow("no row")
    expect(() => guaranteesIn(`${heading}| a | pnpm one |\n`)).toThrow("no claim")
  })
})
