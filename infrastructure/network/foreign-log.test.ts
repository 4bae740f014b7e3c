// A cassette beside an older log of the same cassette: both together are sound, and hide what was written last.
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { DEFAULT_TTL_MILLIS } from "../../domain/network/limits.ts"
import { openForReading } from "../sqlite/better-sqlite3-host.ts"
import { besideOlderLog } from "../testing/older-log.ts"
import { verifyCassette } from "./cassette-verification.ts"
import { openCassetteWriter } from "./cassette-writer.ts"
import { put } from "./testing/cassettes.ts"

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
  const { findings } = verifyCassette(connection, "one")
  connection.close()
  expect(findings.map(({ code, where }) => `${code} ${where}`)).toEqual([`INTEGRITY one ${filename}-wal`])
})
