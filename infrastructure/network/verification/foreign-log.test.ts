// A cassette beside a log that is not its own: an older one of the same cassette, with which it is sound and hides what was
// written last, or no file at all.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { DEFAULT_TTL_MILLIS } from "../../../domain/network/limits.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { besideOlderLog } from "../../testing/older-log.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { verifyCassetteFile } from "./cassette-verification.ts"
import { openCassetteWriter } from "../writing/cassette-writer.ts"
import { cassetteWith, local, put } from "../testing/cassettes.ts"

const birth = { id: "one", mutability: "mutable", memories: "shared", ttlMillis: DEFAULT_TTL_MILLIS } as const

const written = (file: string, round: number) =>
  Effect.gen(function* () {
    const write = yield* openCassetteWriter(file, birth, "normal")
    yield* write((connection) => put(connection, `a/${round}.md`, `Text of ${round}.`))
  }).pipe(Effect.scoped)

it("an older log of the same cassette is named, by a writer and by verification, and nothing is written", async () => {
  const { filename, newer } = await besideOlderLog((file, round) => Effect.runPromise(written(file, round)))
  const error = await Effect.runPromise(Effect.flip(written(filename, 9)))
  expect(error.message).toMatch(/l\.db-wal: it is not the log of this file \(.*the log is older\)/)
  expect(readFileSync(filename).equals(readFileSync(newer))).toBe(true)
  const connection = openForReading(filename)
  const { findings } = verifyCassetteFile(connection, "one")
  connection.close()
  expect(findings.map(({ code, where }) => `${code} ${where}`)).toEqual([`INTEGRITY one ${filename}-wal`])
})

it.skipIf(process.platform === "win32")(
  "a pipe in the place of a cassette's log is named by readers",
  async () => {
    const folder = temporaryFolder()
    const file = cassetteWith(folder, "one", { "a/b.md": "Text." })
    spawnSync("mkfifo", [`${file}-wal`])
    const answer = await Effect.runPromise(Effect.flip(local("one", file).handshake))
    expect(answer).toMatchObject({ _tag: "CassetteOffline", status: "error" })
    expect(answer.message).toContain(`${file}-wal is a folder, a link or a device`)
  }
)
