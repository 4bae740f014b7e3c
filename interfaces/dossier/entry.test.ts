// The entry point of those who receive a dossier: no database is loaded, and the shipped JSON Schema and the vectors say what the code says.
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import { hasPython, secondOpinions } from "../../infrastructure/dossiers/testing/broken-dossiers.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
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

const written = (files: Readonly<Record<string, string>>): string => {
  const folder = join(temporaryFolder(), "dossier")
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
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
  for (const { codes, exit, files, name } of vectors.dossiers) {
    it(`say of ${name} what both verifiers say`, async () => {
      const folder = written(files)
      const report = await Effect.runPromise(verifyDossier(folder, { trust: vectors.trust }))
      expect(report.verdict).toBe(["PASS", "FAIL", "INVALID"][exit])
      expect([...new Set(report.findings.map(({ code }) => code))].sort()).toEqual(codes)
      if (!hasPython) return
      writeFileSync(`${folder}.trust.json`, JSON.stringify(vectors.trust))
      expect(secondOpinions(`${folder}.trust.json`, [folder])).toEqual([{ path: folder, exit, codes }])
    })
  }
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
