// Dossiers and bundles on the page: their own verdict, their events as sentences, the texts as they were read; also in a browser.
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import { runJson } from "../cli/testing/in-process.ts"
import { Dossiers } from "../embedding/dossiers.ts"
import { loadSigningKey } from "../embedding/evidence.ts"
import { inspectedEvidence } from "../embedding/inspected-evidence.ts"
import { Ledger } from "../embedding/ledger.ts"
import { Browser, chromium } from "./testing/browser.ts"
import { builtPage, serveEvidence } from "./testing/served.ts"
import { HOSTILE, makeShopLedger } from "./testing/shop-ledger.ts"

const root = mkdtempSync(join(tmpdir(), "cassette-evidence-page-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const shop = join(root, "shop.db")
const dossier = join(root, "dossier")
const hostile = join(root, "hostile.tar")
const bundle = join(root, "bundle")
const seen = (path: string) => Effect.runPromise(inspectedEvidence(path, undefined))

beforeAll(async () => {
  await makeShopLedger(shop, Date.now())
  const run = (args: ReadonlyArray<string>, stdin?: object) =>
    runJson(args, { cwd: root, ...(stdin === undefined ? {} : { stdin: JSON.stringify(stdin) }) })
  await run(["key", "generate", "--out", "key.pem"])
  const key = await Effect.runPromise(loadSigningKey(join(root, "key.pem")))
  const runs = await run(["cassette", "status", "--db", shop])
  const all = (runs.document.data?.["runs"] ?? []) as ReadonlyArray<{ readonly run_id: string }>
  const hostileRun = all.find(({ run_id }) => run_id.startsWith("hostile"))
  const layer = Dossiers.layer.pipe(Layer.provide(Ledger.layer({ filename: shop, mode: "read" })))
  const exporting = Dossiers.use((dossiers) =>
    Effect.andThen(
      dossiers.export({ run_id: "refunds-2026-11" }, { key }, dossier),
      dossiers.export({ run_id: hostileRun?.run_id, packed: true }, { key }, hostile)
    )
  )
  await Effect.runPromise(Effect.provide(exporting, layer))
  writeFileSync(join(root, "guide.md"), "# Guide\n\nRead this first.\n")
  await run(["index"])
  await run(["symbol", "add", "@DOCS/guide", "guide.md"])
  const inputs = { symbols: [{ symbol_id: "@DOCS/guide", slice: "lines[0:3]" }] }
  await run(["run", "--request", "-", "--out", "bundle"], {
    run_id: "reading",
    request_id: "q1",
    intent: "learn",
    inputs
  })
})

describe("a dossier", () => {
  it("is shown with its verdict, its events as sentences and their data", async () => {
    const { entries, entries_left_off, facts, kind, verdict } = await seen(dossier)
    expect([kind, verdict, entries.length, entries_left_off]).toEqual(["dossier", "UNSIGNED", 24, 0])
    expect(entries[0]?.sentence).toContain("USER posted 3 jobs and 10 steps")
    expect(entries[0]?.data.text).toContain("ticket-88213")
    expect(Object.fromEntries(facts)).toMatchObject({
      Run: "refunds-2026-11",
      "Signed by": expect.stringContaining("not judged")
    })
  })

  it("has a verdict without reserve where its signer is trusted", async () => {
    const { document } = await runJson(["cassette", "status", "--db", shop], { cwd: root })
    const ledger = String(document.data?.["ledger_id"])
    const args = ["key", "trust", "--public-key", "key.pem.pub", "--ledger", ledger]
    const { document: trusted } = await runJson(args, { cwd: root })
    const trust = trusted.data as unknown as TrustFile
    expect((await Effect.runPromise(inspectedEvidence(dossier, trust))).verdict).toBe("PASS")
  })

  it("that was changed is shown with what is wrong, and the page is there all the same", async () => {
    const changed = join(root, "changed")
    cpSync(dossier, changed, { recursive: true })
    appendFileSync(join(changed, "events.jsonl"), "{}\n")
    const { findings, verdict } = await seen(changed)
    expect(verdict).not.toBe("PASS")
    expect(findings.length).toBeGreaterThan(0)
  })
})

describe("a bundle", () => {
  it("is shown with its texts as they were read", async () => {
    const { kind, texts, verdict } = await seen(bundle)
    expect([kind, verdict, texts.length]).toEqual(["bundle", "PASS", 1])
    expect(texts[0]?.text?.text).toContain("Read this first.")
  })

  it("whose text was changed shows none in its place", async () => {
    const changed = join(root, "changed-bundle")
    cpSync(bundle, changed, { recursive: true })
    const [name = ""] = readdirSync(join(changed, "artifacts"))
    writeFileSync(join(changed, "artifacts", name), "# Guide\n\nRead this last!.\n".slice(0, 26))
    const { texts, verdict } = await seen(changed)
    expect([verdict, texts[0]?.text]).toEqual(["FAIL", null])
  })
})

describe("the command", () => {
  it("refuses what is neither", async () => {
    writeFileSync(join(root, "notes.txt"), "no dossier")
    const { code } = await runJson(["inspect", "notes.txt", "--out", "page.html"], { cwd: root })
    expect(code).toBe(2)
    expect((await runJson(["inspect", "nothing-here", "--out", "page.html"], { cwd: root })).code).toBe(2)
  })

  it("refuses to verify a page that is served", async () => {
    const { code, document } = await runJson(["inspect", "dossier", "--verify"], { cwd: root })
    expect(code).toBe(2)
    expect(document.error?.message).toContain("--verify with --out")
  })
})

describe.skipIf(chromium === undefined)("in Chromium", () => {
  it("hostile texts of a dossier do nothing, and are seen", async () => {
    const browser = await Browser.start()
    const own = await serveEvidence(await seen(hostile), builtPage())
    const tab = await browser.tab()
    await tab.goTo(own.url)
    await tab.until("document.querySelector('.trail')")
    expect(await tab.value("document.getElementById('seal').textContent")).toBe("Signature not judged")
    await tab.value("document.querySelectorAll('details').forEach((details) => { details.open = true })")
    expect(await tab.text()).toContain(HOSTILE.slice(0, 32))
    expect(await tab.value("window.hacked")).toBeUndefined()
    expect(await tab.value("document.querySelectorAll('#view script, #view img').length")).toBe(0)
    expect(tab.faults).toEqual([])
    await tab.close()
    await own.close()
    await browser.stop()
  })
})
