// The server of the page: who may ask, what is answered about sound, damaged, growing and replaced files, and that nothing is changed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, renameSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Overview, Page, RunItem, StepItem } from "../../domain/inspection/answers.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import type { TimelineEntry } from "../../domain/history/timeline.ts"
import { runJson } from "../cli/testing/in-process.ts"
import { Ledger } from "../embedding/ledger.ts"
import { openNetwork } from "../embedding/network-files.ts"
import { faultsOfDamaged, QUESTIONS, refunds } from "./testing/page-questions.ts"
import { contentsOf, serve, type Served } from "./testing/served.ts"
import { HOSTILE, makeShopLedger } from "./testing/shop-ledger.ts"
import { SECRET_HEADER } from "./server.ts"

const root = mkdtempSync(join(tmpdir(), "cassette-inspect-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const NOW = Date.now()
const shop = join(root, "shop.db")
let served: Served

/** A copy of the ledger in a folder of its own. */
const copied = (): { readonly folder: string; readonly file: string } => {
  const folder = mkdtempSync(join(root, "copy-"))
  const file = join(folder, "shop.db")
  copyFileSync(shop, file)
  return { folder, file }
}

/** Serves a file for as long as the work lasts. */
const serving = async <A>(file: string, work: (served: Served) => Promise<A>): Promise<A> => {
  const own = await serve(file)
  try {
    return await work(own)
  } finally {
    await own.close()
  }
}

/** Runs commands on a ledger file. */
const writing = <A, E>(filename: string, work: Effect.Effect<A, E, Ledger>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, Ledger.layer({ filename })))

const post = (run_id: string, payload: { readonly [key: string]: string | number }) =>
  Ledger.use((ledger) => ledger.postMessage({ run_id, source: "USER", payload }))

beforeAll(async () => {
  await makeShopLedger(shop, NOW)
  served = await serve(shop)
})
afterAll(() => served.close())

describe("who may ask", () => {
  it("is who has the secret", async () => {
    for (const secret of [null, "", "x", served.secret.slice(1), `${served.secret}a`]) {
      const answer = await served.ask("/v1/overview", { secret })
      expect([secret, answer.status]).toEqual([secret, 401])
      expect(answer.text).not.toContain("refunds")
    }
    expect((await served.ask("/v1/overview")).status).toBe(200)
  })

  it("is who asks this machine by its name, from the page itself", async () => {
    for (const host of ["cassette.example", "127.0.0.1", "localhost:1", "127.0.0.1.nip.io:80"]) {
      expect((await served.ask("/v1/overview", { headers: { host } })).status).toBe(421)
      expect((await served.ask("/", { headers: { host } })).status).toBe(421)
    }
    for (const origin of ["http://cassette.example", "null", `http://127.0.0.1:1`]) {
      expect((await served.ask("/v1/overview", { headers: { origin } })).status).toBe(403)
    }
    const { origin } = new URL(served.url)
    expect((await served.ask("/v1/overview", { headers: { origin } })).status).toBe(200)
  })

  it("can only read", async () => {
    for (const method of ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]) {
      expect([method, (await served.ask("/v1/overview", { method })).status]).toEqual([method, 405])
    }
  })

  it("is told what is not there, and what cannot be meant", async () => {
    for (const path of [
      "/v1/nothing",
      "/v1/constructor",
      "/index.html",
      "/v1",
      "/../etc/passwd",
      "/v1/overview/"
    ]) {
      expect([path, (await served.ask(path)).status]).toEqual([path, 404])
    }
    for (const path of [
      "/v1/run?id=none",
      "/v1/run?id=%00",
      "/v1/show?id=step_none",
      "/v1/events?run=none",
      "/v1/network"
    ]) {
      expect([path, (await served.ask(path)).status]).toEqual([path, 404])
    }
    expect((await served.ask("/v1/show?id=")).status).toBe(400)
    expect((await served.ask("/v1/show?id=step_")).status).toBe(400)
    expect((await served.ask("/v1/run?id=%E0%A4%A")).status).toBe(404)
  })

  it("gets a page that may load nothing and that no other page may hold", async () => {
    const { headers, status } = await served.ask("/", { secret: null })
    expect(status).toBe(200)
    const policy = String(headers["content-security-policy"])
    for (const rule of [
      "default-src 'none'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'none'"
    ]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toContain("unsafe")
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin"
    })
  })
})

