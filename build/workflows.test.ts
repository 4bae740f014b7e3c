// The workflows call what the repository has, take actions at one version, and may do no more than they must.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { parse } from "yaml"

const root = new URL("../", import.meta.url)
const folder = new URL(".github/workflows/", root)

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<string, { readonly steps: ReadonlyArray<{ readonly run?: string; readonly uses?: string }> }>
  >
}

const workflows = readdirSync(folder).map(
  (name) => [name, parse(readFileSync(new URL(name, folder), "utf8")) as Workflow] as const
)
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}

const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)
const commandsOf = (workflow: Workflow) =>
  stepsOf(workflow).flatMap(({ run }) => run?.trim().split("\n") ?? [])

it("are the check and the release", () => {
  expect(workflows.map(([name]) => name)).toEqual(["ci.yml", "release.yml"])
})

it.each(workflows)("%s runs programs and scripts that exist", (_, workflow) => {
  const commands = commandsOf(workflow)
  expect(commands).toContain(".ci/run")
  for (const command of commands) {
    const [program = ""] = command.split(" ")
    if (program.includes("/")) accessSync(fileURLToPath(new URL(program, root)), constants.X_OK)
    else expect(["git", "npm", "npx"]).toContain(program)
    const [, script] = /pnpm@12 run (\S+)/.exec(command) ?? []
    if (program === "npx") expect(manifest.scripts).toHaveProperty([script ?? ""])
  }
})

it.each(workflows)("%s takes each action at one version", (_, workflow) => {
  const actions = stepsOf(workflow).flatMap(({ uses }) => uses ?? [])
  expect(actions.length).toBeGreaterThan(0)
  expect(actions.filter((action) => !/@v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

it("publishing has a provenance, comes after what judges it, and alone may write", () => {
  const [[, check], [, release]] = workflows as [(typeof workflows)[0], (typeof workflows)[0]]
  expect(check.permissions).toEqual({ contents: "read" })
  expect(release.permissions).toEqual({ contents: "write", "id-token": "write" })
  const commands = commandsOf(release)
  const at = (part: string): number => commands.findIndex((command) => command.includes(part))
  expect(commands[at("npm publish")]).toContain("--provenance")
  expect([0, at("release:check"), at("npm publish"), at("git push")]).toEqual([0, 1, 2, 4])
})
