// Symbols: for any text and any cassettes, expanding its compression gives it back to the byte and a
// compression names nothing that is not held; and no text at all, asked for as a symbol or expanded, is a defect.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { escapeSymbols, parseSymbol, piecesOf, symbolsIn } from "../domain/network/symbols/symbols.ts"
import { sha256 } from "../infrastructure/hashing/sha256.ts"
import { cassetteWith, local, withNetworkOf } from "../infrastructure/network/testing/cassettes.ts"
import { compress } from "../infrastructure/network/index/text-compression.ts"
import { propParameters, propRuns } from "./support/configuration.ts"

const blocks = [
  "A block that stands in some document and in some text as well, long enough to be worth a symbol.",
  "# A heading\n\nwith a paragraph, which together are a chunk of a document in Markdown, and no more.",
  "def handle(error):\n    return error  # a definition of some length, indented, with a comment behind it",
  `A block that names ${"@C:"}${sha256("named").slice(0, 12)} and @@C:0123456789ab, as if it were compressed.`,
  "漢字の文章。これは索引に入っている塊で、記号に置き換えられることがある。".repeat(2)
] as const

const glue = fc.constantFrom(
  "\n\n",
  "\r\n\r\n",
  "\n \n",
  "\n",
  " ",
  "",
  "@",
  "x",
  "_",
  "\ufeff",
  "@C:0123456789",
  "@C:0123456789ab",
  "@@"
)
const piece = fc.oneof(
  fc.constantFrom(...blocks, ...blocks.map((block) => `@C:${sha256(block).slice(0, 12)}`)),
  fc.string({ unit: "grapheme", maxLength: 12 })
)
const text = fc
  .array(fc.tuple(piece, glue), { maxLength: 12 })
  .map((parts) => parts.flat().join(""))
  .filter((each) => each.isWellFormed())
const name = fc.constantFrom("prompt.md", "prompt.txt", "prompt.py")

const symbolLike = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc
    .tuple(
      fc.constantFrom("@C:", "@P:", "@A:", "@c:", "@X:", "@"),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdefABg% '\"\0"), maxLength: 70 })
    )
    .map(([letter, digits]) => `${letter}${digits}`),
  fc
    .tuple(fc.constantFrom(...blocks), fc.integer({ min: 0, max: 65 }))
    .map(([block, digits]) => `@C:${sha256(block).slice(0, digits)}`)
)

describe("symbols", () => {
  it("of a compressed text give the text back to the byte", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-symbols-"))
    try {
      const [first, second, third, ...others] = blocks
      const one = cassetteWith(folder, "one", { "a/1.md": first, "a/2.md": second, "a/3.txt": third })
      const two = cassetteWith(
        folder,
        "two",
        Object.fromEntries([first, ...others].map((block, index) => [`b/${index}.md`, block]))
      )
      let replaced = 0
      await withNetworkOf([local("one", one), local("two", two)], (network) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(text, name, fc.boolean(), async (original, named, wholeHashes) => {
              const found = await Effect.runPromise(compress(network, named, original, { wholeHashes }))
              for (const { content, hash } of found.symbols) expect(sha256(content)).toBe(hash)
              const back = await Effect.runPromise(network.expandSymbols(found.text))
              expect(back.text).toBe(original)
              replaced += found.symbols.length
            }),
            propParameters()
          )
        )
      )
      expect(replaced).toBeGreaterThan(propRuns / 20 - 1)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("are found or refused, for any question", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-symbols-"))
    try {
      const file = cassetteWith(
        folder,
        "one",
        Object.fromEntries(blocks.map((block, index) => [`a/${index}.txt`, block]))
      )
      await withNetworkOf([local("one", file)], (network) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              symbolLike,
              fc.boolean(),
              fc.option(fc.double()),
              async (symbol, expand, depth) => {
                const options = { expand, depth: depth ?? undefined }
                const resolved = await Effect.runPromise(
                  Effect.result(network.resolveSymbol(symbol, options))
                )
                if (Result.isSuccess(resolved)) {
                  expect(Result.isSuccess(parseSymbol(symbol))).toBe(true)
                  expect(resolved.success.hash.startsWith(symbol.slice(3))).toBe(true)
                }
                await Effect.runPromise(Effect.result(network.expandSymbols(symbol, options)))
              }
            ),
            propParameters(2)
          )
        )
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("in a text that is escaped are none, and reading undoes it", () => {
    fc.assert(
      fc.property(text, (original) => {
        const escaped = escapeSymbols(original)
        expect(symbolsIn(escaped)).toEqual([])
        expect(piecesOf(escaped).map((each) => ("text" in each ? each.text : ""))).toEqual(
          original === "" ? [] : [original]
        )
      }),
      propParameters(5)
    )
  })
})
