// Cartridges: after any history of a cassette, of any mutability, export, import and export again give the same bytes and
// a cassette that verifies; and every change of one byte of a cartridge, as folder or packed, is found in the
// file where it was done, by our reader and by a second one that shares no line with it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CARTRIDGE_FILES } from "../domain/network/cartridges/cartridge-names.ts"
import { isSameFile, isSameFolder } from "../infrastructure/files/same-content.ts"
import { CassetteFile } from "../infrastructure/network/cassette-file.ts"
import { verifyCassetteFile } from "../infrastructure/network/verification/cassette-verification.ts"
import {
  finishWriting,
  removeDocument,
  seal,
  sweep
} from "../infrastructure/network/writing/document-writing.ts"
import { saveMemory } from "../infrastructure/network/writing/memory-writing.ts"
import {
  exported,
  hasPython,
  imported,
  refusalOf,
  secondVerdicts,
  verdictOf
} from "../infrastructure/network/testing/cartridges.ts"
import { at, newCassette, put } from "../infrastructure/network/testing/cassettes.ts"
import { propParameters } from "./support/configuration.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cassette-cartridges-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
const freshFolder = (): string => {
  const path = join(folder, String(made++))
  mkdirSync(path)
  return path
}

const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom("\u0001", '"', "\\", "\r", "\n", "\u2028", "\ufeff", "e\u0301", "🚀", "# ")
  }),
  fc.constantFrom("# One\n\ntext\n\n# Two\n", "plain")
)
const step = fc.record({
  /** Who remembers the text; undefined: it is a document. */
  agent: fc.option(fc.constantFrom("ada", "bob"), { nil: undefined }),
  path: fc.constantFrom("a/b.md", "a/c.ts", "d.txt", "e\u0301/\u2028.md"),
  text: fc.option(
    text.filter((each) => !each.includes("\u0000")),
    { nil: undefined }
  ),
  day: fc.integer({ min: 1, max: 8 })
})
const history = fc.record({
  memories: fc.constantFrom("shared", "private"),
  mutability: fc.constantFrom("mutable", "read-write", "stable", "append-only", "immutable", "ephemeral"),
  steps: fc.array(step, { maxLength: 20 }),
  sealed: fc.boolean(),
  swept: fc.boolean()
})
type History = typeof history extends fc.Arbitrary<infer H> ? H : never

/** A closed cassette to which this was done. */
const cassetteOf = (
  place: string,
  { memories, mutability, sealed, steps, swept }: History,
  agents: ReadonlyArray<string> = ["ada", "bob"]
): string => {
  const { connection, file } = newCassette(place, "one", mutability, memories)
  for (const { agent, day, path, text: given } of steps) {
    if (agent !== undefined && !agents.includes(agent)) continue
    if (agent !== undefined && given !== undefined) {
      saveMemory(connection, { text: given, agent_id: agent, metadata: `{"day":${day}}` }, at(day))
    } else if (given === undefined) removeDocument(connection, path)
    else put(connection, path, given, at(day))
  }
  if (swept) sweep(connection, at(5).now)
  if (sealed && mutability === "immutable") seal(connection)
  else finishWriting(connection)
  connection.close()
  return file
}

const findingsOf = (file: string) => {
  const cassette = new CassetteFile(file, "one")
  const read = cassette.read(({ connection }) => verifyCassetteFile(connection, "one").findings)
  cassette.close()
  return read
}