describe("answers", () => {
  it("name what is stuck, the oldest first, and say how long the run has been silent", async () => {
    const { now, stuck } = await served.json<Overview>("/v1/overview")
    expect(stuck.leases.map(({ what, worker_id }) => [what, worker_id])).toEqual([["REFUND 4433", "ben"]])
    expect(stuck.waiting.map(({ run_id, what }) => [run_id, what])).toEqual([
      ["crawl-handbook", "READ_SYMBOL @HANDBOOK/expenses"],
      ["refunds-2026-11", "SEND_MAIL 4430"]
    ])
    expect(stuck.has_more).toBe(false)
    expect(Date.parse(now)).toBeGreaterThanOrEqual(NOW)
  })

  it("name what failed, the newest first, with reason, worker and token", async () => {
    const { failed } = await served.json<Overview>("/v1/overview")
    expect(failed.map(({ outcome, reason, worker_id }) => [outcome, reason, worker_id])).toEqual([
      ["ABORTED", "needs a person: 720.50 EUR is above the limit of 500 EUR", "ada"],
      ["FAILURE", "The issuer refused the refund: code 51, not enough funds", "cleo"],
      ["FAILURE", HOSTILE, "nora"]
    ])
  })

  it("list the runs by their newest event, and by name", async () => {
    const { runs } = await served.json<Overview>("/v1/overview")
    expect(runs.map(({ run_id }) => run_id)).toEqual([
      "digest-today",
      "contract-review",
      "refunds-2026-11",
      expect.stringContaining("hostile"),
      "crawl-handbook"
    ])
    const byName = await served.json<Page<RunItem, string>>("/v1/runs?by_name=yes")
    expect(byName.items.map(({ run_id }) => run_id)).toEqual(runs.map(({ run_id }) => run_id).sort())
    expect(runs.find(({ run_id }) => run_id === "refunds-2026-11")?.intent).toBe("pay back four orders")
  })

  it("give a run's steps with every attempt, and each state alone", async () => {
    const { items } = await served.json<Page<StepItem, string>>(`/v1/steps?${refunds}`)
    expect(items.map(({ what }) => what)).toEqual([
      ...["4417", "4421", "4430", "4433"].map((order) => `LOAD_ORDER ${order}`),
      ...["4417", "4421", "4430", "4433"].map((order) => `REFUND ${order}`),
      "SEND_MAIL 4417",
      "SEND_MAIL 4430"
    ])
    const attempts = items[1]?.attempts.map(({ end, fencing_token, worker_id }) => [
      worker_id,
      fencing_token,
      end?.how
    ])
    expect(attempts).toEqual([
      ["ben", 1, "released"],
      ["ada", 2, "released"],
      ["cleo", 4, "SUCCESS"]
    ])
    expect(items.every(({ has_all_attempts }) => has_all_attempts)).toBe(true)
    const inState = async (state: string) =>
      (await served.json<Page<StepItem, string>>(`/v1/steps?${refunds}&state=${state}`)).items.map(
        ({ what }) => what
      )
    expect(await inState("failed")).toEqual(["REFUND 4421", "REFUND 4417"])
    expect(await inState("ended")).toEqual(["REFUND 4433"])
    expect(await inState("leased")).toEqual(["SEND_MAIL 4417"])
    expect(await inState("waiting")).toEqual(["SEND_MAIL 4430"])
  })

  it("give stored texts as they are, hostile ones too", async () => {
    const { failed } = await served.json<Overview>("/v1/overview")
    const step = failed.at(-1)?.step_id ?? ""
    const shown = await served.json<{
      payload: { text: string }
      receipt: { receipt: { text: string; bytes: number; is_cut: boolean } }
    }>(`/v1/show?id=${step}`)
    expect(JSON.parse(shown.payload.text)).toEqual({ [HOSTILE]: HOSTILE, intent: HOSTILE })
    expect(shown.receipt.receipt.is_cut).toBe(true)
    const { receipt } = await served.json<typeof shown>(`/v1/show?id=${step}&whole=yes`)
    expect(JSON.parse(receipt.receipt.text)).toEqual({ message: HOSTILE, body: "x".repeat(9_000) })
    expect(receipt.receipt.bytes).toBe(shown.receipt.receipt.bytes)
  })

  it("stay small where a cell is large", async () => {
    const { file } = copied()
    const body = "y".repeat(1_000_000)
    await writing(file, post("large", { intent: "large", body }))
    await serving(file, async ({ ask, json }) => {
      for (const path of [
        "/v1/overview",
        "/v1/run?id=large",
        "/v1/steps?run=large",
        "/v1/events?run=large",
        "/v1/drawing?run=large"
      ]) {
        expect([path, (await ask(path)).text.length < 20_000]).toEqual([path, true])
      }
      const { items } = await json<Page<TimelineEntry, number>>("/v1/events?run=large")
      const whole = await ask(`/v1/show?id=event:${items[0]?.position}&whole=yes`)
      expect(whole.text).toContain(body)
    })
  })
})

