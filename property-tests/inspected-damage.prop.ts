// A ledger of which 2 KiB are overwritten is served to the page: wherever that is, every question has an answer, and none says that the
// file is sound.
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { faultsOfDamaged } from "../interfaces/inspect/testing/page-questions.ts"
import { makeShopLedger } from "../interfaces/inspect/testing/shop-ledger.ts"
import { propParameters } from "./support/configuration.ts"

const folder = mkdtempSync(join(tmpdir(), "inspected-damage-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A damage begins on a page of SQLite; the first page is what makes it a ledger. */
const PAGE_BYTES = 4_096

describe("a damaged ledger on the page", () => {
  it("is read as far as it goes, wherever it is damaged", async () => {
    const shop = join(folder, "shop.db")
    await makeShopLedger(shop, Date.now())
    const pages = statSync(shop).size / PAGE_BYTES
    const file = join(folder, "damaged.db")
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: pages - 1 }), async (page) => {
        copyFileSync(shop, file)
        expect((await faultsOfDamaged(file, page * PAGE_BYTES)) ?? []).toEqual([])
      }),
      propParameters(0.1)
    )
  })
})
