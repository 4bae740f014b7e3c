// Tampering campaign, header: every bit of the first hundred bytes of a ledger, a corpus database and a cassette is turned
// over once, eight hundred bits in each. Verification does not pass for any byte but the eight that may
// hold anything; a write is refused by the damage, never by the rights of its caller, and leaves the file as it was.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withBit } from "../infrastructure/testing/doctored-pages.ts"
import { type StoreKind, storeKinds } from "../infrastructure/testing/store-kinds.ts"
import { type HonestFile, makeHonestFiles, type StoreName, STORES } from "./support/damage/honest-files.ts"
import { verdictOf } from "./support/damage/store-verdict.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-header-"))
let honest: ReadonlyArray<HonestFile> = []
beforeAll(async () => {
  const place = join(folder, "made")
  mkdirSync(place)
  honest = await makeHonestFiles(place)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Why a byte may be any: the first counts changes of the schema, the second names the library that wrote last. */
const UNAFFECTED = new Set([40, 41, 42, 43, 96, 97, 98, 99])

const refusalOf = (store: StoreName, file: string): Promise<string> => {
  const kind: StoreKind = storeKinds[store]
  const written = Effect.match(kind.write(file, 4_711), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: () => "written"
  })
  return Effect.runPromise(written)
}

describe.each(STORES)("a bit of the header that is turned over: %s", (store) => {
  const root = join(folder, store)
  const file = join(root, "CORTEX", "_generated", "system1.db")

  it.each(Array.from({ length: 100 }, (_, at) => at))("byte %i", async (at) => {
    const original = honest.find((each) => each.store === store && each.shape === "usual")?.bytes
    if (original === undefined) throw new Error(`there is no honest ${store}`)
    mkdirSync(dirname(file), { recursive: true })
    const { damage, stranger } = storeKinds[store]
    for (let bit = 0; bit < 8; bit++) {
      const turned = withBit(original, at, bit)
      writeFileSync(file, turned)
      const { exit, said, verdict } = await Effect.runPromise(verdictOf({ store, file, root }))
      expect([verdict === "PASS", exit === 3], `bit ${bit}: ${said}`).toEqual([UNAFFECTED.has(at), false])
      if (UNAFFECTED.has(at)) continue
      // A database that no longer says whose it is may also be called a stranger.
      expect([damage, stranger], `bit ${bit}`).toContain(await refusalOf(store, file))
      expect(readFileSync(file).equals(turned), `bit ${bit}`).toBe(true)
    }
  })
})
