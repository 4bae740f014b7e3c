/** What the list of tools promises: Schemas that function calling takes, bounds that are held, and a list that is short. */
import * as Effect from "effect/Effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/testing/in-process.ts"
import { agentTools, toolGroups } from "./tools/agent-tools.ts"
import { Caller } from "./caller.ts"
import { plainJsonSchema } from "./json-schema.ts"
import { CorpusAccess } from "./corpus-access.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { NetworkAccess } from "./network-access.ts"
import { RootFolder } from "./root-folder.ts"
import type { AgentTool } from "./tools/tool.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly enum?: ReadonlyArray<string>
}

const schemaOf = (tool: AgentTool, speaksForOne: boolean) =>
  plainJsonSchema(tool.input(speaksForOne)) as unknown as JsonSchema

interface FoundSchema {
  readonly path: ReadonlyArray<string>
  readonly schema: JsonSchema
}

const within = (schema: JsonSchema, path: ReadonlyArray<string> = []): ReadonlyArray<FoundSchema> => [
  { path, schema },
  ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => within(inner, [...path, name])),
  ...(schema.items === undefined ? [] : within(schema.items, [...path, "*"]))
]

const everything = [true, false].flatMap((speaksForOne) =>
  agentTools.flatMap((tool) =>
    within(schemaOf(tool, speaksForOne)).map(({ path, schema }) => ({ tool, speaksForOne, path, schema }))
  )
)

describe("the Schema of every tool's input", () => {
  it("is an object with properties, required and nothing else", () => {
    for (const { path, schema, tool } of everything) {
      const name = `${tool.name} ${path.join("/")}`
      expect(schema.type, name).toMatch(/^(object|string|integer|boolean|array)$/)
      if (schema.type !== "object") continue
      expect(schema.properties, name).toBeDefined()
      if (path.length === 0) expect(schema.additionalProperties, name).toBe(false)
      if (schema.additionalProperties === false) expect(schema.required, name).toBeInstanceOf(Array)
    }
  })

  it("holds no unions, references or null", () => {
    for (const tool of agentTools) {
      expect(JSON.stringify(schemaOf(tool, false)), tool.name).not.toMatch(
        /"(anyOf|oneOf|allOf|not|\$ref|\$defs|definitions|prefixItems|const)"|"null"/
      )
    }
  })

  it("describes every argument, at any depth", () => {
    for (const { path, schema, tool } of everything) {
      if (path.length === 0 || path.at(-1) === "*") continue
      expect(schema.description, `${tool.name} ${path.join("/")}`).toMatch(/\S/)
    }
  })

  it("requires the actor exactly where the server speaks for no agent", () => {
    for (const [name, actor] of [
      ["thought_record", "agent_id"],
      ["step_claim", "worker_id"],
      ["step_complete", "worker_id"],
      ["lease_renew", "worker_id"],
      ["step_requeue", "requested_by"]
    ] as const) {
      const tool = agentTools.find((each) => each.name === name)!
      expect(schemaOf(tool, false).required, name).toContain(actor)
      expect(schemaOf(tool, true).required, name).not.toContain(actor)
      expect(Object.keys(schemaOf(tool, true).properties ?? {}), name).toContain(actor)
    }
  })
})

/** A value that fits a Schema, as small as can be. */
const sample = (schema: JsonSchema): unknown => {
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === "integer") return schema.minimum
  if (schema.type === "string") return "a".repeat(Math.max(1, schema.minLength ?? 1))
  if (schema.type === "boolean") return true
  if (schema.type === "array") return [sample(schema.items ?? {})]
  const names = schema.required ?? []
  return Object.fromEntries(names.map((name) => [name, sample(schema.properties?.[name] ?? {})]))
}

