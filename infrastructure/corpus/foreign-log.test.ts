// A corpus database beside an older log of itself: both together are sound, and hide the expansions that were kept last.
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { besideOlderLog } from "../testing/older-log.ts"
import { CorpusDatabase, corpusDatabaseLayer } from "./corpus-database.ts"
import { insertExpansion } from "./expansions/compiled/expansion-statements.ts"

const HASH = "0".repeat(64)

/** Keeps an expansion; its hashes are for other tests. */
const written = (filename: string, round: number) =>
  CorpusDatabase.use((database) =>
    database.run((connection) =>
      insertExpansion.run(connection, {
        run_id: `r${round}`,
        symbol_id: "@A/b",
        slice: "head(1)",
        section_id: "s",
        section_content_hash: HASH,
        payload: "x",
        payload_hash: HASH,
        bytes_expanded: 1,
        created_at: "2026-01-01T00:00:00.000Z",
        expansion_hash: HASH
      })
    )
  ).pipe(Effect.provide(corpusDatabaseLayer({ filename })))

it.live("an older log of the same corpus database is named, and nothing is written", () =>
  Effect.gen(function* () {
    const { filename, newer } = yield* Effect.promise(() =>
      besideOlderLog((file, round) => Effect.runPromise(Effect.asVoid(written(file, round))))
    )
    const error = yield* Effect.flip(written(filename, 9))
    assert.match(error.message, /l\.db-wal: it is not the log of this file \(.*the log is older\)/)
    assert.isTrue(readFileSync(filename).equals(readFileSync(newer)))
  })
)