describe("a proof", () => {
  it("is the text that the command line prints, and there is none without a checkpoint", async () => {
    const cwd = mkdtempSync(join(root, "proof-"))
    const run = async (...args: ReadonlyArray<string>) => (await runJson(args, { cwd })).document.data ?? {}
    await run("key", "generate", "--out", "key.pem")
    await run("cassette", "checkpoint", "--db", shop, "--key", "key.pem", "--out", "note.txt")
    const trust = await run(
      "key",
      "trust",
      "--public-key",
      "key.pem.pub",
      "--ledger",
      String((await served.json<Overview>("/v1/overview")).ledger_id)
    )
    const printed = await run(
      "cassette",
      "prove",
      "inclusion",
      "--db",
      shop,
      "--event",
      "20",
      "--checkpoint",
      "note.txt"
    )
    const own = await serve(shop, {
      checkpoint: readFileSync(join(cwd, "note.txt"), "utf8"),
      trust: trust as unknown as TrustFile
    })
    try {
      const { proof } = await own.json<{ proof: string }>("/v1/proof?position=20")
      expect(JSON.parse(proof)).toEqual(printed)
      const { checkpoint } = await own.json<Overview>("/v1/overview")
      expect(checkpoint).toMatchObject({ is_trusted: true, fault: null, size: 42 })
      expect((await own.ask("/v1/proof?position=9999")).status).toBe(400)
    } finally {
      await own.close()
    }
    expect((await served.ask("/v1/proof?position=20")).status).toBe(404)
  })
})

describe("the network", () => {
  it("answers as the command line does, and tells how each cassette is", async () => {
    const cwd = mkdtempSync(join(root, "network-"))
    writeFileSync(join(cwd, "leases.md"), "# Leases\n\nA lease that has ended waits for a requeue.\n")
    const run = async (...args: ReadonlyArray<string>) => (await runJson(args, { cwd })).document.data ?? {}
    await run("network", "init")
    await run("network", "index")
    await run("memory", "save", "Leases last five minutes", "--cassette", "memory", "--agent", "ada")
    const network = openNetwork({ file: join(cwd, "CORTEX", "network.yaml"), root: cwd, agent: "ada" })
    const query = await run("network", "query", "lease", "--agent", "ada")
    const remembered = await run("memory", "query", "lease", "--agent", "ada")
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const opened = yield* network
          const own = yield* Effect.promise(() => serve(shop, { network: Effect.succeed(opened) }))
          yield* Effect.promise(async () => {
            expect(await own.json("/v1/network/query?text=lease")).toMatchObject({ hits: query["hits"] })
            expect(await own.json("/v1/memories?text=lease")).toMatchObject({ hits: remembered["hits"] })
            expect((await own.ask("/v1/network/query?text=")).status).toBe(400)
            const { cassettes } = await own.json<{
              cassettes: ReadonlyArray<{ cassette_id: string; status: string }>
            }>("/v1/network")
            expect(cassettes.map(({ cassette_id, status }) => [cassette_id, status])).toContainEqual([
              "documents",
              "ok"
            ])
            await own.close()
          })
        })
      )
    )
  })
})

