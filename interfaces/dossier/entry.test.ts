// The entry point of those who receive a dossier: no database is loaded, and the shipped JSON Schema and the vectors say what the code says.
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import { hasPython, secondOpinions } from "../../infrastructure/dossiers/testing/broken-dossiers.ts"
import { keptFolder, temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { DossierManifest, verifyDossier } from "./index.ts"

const file = (name: string): string => fileURLToPath(new URL(`../../docs/spec/${name}`, import.meta.url))

interface Vectors {
  readonly trust: TrustFile
  readonly dossiers: ReadonlyArray<{
    readonly name: string
    readonly files: Readonly<Record<string, string>>
    readonly exit: 0 | 1 | 2
    readonly codes: ReadonlyArray<string>
  }>
}

const vectors = JSON.parse(readFileSync(file("vectors/dossier-min.json"), "utf8")) as Vectors

const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

describe("the entry point", () => {
  it("loads neither a ledger's store nor a package beside effect", () => {
    const entry = pathToFileURL(join(import.meta.dirname, "index.ts")).href
    const probe = `await import(${JSON.stringify(entry)}); console.log(process.report.getReport().sharedObjects.join("\\n"))`
    const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", probe], { encoding: "utf8" })
    expect(loaded).not.toMatch(/sqlite/i)
  })
})

describe("the vectors", () => {
  const kept = keptFolder()
  afterAll(kept.remove)
  const all = vectors.dossiers.map((dossier, index) => ({
    ...dossier,
    folder: join(kept.folder, `${index}`)
  }))
  beforeAll(() => {
    for (const { files, folder } of all) write(folder, files)
  })

  it.each(all)("say of $name what the verifier says", async ({ codes, exit, folder }) => {
    const report = await Effect.runPromise(verifyDossier(folder, { trust: vectors.trust }))
    expect(report.verdict).toBe(["PASS", "FAIL", "INVALID"][exit])
    expect([...new Set(report.findings.map(({ code }) => code))].sort()).toEqual(codes)
  })

  it.skipIf(!hasPython)("say of each what the second verifier says", () => {
    const trust = join(temporaryFolder(), "trust.json")
    writeFileSync(trust, JSON.stringify(vectors.trust))
    const folders = all.map(({ folder }) => folder)
    const expected = all.map(({ codes, exit, folder }) => ({ path: folder, exit, codes }))
    expect(secondOpinions(trust, folders)).toEqual(expected)
  })
})

describe("the second verifier", () => {
  it.skipIf(!hasPython)("names a trust file that it cannot read", () => {
    const folder = temporaryFolder()
    const cut = join(folder, "cut.json")
    writeFileSync(cut, "{")
    for (const name of [cut, join(folder, "none.json")]) {
      expect(() => secondOpinions(name, [folder])).toThrow(`${name} is not a trust file: `)
    }
  })
})

describe("the shipped JSON Schema", () => {
  it("is what the manifest's Schema gives", () => {
    const { definitions, schema } = Schema.toJsonSchemaDocument(DossierManifest, {
      onExcessProperty: "error"
    })
    expect(JSON.parse(readFileSync(file("dossier.schema.json"), "utf8"))).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...schema,
      $defs: definitions
    })
  })
})
