/**
 * The statements in the folders `compiled` are what runs; the builders beside those folders are how they were written. This test
 * holds the two together. Set UPDATE_SNAPSHOT=1 to write them again.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { posix } from "node:path"
import { expect, it } from "vitest"
import { compileQuery, queryBuilder } from "./query-compiler.ts"
import type { Statement } from "./statement.ts"

const infrastructure = new URL("../../", import.meta.url)

/** The files that build statements: those that compile queries. */
const builders = readdirSync(infrastructure, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|^sqlite\/|\/(?:compiled|testing)\//.test(path))
  .filter((path) => /\bcompileQuery\b/.test(readFileSync(new URL(path, infrastructure), "utf8")))
  .sort()

/** Where what a builder's module compiles to stands. */
const compiledPath = (path: string): string =>
  posix.join(posix.dirname(path), "compiled", posix.basename(path))

const isStatement = (value: unknown): value is Statement<never, unknown> =>
  typeof value === "object" && value !== null && "sql" in value

const literal = (text: string): string => `\`${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\``

/** The module of what a builder's module exports. */
const moduleOf = (path: string, built: object): string => {
  const statements = Object.entries(built).flatMap(([name, value]) =>
    isStatement(value)
      ? [
          `export const ${name}: typeof built.${name} = statementOf(\n  ${literal(value.sql)},\n  ${JSON.stringify(value.names)}\n)\n`
        ]
      : []
  )
  return [
    "// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.\n" +
      `import type * as built from "../${posix.basename(path)}"\nimport { statementOf } from "${posix.relative(posix.dirname(compiledPath(path)), "sqlite/connection/statement.ts")}"\n`,
    ...statements
  ].join("\n")
}

it.each(builders)("%s: what runs is what its builders compile", async (path) => {
  const built = (await import(new URL(path, infrastructure).href)) as object
  const text = moduleOf(path, built)
  const file = new URL(compiledPath(path), infrastructure)
  if (process.env["UPDATE_SNAPSHOT"] === "1") {
    mkdirSync(new URL(".", file), { recursive: true })
    writeFileSync(file, text)
  }
  expect(readFileSync(file, "utf8")).toBe(text)
  const shown = (module: object) =>
    Object.entries(module)
      .filter(([, value]) => isStatement(value))
      .map(([name, { names, sql }]) => [name, sql, names])
  const runs = (await import(file.href)) as object
  expect(shown(runs)).toEqual(shown(built))
  expect(shown(runs)).not.toEqual([])
})

it("no compiled file is without its builders", () => {
  const compiled = readdirSync(infrastructure, { recursive: true, encoding: "utf8" })
    .filter((path) => /\/compiled\/[\w-]+\.ts$/.test(path))
    .map((path) => path.replace("/compiled/", "/"))
  expect(compiled.sort()).toEqual(builders)
})

it("refuses a value that is no hole", () => {
  const db = queryBuilder<{ t: { a: number } }>()
  expect(() => compileQuery(() => db.selectFrom("t").select("a").where("a", "=", 1))).toThrow("no hole")
})
