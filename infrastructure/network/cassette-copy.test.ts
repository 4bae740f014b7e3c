// A cassette that SQLite must not open where it lies is read in a private copy: the copy follows its original, log
// included, and nothing of it can be left behind.
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { CassetteFile } from "./cassette-file.ts"
import { openCassetteWriter } from "./cassette-writer.ts"
import { putDocument } from "./document-writing.ts"

const birth = { id: "one", mutability: "mutable", memories: "shared", ttlMillis: 1_000 } as const
const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-02T00:00:00.000Z" }

const usual = process.env["TMPDIR"]
let [folder, copies] = ["", ""]
beforeEach(() => {
  folder = temporaryFolder()
  copies = temporaryFolder()
  process.env["TMPDIR"] = copies
})
afterEach(() => {
  if (usual === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = usual
})

it("a copy is made anew when a writer adds to the log alone, and leaves nothing", async () => {
  const file = join(folder, "a.db")
  const cassette = new CassetteFile(file, "one")
  const paths = () =>
    cassette.read(({ connection, copied }) => ({
      copied: copied !== undefined,
      paths: connection
        .all<{ path: string }>("SELECT path FROM documents ORDER BY path")
        .map(({ path }) => path)
    }))
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const write = yield* openCassetteWriter(file, birth, "full")
        const put = (path: string) =>
          write((connection) => putDocument(connection, { path, type: "text", text: path }, time))
        yield* put("a.md")
        expect(paths()).toEqual({ value: { copied: false, paths: ["a.md"] } })
        cassette.close()
        // A journal, even of nothing, is for a writer to undo: a reader leaves it where it is.
        writeFileSync(`${file}-journal`, "")
        expect(paths()).toEqual({ value: { copied: true, paths: ["a.md"] } })
        expect(readdirSync(copies)).toEqual([])
        yield* put("b.md")
        expect(paths()).toEqual({ value: { copied: true, paths: ["a.md", "b.md"] } })
        expect(readdirSync(copies)).toEqual([])
      })
    )
  )
  cassette.close()
})
