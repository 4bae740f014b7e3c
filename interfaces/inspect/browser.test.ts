// The page in a real browser: what each view shows, that nothing in a stored text acts, that nothing leaves the page, the keyboard,
// a file that grows and a server that ends, and the page as a file. Without Chromium these tests are left out.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runJson } from "../cli/testing/in-process.ts"
import { Ledger } from "../embedding/ledger.ts"
import { savedPage } from "./page-file.ts"
import { savedAnswers } from "./saved-answers.ts"
import { Browser, chromium, type Tab } from "./testing/browser.ts"
import { builtPage, contentsOf, serve, type Served } from "./testing/served.ts"
import { makeShopLedger } from "./testing/shop-ledger.ts"

const where = chromium === undefined ? "left out: no Chromium here (apt-get install chromium)" : "in Chromium"

describe.skipIf(chromium === undefined)(`the page, ${where}`, () => {
  const root = mkdtempSync(join(tmpdir(), "cassette-browser-test-"))
  const shop = join(root, "shop.db")
  const page = builtPage()
  let browser: Browser
  let served: Served
  let note = ""
  let before = ""

  beforeAll(async () => {
    await makeShopLedger(shop, Date.now())
    const run = (...args: ReadonlyArray<string>) => runJson(args, { cwd: root })
    await run("key", "generate", "--out", "key.pem")
    await run("cassette", "checkpoint", "--db", shop, "--key", "key.pem", "--out", "note.txt")
    note = readFileSync(join(root, "note.txt"), "utf8")
    before = contentsOf(root)["shop.db"] ?? ""
    browser = await Browser.start()
    served = await serve(shop, { page, checkpoint: note })
  })
  afterAll(async () => {
    await served.close()
    await browser.stop()
    rmSync(root, { recursive: true, force: true })
  })

  /** A tab on the overview. */
  const opened = async (url = served.url): Promise<Tab> => {
    const tab = await browser.tab()
    await tab.screen(1_440, 900, "light")
    await tab.goTo(url)
    await tab.until("document.querySelectorAll('.meter').length === 5")
    return tab
  }

  /** Goes to a view and waits for a text of it, not of the view that stood there before; gives all its text. */
  const go = async (tab: Tab, hash: string, text: string): Promise<string> => {
    await tab.value(`{
      const isElsewhere = location.hash !== ${JSON.stringify(hash)}
      for (const part of document.getElementById("view").children) part.toggleAttribute("data-left", isElsewhere)
      location.hash = ${JSON.stringify(hash)}
    }`)
    return tab.until(`(() => {
      const text = document.getElementById("view").innerText
      return document.querySelector("[data-left]") === null && text.includes(${JSON.stringify(text)}) && text
    })()`)
  }

  /** The address of the second step of the run that is shown. */
  const secondStep = async (tab: Tab): Promise<string> => {
    const links = "[...document.querySelectorAll('tbody [data-row]')]"
    await tab.until(`${links}.length === 10`)
    return tab.value<string>(`${links}[1].getAttribute('href')`)
  }

  /** Nothing was asked of another origin, nothing was refused by the policy, nothing was thrown, nothing acted. */
  const expectCalm = async (tab: Tab): Promise<void> => {
    expect(tab.faults).toEqual([])
    const { origin } = new URL(served.url)
    const elsewhere = tab.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("file:"))
    expect(elsewhere.filter((url) => url !== "about:blank")).toEqual([])
    expect(await tab.value("window.hacked")).toBeUndefined()
  }

  it("shows verdict, stuck, failed and runs, and takes the secret out of the address", async () => {
    const tab = await opened()
    const text = await tab.text()
    for (const part of [
      "Not verified yet",
      "Stuck",
      "REFUND 4433",
      "no event in this run for",
      "Failed",
      "code 51",
      "Runs",
      "pay back four orders"
    ]) {
      expect(text).toContain(part)
    }
    expect(await tab.value<string>("location.href")).not.toContain(served.secret)
    expect(await tab.value<string>("JSON.stringify(history.state)")).not.toContain(served.secret)
    await tab.reload()
    await tab.until("document.querySelector('.verdict h1')")
    await expectCalm(tab)
    await tab.close()
  })

  it("verifies with a key, and says PASS", async () => {
    const tab = await opened()
    await tab.press("v")
    await tab.until("document.querySelector('.verdict h1').textContent === 'PASS'")
    expect(await tab.value("document.getElementById('seal').textContent")).toBe("PASS")
    expect(await tab.text()).toContain("One lease is past the end, see Stuck; the record itself is sound.")
    await expectCalm(tab)
    await tab.close()
  })

  it("shows a run with its drawing, each state alone, its events and its thoughts", async () => {
    const tab = await opened()
    const steps = await go(tab, "#/run/refunds-2026-11", "the release of dora is rolled back")
    expect(steps).toContain("before, token 1: ben stopped answering")
    await tab.until("document.querySelectorAll('.drawing rect').length > 10")
    await tab.value("location.hash = '#/run/refunds-2026-11/steps/failed'")
    await tab.until("document.querySelectorAll('tbody tr.opens').length === 2")
    const events = await go(tab, "#/run/refunds-2026-11/events", "USER posted 3 jobs and 10 steps")
    expect(events).toContain("cleo renewed its lease of step 11.1.2")
    await go(tab, "#/run/refunds-2026-11/thoughts", "4433 was delivered late")
    await expectCalm(tab)
    await tab.close()
  })

  it("keeps what it shows of a run while the rest of it is still being read", async () => {
    const tab = await opened()
    await tab.value(`{
      const asked = window.fetch
      window.fetch = async (question, options) => {
        if (String(question).includes("/v1/drawing")) await new Promise((resolve) => setTimeout(resolve, 800))
        return asked(question, options)
      }
    }`)
    const steps = await go(tab, "#/run/refunds-2026-11", "the release of dora is rolled back")
    expect(steps).toContain("before, token 1: ben stopped answering")
    await tab.until("document.querySelectorAll('.drawing rect').length > 10")
    expect(await tab.text()).toContain("the release of dora is rolled back")
    await tab.close()
  })

  it("shows a step as a trail, and an event with its hashes", async () => {
    const tab = await opened()
    await go(tab, "#/run/refunds-2026-11", "LOAD_ORDER 4421")
    const step = await secondStep(tab)
    const trail = await go(tab, step, "claimed it with token 3")
    for (const part of [
      "Posted",
      "ben claimed it with token 1",
      "given back after",
      "asked for by supervisor",
      "renewed the lease",
      "finished it",
      "720.50"
    ]) {
      expect(trail).toContain(part)
    }
    expect(await go(tab, "#/event/11", "hash before")).toContain("MessagePosted, version 1")
    await expectCalm(tab)
    await tab.close()
  })

  it("lets nothing in a stored text act or turn its line, in any view", async () => {
    const tab = await opened()
    const hrefs = await tab.value<ReadonlyArray<string>>(
      "[...document.querySelectorAll('a')].map((a) => a.getAttribute('href')).filter((href) => href.includes('hostile'))"
    )
    const run = hrefs[0] ?? ""
    const views = [
      run,
      `${run}/events`,
      `${run}/thoughts`,
      "#/failed",
      "#/runs",
      "#/event/5",
      "#/event/7",
      "#/event/10"
    ]
    for (const view of views) {
      await go(tab, view, "gnp.exe")
      const unseen = await tab.value<boolean>(
        "/[\\u202a-\\u202e\\u2066-\\u2069\\u001b]/.test(document.body.innerText + document.title + [...document.querySelectorAll('[title],[aria-label]')].map((e) => e.title + e.ariaLabel).join(''))"
      )
      expect([view, unseen]).toEqual([view, false])
      expect(
        await tab.value("document.querySelectorAll('#view script, #view img, #view iframe').length")
      ).toBe(0)
    }
    await expectCalm(tab)
    await tab.close()
  })

  it("ends in a sentence at every odd address", async () => {
    const tab = await opened()
    for (const [hash, text] of [
      ["#/run/none", "not"],
      ["#/step/none", "No id in this ledger is none"],
      ["#/event/99999", "99999"],
      ["#/%E0%A4%A", "no such view"],
      ["#/constructor", "no such view"]
    ] as const) {
      await tab.value(`location.hash = ${JSON.stringify(hash)}`)
      await tab.until(`document.querySelector('.note.bad')?.textContent.includes(${JSON.stringify(text)})`)
    }
    expect(tab.faults.filter((fault) => !fault.includes("404"))).toEqual([])
    await tab.close()
  })

  it("is used with the keyboard alone: a row, up, theme, find, a copied proof", async () => {
    const tab = await opened()
    await tab.value(
      "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text) }"
    )
    await tab.press("j")
    expect(await tab.value("document.activeElement.textContent")).toContain("REFUND 4433")
    await tab.press("Enter")
    await tab.until("location.hash.startsWith('#/step/')")
    await tab.until("document.getElementById('view').innerText.includes('claimed it with')")
    await tab.press("p")
    await tab.until("window.copied.length === 1")
    const { document } = await runJson(
      [
        "cassette",
        "prove",
        "inclusion",
        "--db",
        shop,
        "--event",
        "11",
        "--checkpoint",
        join(root, "note.txt")
      ],
      { cwd: root }
    )
    expect(JSON.parse(await tab.value<string>("window.copied[0]"))).toEqual(document.data)
    await tab.press("c")
    await tab.until("window.copied.length === 2")
    expect(await tab.value<string>("window.copied[1]")).toMatch(/^cortex show step_\S+ --db \S+shop\.db$/)
    await tab.press("u")
    await tab.until("location.hash === '#/run/refunds-2026-11'")
    await tab.press("t")
    expect(await tab.value("document.documentElement.dataset.theme")).toBe("dark")
    await tab.press("/")
    await tab.send("Input.insertText", { text: "11.1.2" })
    await tab.press("Enter")
    await tab.until("document.querySelector('h1')?.textContent === 'LOAD_ORDER 4421'")
    await tab.press("?")
    await tab.until("document.querySelector('dialog[open]')")
    await expectCalm(tab)
    await tab.close()
  })

  it("never scrolls sideways on a telephone, and keeps its roles there", async () => {
    const tab = await opened()
    for (const width of [320, 390]) {
      await tab.screen(width, 844, "dark")
      for (const [view, text] of [
        ["#/", "Stuck"],
        ["#/run/refunds-2026-11", "REFUND 4421"],
        ["#/run/refunds-2026-11/events", "posted"],
        ["#/event/5", "hash before"],
        ["#/failed", "needs a person"]
      ] as const) {
        await go(tab, view, text)
        const wider = await tab.value<number>("document.documentElement.scrollWidth - innerWidth")
        expect([width, view, Math.max(0, wider)]).toEqual([width, view, 0])
      }
    }
    const roles = await tab.value(
      "document.querySelectorAll('table[role=table] tr[role=row] td[role=cell]').length > 3"
    )
    expect(roles).toBe(true)
    await tab.close()
  })

  it("has text and marks that stand out enough, light and dark", async () => {
    const tab = await opened()
    const contrast = `(() => {
      const style = (name) => { const e = document.createElement("i"); e.style.color = "var(" + name + ")"; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c.match(/[\\d.]+/g).slice(0, 3).map(Number) }
      const light = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0)
      const ratio = (a, b) => { const [x, y] = [light(style(a)), light(style(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) }
      const texts = ["--ink", "--ink2", "--ink3", "--link", "--ok", "--bad", "--warn"].flatMap((t) => ["--paper", "--raised", "--sunken"].map((g) => [t, g, ratio(t, g)]))
      const marks = ["--bar", "--bar-bad", "--bar-warn", "--bar-live"].map((t) => [t, "--paper", ratio(t, "--paper")])
      return [texts.filter((t) => t[2] < 4.5), marks.filter((t) => t[2] < 3)]
    })()`
    for (const theme of ["light", "dark"] as const) {
      await tab.screen(1_440, 900, theme)
      // The policy forbids an element's own style in the page; the test's own is set by script, which it does not.
      expect([theme, await tab.value(contrast)]).toEqual([theme, [[], []]])
    }
    await tab.close()
  })

  it("tells of events that come while one looks, and moves nothing by itself", async () => {
    const file = join(mkdtempSync(join(root, "grow-")), "grow.db")
    copyFileSync(shop, file)
    const own = await serve(file, { page })
    const tab = await opened(own.url)
    await tab.press("v")
    await tab.until("document.querySelector('.verdict h1').textContent === 'PASS'")
    const before = await tab.text()
    const post = Ledger.use((ledger) =>
      ledger.postMessage({ run_id: "new-run", source: "USER", payload: { intent: "more" } })
    )
    await Effect.runPromise(Effect.provide(post, Ledger.layer({ filename: file })))
    await tab.until("!document.getElementById('grown').hidden")
    expect(await tab.value("document.getElementById('grown').textContent")).toBe("1 new event")
    expect(await tab.value("document.getElementById('seal').textContent")).toBe("PASS to event 42")
    expect(await tab.text()).toBe(before)
    await tab.value("document.getElementById('grown').click()")
    await tab.until("document.getElementById('view').innerText.includes('new-run')")
    expect(await tab.text()).toContain("1 event since then: not yet checked")
    await own.close()
    await tab.until("document.getElementById('alert').textContent.includes('The inspector has ended')")
    expect(await tab.text()).toContain("new-run")
    await tab.close()
  })

  it("says at once that an address without its secret is not enough", async () => {
    const tab = await browser.tab()
    await tab.goTo(new URL("/", served.url).href)
    await tab.until("document.querySelector('.note.bad')?.textContent.includes('its end is the secret')")
    await tab.close()
  })

  it("is the same as a file, with its verdict, and asks nothing", async () => {
    const saved = await Effect.runPromise(savedAnswers(served.inspected, true))
    const file = join(root, "page.html")
    writeFileSync(file, savedPage(page, saved))
    const tab = await opened(pathToFileURL(file).href)
    expect(await tab.value("document.querySelector('.verdict h1').textContent")).toBe("PASS")
    expect(await tab.text()).toContain("The verdict is the one at that time.")
    await go(tab, "#/run/refunds-2026-11", "REFUND 4421")
    const step = await secondStep(tab)
    await go(tab, step, "claimed it with token 3")
    await go(tab, "#/event/11", "hash before")
    await tab.value(
      "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text) }"
    )
    await tab.press("p")
    await tab.until("window.copied.length === 1")
    await go(tab, "#/runs", "crawl-handbook")
    expect(tab.faults).toEqual([])
    expect(tab.requests.filter((url) => !url.startsWith("file:") && url !== "about:blank")).toEqual([])
    await tab.close()
  })

  it("leaves the ledger as it was", () => {
    expect(contentsOf(root)["shop.db"]).toBe(before)
  })
})
