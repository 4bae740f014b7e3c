// What the registry of MCP servers is told agrees with the package, with the server's own words and with how it is started.
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { sessionsOfTests } from "./testing/sessions.ts"

interface Argument {
  readonly type: "positional" | "named"
  readonly name?: string
  readonly value?: string
}

interface ServerManifest {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly packages: readonly [
    {
      readonly identifier: string
      readonly version: string
      readonly packageArguments: ReadonlyArray<Argument>
    }
  ]
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"))

const server = read("server.json") as ServerManifest
const manifest = read("package.json") as Readonly<Record<"mcpName" | "name" | "version", string>> & {
  readonly bin: Readonly<Record<string, string>>
}
const [npm] = server.packages
const { place, start } = sessionsOfTests()

it("server.json names this package, in this version", () => {
  expect(server).toMatchObject({ name: manifest.mcpName, version: manifest.version })
  expect(npm).toMatchObject({ registryType: "npm", identifier: manifest.name, version: manifest.version })
  // `npx PACKAGE` runs the only command that a package has.
  expect(Object.keys(manifest.bin)).toHaveLength(1)
})

it("has the form that the registry asks for", () => {
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.description.length).toBeLessThanOrEqual(100)
})

it("starts a server that says the same version", async () => {
  const [command, ...flags] = npm.packageArguments.map(({ name, value }) => value ?? name ?? "")
  expect(command).toBe("mcp")
  const values: Readonly<Record<string, string>> = { "--root": place.folder, "--agent": "ada" }
  const session = await start(...flags.flatMap((flag) => [flag, values[flag] ?? ""]))
  const { result } = await session.initialize()
  expect(result).toMatchObject({ serverInfo: { version: server.version } })
})
