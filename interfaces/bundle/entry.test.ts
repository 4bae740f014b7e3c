/**
 * The entry point for those who only verify: what it loads is little and none of it knows a database, a ledger's file
 * or a network; the shipped schema is the one that the manifest's Schema gives.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { writeGolden } from "../../infrastructure/bundles/testing/bundle-folders.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { Manifest, verifyBundle } from "./index.ts"

const entry = new URL("index.ts", import.meta.url).href

/** Every module that importing the entry point loads. */
const loaded = (): ReadonlyArray<string> => {
  const program = `
    import { registerHooks } from "node:module"
    const urls = []
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
    await import(${JSON.stringify(entry)})
    console.log(JSON.stringify(urls))`
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8"
  })
  return JSON.parse(output) as ReadonlyArray<string>
}

describe("the entry point", () => {
  it("loads Node's files and hashes, effect and the pure core, and nothing else", () => {
    const urls = loaded()
    const builtIn = urls.filter((url) => url.startsWith("node:")).sort()
    expect(builtIn).toEqual(["node:buffer", "node:crypto", "node:fs", "node:path"])
    const packages = urls.flatMap((url) => /.*\/node_modules\/([^/]+)\//.exec(url)?.[1] ?? [])
    expect([...new Set(packages)]).toEqual(["effect"])
    const own = urls.filter((url) => url.startsWith("file:") && !url.includes("/node_modules/"))
    const root = fileURLToPath(new URL("../..", import.meta.url))
    const layers = own.map((url) => fileURLToPath(url).slice(root.length).split("/").slice(0, 2).join("/"))
    expect(layers.filter((layer) => /^(infrastructure|interfaces)/.test(layer)).toSorted()).toEqual([
      "infrastructure/bundles",
      "infrastructure/bundles",
      "infrastructure/files",
      "infrastructure/hashing",
      "infrastructure/hashing",
      "interfaces/bundle"
    ])
    expect(own.length).toBeLessThan(45)
  })

  it("verifies", async () => {
    const path = writeGolden(join(temporaryFolder(), "bundle"))
    expect(await Effect.runPromise(verifyBundle(path))).toMatchObject({ verdict: "PASS" })
  })
})

describe("the shipped JSON Schema", () => {
  it("is what the manifest's Schema gives", () => {
    const { definitions, schema } = Schema.toJsonSchemaDocument(Manifest, { onExcessProperty: "error" })
    const file = fileURLToPath(new URL("../../docs/spec/bundle.schema.json", import.meta.url))
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...schema,
      $defs: definitions
    })
  })
})