/** The lines of a verification. */
const verified = async ({ ask }: Served) =>
  (await ask("/v1/verify")).text
    .trim()
    .split("\n")
    .map(
      (line) =>
        JSON.parse(line) as { doing?: string; report?: { verdict: string; findings: ReadonlyArray<object> } }
    )

describe("a verification", () => {
  it("tells what it does, then the report that the command makes without its clock", async () => {
    const lines = await verified(served)
    const { document } = await runJson(["cassette", "verify", "--pure", "--db", shop], { cwd: root })
    expect(lines.at(-1)?.report).toEqual(document.data)
    expect(lines.length).toBeGreaterThan(1)
  })

  it("ends when its asker goes, and can be made again", async () => {
    const { hostname, port } = new URL(served.url)
    const headers = { [SECRET_HEADER]: served.secret }
    await new Promise<void>((resolve, reject) => {
      const call = get({ hostname, port, path: "/v1/verify", headers }, (response) => {
        response.once("data", () => {
          call.destroy()
          resolve()
        })
      })
      call.on("error", (error) => {
        if (!call.destroyed) reject(error)
      })
    })
    expect((await verified(served)).at(-1)?.report?.verdict).toBe("PASS")
  })

  it("takes the place of one that runs: there is one at a time, however often it is asked for", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => verified(served)))
    const last = all.map((lines) => lines.at(-1) as { report?: object; error?: { code: string } })
    expect(last.filter(({ report }) => report !== undefined)).toHaveLength(1)
    expect(last.filter(({ error }) => error?.code === "REPLACED")).toHaveLength(3)
  })

  it("finds what was changed behind the guards", async () => {
    const { file } = copied()
    const raw = new Database(file)
    raw.exec("DROP TRIGGER tr_receipts_append_only_update")
    raw.exec("UPDATE cassette_receipts SET outcome = 'SUCCESS' WHERE outcome = 'FAILURE'")
    raw.close()
    const own = await serve(file, { ownChild: true })
    try {
      const report = (await verified(own)).at(-1)?.report
      expect(report?.verdict).toBe("FAIL")
      expect(report?.findings.length).toBeGreaterThan(1)
    } finally {
      await own.close()
    }
  })
})