describe("a cartridge", () => {
  it("brings back every cassette, bit for bit", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (given) => {
        const place = freshFolder()
        const file = cassetteOf(place, given)
        await exported("one", file, join(place, "out"), "folder", "ada")
        await exported("one", file, join(place, "out.tar"), "tar", "ada")
        for (const from of ["out", "out.tar"]) {
          const back = join(place, `${from}.db`)
          expect(Result.isSuccess(await imported(join(place, from), back))).toBe(true)
          expect(findingsOf(back)).toEqual({ value: [] })
          await exported("one", back, join(place, `${from}-again`), "folder", "ada")
          expect(isSameFolder(join(place, "out"), join(place, `${from}-again`))).toBe(true)
          await exported("one", back, join(place, `${from}-again.tar`), "tar", "ada")
          expect(isSameFile(join(place, "out.tar"), join(place, `${from}-again.tar`))).toBe(true)
        }
        if (hasPython) {
          expect(secondVerdicts([join(place, "out"), join(place, "out.tar")])).toEqual(["whole", "whole"])
        }
        rmSync(place, { recursive: true })
      }),
      propParameters(0.1)
    )
  })

  it("of a private cassette is that of the caller's writes alone", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (given) => {
        const places = [freshFolder(), freshFolder()] as const
        const own = { ...given, memories: "private" as const }
        const files = [cassetteOf(places[0], own), cassetteOf(places[1], own, ["ada"])] as const
        for (const [index, place] of places.entries()) {
          await exported("one", files[index]!, join(place, "out"), "folder", "ada")
        }
        expect(isSameFolder(join(places[0], "out"), join(places[1], "out"))).toBe(true)
        for (const place of places) rmSync(place, { recursive: true })
      }),
      propParameters(0.1)
    )
  })

  const byteChange = fc.record({
    file: fc.constantFrom(...CARTRIDGE_FILES, "packed"),
    at: fc.nat(),
    kind: fc.constantFrom("turn", "replace", "insert", "remove"),
    byte: fc.integer({ min: 1, max: 255 })
  })
  type ByteChange = typeof byteChange extends fc.Arbitrary<infer C> ? C : never

  const changedBytes = (bytes: Uint8Array, index: number, { byte, kind }: ByteChange): Uint8Array => {
    const old = bytes[index] ?? 0
    const put = { turn: [old ^ (1 << (byte % 8))], replace: [old ^ byte], insert: [byte], remove: [] }[kind]
    return Uint8Array.from([
      ...bytes.subarray(0, index),
      ...put,
      ...bytes.subarray(kind === "insert" ? index : index + 1)
    ])
  }

  it("that was changed in one byte is refused, and the place is named", async () => {
    const place = freshFolder()
    const steps = (["a/b.md", "a/c.ts", "d.txt", "a/b.md"] as const).map((path, index) => ({
      agent: index === 2 ? ("ada" as const) : undefined,
      path,
      text: `text ${index}`,
      day: index + 1
    }))
    const file = cassetteOf(place, {
      memories: "shared",
      mutability: "stable",
      steps,
      sealed: false,
      swept: false
    })
    await exported("one", file, join(place, "out"))
    await exported("one", file, join(place, "out.tar"), "tar")
    const judged: Array<readonly [path: string, verdict: string]> = []
    fc.assert(
      fc.property(byteChange, (change) => {
        const copy = freshFolder()
        const isPacked = change.file === "packed"
        const path = isPacked ? join(copy, "out.tar") : copy
        cpSync(join(place, isPacked ? "out.tar" : "out"), path, { recursive: true })
        const target = isPacked ? path : join(copy, change.file)
        const bytes = readFileSync(target)
        const index = change.at % bytes.length
        const altered = changedBytes(bytes, index, change)
        fc.pre(!bytes.equals(altered))
        writeFileSync(target, altered)
        const refusal = refusalOf(path)
        expect(refusal).toBeDefined()
        if (!isPacked) {
          expect(refusal?.file).toBe(change.file)
          // A line feed before a line feed makes an empty line behind the line.
          const isEmptyLine = change.kind === "insert" && change.byte === 0x0a && bytes[index] === 0x0a
          const line = bytes.subarray(0, index).toString("latin1").split("\n").length
          expect(refusal?.line).toBe(isEmptyLine ? line + 1 : line)
        }
        judged.push([path, verdictOf(path)])
      }),
      propParameters(4)
    )
    if (!hasPython) return
    for (let from = 0; from < judged.length; from += 500) {
      const some = judged.slice(from, from + 500)
      expect(secondVerdicts(some.map(([path]) => path))).toEqual(some.map(([, verdict]) => verdict))
    }
  })
})