/** Minimal arguments with one value at a path; the rest of what is on the way is as small as can be. */
const withValue = (schema: JsonSchema, [step, ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  if (step === undefined) return value
  if (step === "*") return [withValue(schema.items ?? {}, rest, value)]
  return {
    ...(sample(schema) as object),
    [step]: withValue(schema.properties?.[step] ?? {}, rest, value)
  }
}

const reached = "the tool itself was reached"
const unreachable = Effect.die(reached)

/** Where the validator of a tool refuses arguments, by JSON pointers; none when it passes them. */
const refusedAt = async (tool: AgentTool, speaksForOne: boolean, input: unknown) => {
  const exit = await Effect.runPromiseExit(
    tool
      .call(input)
      .pipe(
        Effect.provideService(Caller, { agent: speaksForOne ? "a" : undefined }),
        Effect.provideService(RootFolder, { path: "/nowhere", isNamed: true }),
        Effect.provideService(LedgerAccess, { open: () => unreachable }),
        Effect.provideService(CorpusAccess, { open: unreachable }),
        Effect.provideService(NetworkAccess, { open: unreachable })
      )
  )
  const text = JSON.stringify(exit)
  return [...text.matchAll(/"path":"([^"]*)"/g)].map(([, path]) => path)
}

describe("the bounds of every tool's input", () => {
  it("are those that are held: the bound itself passes, and one beyond it is refused", async () => {
    let bounds = 0
    const judge = async (found: (typeof everything)[number], value: unknown, passes: boolean) => {
      bounds++
      const schema = schemaOf(found.tool, found.speaksForOne)
      const pointer = `/${found.path.map((step) => (step === "*" ? "0" : step)).join("/")}`
      const refusals = await refusedAt(found.tool, found.speaksForOne, withValue(schema, found.path, value))
      const shown = typeof value === "string" ? `${value.length} characters` : JSON.stringify(value)
      expect({
        of: `${found.tool.name} ${pointer} ${shown}`,
        refused: refusals.includes(pointer)
      }).toEqual({ of: `${found.tool.name} ${pointer} ${shown}`, refused: !passes })
    }
    for (const found of everything) {
      const { schema } = found
      if (schema.type === "integer") {
        expect(schema.minimum, found.tool.name).toBeDefined()
        expect(schema.maximum, found.tool.name).toBeDefined()
        await judge(found, schema.minimum, true)
        await judge(found, schema.maximum, true)
        await judge(found, schema.minimum! - 1, false)
        await judge(found, schema.maximum! + 1, false)
      }
      if (schema.type === "string" && schema.minLength !== undefined && schema.minLength > 0) {
        await judge(found, "a".repeat(schema.minLength - 1), false)
      }
      if (schema.type === "string" && schema.maxLength !== undefined && !found.path.includes("symbol_id")) {
        await judge(found, "a".repeat(schema.maxLength), true)
        await judge(found, "a".repeat(schema.maxLength + 1), false)
      }
      if (schema.type === "array" && schema.minItems === 1) await judge(found, [], false)
      if (schema.enum !== undefined) await judge(found, "no such word", false)
    }
    expect(bounds).toBeGreaterThan(150)
  })
})

describe("the list of tools", () => {
  it("is at most 8,000 tokens with everything on", async () => {
    writeFileSync(join(place.folder, "a.md"), "# A\n")
    await runCli(["network", "init"], { cwd: place.folder })
    const session = await start()
    const { result } = await session.request("tools/list")
    const tokens = countTokens(JSON.stringify(result))
    expect(tokens).toBeLessThanOrEqual(8_000)
    expect((result as { tools: ReadonlyArray<unknown> }).tools).toHaveLength(agentTools.length)
  })

  it("costs for each group what the specification says", async () => {
    const rows = []
    for (const [group, tools] of Object.entries(toolGroups)) {
      const session = await start("--tools", group)
      const { result } = await session.request("tools/list")
      // Descriptions name the folder, whose name is another one in every test.
      const list = JSON.stringify(result).replaceAll(place.folder, "/project")
      rows.push(`| \`${group}\` | ${tools.length} | ${countTokens(list)} |`)
    }
    const specification = readFileSync(join(import.meta.dirname, "../../docs/spec/mcp.md"), "utf8")
    expect(specification).toContain(`| group | tools | tokens |\n|---|---|---|\n${rows.join("\n")}\n`)
  })
})
