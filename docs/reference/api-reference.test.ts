// docs/api is what the sources say of each exported name. Set UPDATE_SNAPSHOT=1 to write it again.
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { apiReference, docOf, entriesOf } from "./api-reference.ts"
import { heldToFile } from "./held-to-file.ts"
import { signatureOf } from "./signature.ts"
import { entryPoints, publicMembers, silentOperations } from "./public-members.ts"

const pages = apiReference()

describe("the reference of the library", () => {
  it.each(pages)("is docs/api/$name", ({ name, text }) => {
    heldToFile(`docs/api/${name}`, text)
  })

  it("has no other pages", () => {
    const folder = fileURLToPath(new URL("../api", import.meta.url))
    expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
  })
})

describe("the comments of exported names", () => {
  it.each(entryPoints())("of $name are there", (point) => {
    const entries = entriesOf(publicMembers(point)).flatMap((entry) =>
      [entry].concat(entriesOf(entry.members))
    )
    const silent = entries.filter(
      (entry) =>
        !docOf(entry)
          .trimEnd()
          .match(/[.:]$|@example/)
    )
    expect(silent.map(({ declarations: [declaration], name }) => `${declaration?.file} ${name}`)).toEqual([])
  })
})

describe("the operations of exported services", () => {
  it.each(entryPoints())("of $name have comments", (point) => {
    const silent = publicMembers(point).flatMap(({ declaration, name }) =>
      silentOperations(declaration).map((operation) => `${declaration.file} ${name}.${operation}`)
    )
    expect(silent).toEqual([])
  })
})

describe("exported functions", () => {
  it.each(entryPoints())("of $name say in words what they return, and so their errors", (point) => {
    const declarations = entriesOf(publicMembers(point))
      .flatMap((entry) => [entry].concat(entriesOf(entry.members)))
      .flatMap((entry) => entry.declarations)
    // The bracket of the parameters, without a type behind it, stands before the body.
    const untyped = declarations.filter(({ text }) =>
      /^(?:const|function) [^]*\)\s*(?:=>\s*…|\{ … \}\)?)$/.test(signatureOf(text))
    )
    expect(untyped.map(({ file, name }) => `${file} ${name}`)).toEqual([])
  })
})