describe("a file", () => {
  it("is as it was after every question, with everything beside it", async () => {
    const { file, folder } = copied()
    const before = contentsOf(folder)
    await serving(file, async (own) => {
      for (const question of QUESTIONS)
        expect([question, (await own.ask(question)).status]).toEqual([question, 200])
      await verified(own)
      await own.ask("/v1/proof?position=3")
    })
    expect(contentsOf(folder)).toEqual(before)
  })

  it("that grows is told of, and pages that were read still fit", async () => {
    const { file } = copied()
    await serving(file, async ({ json }) => {
      const { as_of } = await json<Overview>("/v1/overview")
      const news = json<Overview>(`/v1/growth?after=${as_of.position}`)
      const first = await json<Page<TimelineEntry, number>>("/v1/events?run=refunds-2026-11")
      await writing(file, post("refunds-2026-11", { intent: "more" }))
      expect((await news).as_of.position).toBe(as_of.position + 1)
      const again = await json<Page<TimelineEntry, number>>("/v1/events?run=refunds-2026-11")
      expect(again.items.slice(1)).toEqual(first.items)
      const oldest = first.items.at(-1)?.position ?? 0
      const older = await json<Page<TimelineEntry, number>>(
        `/v1/events?run=refunds-2026-11&before=${oldest + 1}`
      )
      expect(older.items[0]?.position).toBe(oldest)
    })
  })

  it("that is replaced or removed is said, and the server goes on", async () => {
    const { file, folder } = copied()
    await serving(file, async ({ ask, json }) => {
      await json("/v1/overview")
      renameSync(file, join(folder, "moved.db"))
      copyFileSync(join(folder, "moved.db"), file)
      const replaced = await ask("/v1/overview")
      expect([replaced.status, replaced.text.includes("refunds")]).toEqual([500, false])
      rmSync(file)
      expect((await ask("/v1/overview")).status).toBe(500)
      expect((await ask("/", { secret: null })).status).toBe(200)
    })
  })

  it("that is damaged is read as far as it goes, and nothing of it ends the server", async () => {
    const { size } = statSync(shop)
    // Three of many places: property-tests/inspected-damage.prop.ts tries all of them.
    const faults = await Promise.all(
      [0.1, 0.5, 0.9].map((part) => faultsOfDamaged(copied().file, 4_096 * Math.floor((part * size) / 4_096)))
    )
    expect(faults.filter((each) => each !== undefined)).not.toEqual([])
    expect(faults.flatMap((each) => each ?? [])).toEqual([])
  })

  it("whose cells hold 4 MB, U+0000 and markup behind the guards answers little, and ends nothing", async () => {
    const { file } = copied()
    const raw = new Database(file)
    const tables = ["events", "cassette_messages", "cassette_steps", "cassette_receipts"]
    for (const table of tables) {
      const guards = raw
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
        .pluck()
      for (const name of guards.all(table)) raw.exec(`DROP TRIGGER "${String(name)}"`)
    }
    const hostile = `{"intent":"${"x".repeat(4 * 2 ** 20)}\u202e</script><script>hacked()</script>"}`
    raw.prepare("UPDATE events SET data = ? WHERE position IN (2, 20)").run(hostile)
    raw
      .prepare("UPDATE cassette_messages SET payload_json = ?, run_id = run_id || char(0) || 'x'")
      .run(hostile)
    raw.exec("UPDATE cassette_steps SET payload_json = char(0), lease_owner = 'w' || char(0)")
    raw.exec("UPDATE cassette_receipts SET receipt_json = CAST(zeroblob(4194304) AS TEXT)")
    raw.close()
    await serving(file, async ({ ask }) => {
      for (const question of [...QUESTIONS, "/v1/show?id=event%3A2", "/v1/show?id=event%3A20"]) {
        const { status, text } = await ask(question)
        expect([200, 400, 404, 500], question).toContain(status)
        expect(text.length, question).toBeLessThan(2 ** 20)
        expect(() => JSON.parse(text) as unknown).not.toThrow()
      }
    })
  })

  it("that another program writes to is read meanwhile", async () => {
    const { file } = copied()
    const raw = new Database(file)
    try {
      await serving(file, async ({ json }) => {
        raw.exec("BEGIN IMMEDIATE")
        expect((await json<Overview>("/v1/overview")).as_of.position).toBe(42)
        raw.exec("ROLLBACK")
      })
    } finally {
      raw.close()
    }
  })

  it("of a ledger without work is empty, and says so", async () => {
    const file = join(root, "empty.db")
    await writing(
      file,
      Ledger.use((ledger) => ledger.head)
    )
    await serving(file, async ({ json }) => {
      const { failed, runs, stuck } = await json<Overview>("/v1/overview")
      expect([failed, runs, stuck]).toEqual([[], [], { leases: [], waiting: [], has_more: false }])
    })
  })
})
