// A cassette that SQLite must not open where it lies is read in a private copy: the copy follows its original, log
// included, and nothing of it can be left behind. One beside which SQLite puts nothing is never copied.
import { chmodSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { answerOf } from "../testing/programs/child-process.ts"
import { nobodyReaches } from "../testing/nobody.ts"
import { folderState, temporaryFolder } from "../testing/temporary-folder.ts"
import { CassetteFile } from "./cassette-file.ts"
import { openCassetteWriter } from "./writing/cassette-writer.ts"
import { putDocument, seal } from "./writing/document-writing.ts"
import { newCassette, put } from "./testing/cassettes.ts"

const birth = { id: "one", mutability: "mutable", memories: "shared", ttlMillis: 1_000 } as const
const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-02T00:00:00.000Z" }

if (!nobodyReaches) console.warn(`SKIPPED: ${tmpdir()} is closed to everybody but root`)

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

it("a copy is made again when a writer adds to the log alone, and leaves nothing", async () => {
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

it.skipIf(!nobodyReaches).each([
  ["that is sealed, without a log, is read where it lies", "DELETE", false],
  ["that may have a log is read in a copy", "WAL", true]
] as const)("a read-only file in a writable folder %s", async (_, mode, copied) => {
  const { connection, file } = newCassette(folder, "one", "immutable")
  put(connection, "a/one.txt", "text")
  seal(connection)
  connection.pragma(`journal_mode = ${mode}`)
  connection.close()
  chmodSync(file, 0o444)
  for (const path of [folder, copies]) chmodSync(path, 0o777)
  const before = folderState(folder)
  expect(await answerOf(["readCassette", file, "one"])).toEqual({ value: { copied, documents: 1 } })
  expect(folderState(folder)).toEqual(before)
  expect(readdirSync(copies)).toEqual([])
})
