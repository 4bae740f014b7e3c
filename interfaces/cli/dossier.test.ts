// Dossiers by the command line alone: made from a ledger with a bundle that rides along, checked by a person who has the trust file,
// and by one who has the ledger too.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Ran, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const at = (...names: ReadonlyArray<string>): string => join(folder, ...names)
const cortex = (...args: ReadonlyArray<string>): Promise<Ran> => runCli(args, { cwd: folder })
const printed = async (...args: ReadonlyArray<string>): Promise<string> => {
  const ran = await cortex(...args)
  expect(ran).toMatchObject({ code: 0 })
  return ran.stdout
}
const document = async (...args: ReadonlyArray<string>) => {
  const ran = await runJson(args, { cwd: folder })
  return { code: ran.code, data: ran.document.data, error: ran.document.error }
}
const codesOf = (error: { readonly details: object } | undefined): ReadonlyArray<string> => {
  const report = error?.details as
    | { readonly findings?: ReadonlyArray<{ readonly code: string }> }
    | undefined
  return (report?.findings ?? []).map(({ code }) => code)
}

const LEDGER = ["--db", "CORTEX/_generated/system3.db"]
const whole = ["--run-id", "r1", "--key", "audit.pem"]
const verify = (path: string, ...more: ReadonlyArray<string>) =>
  document("dossier", "verify", path, "--trust", "trust.json", ...more)

beforeAll(async () => {
  writeFileSync(at("guide.md"), "# Guide\n\nintro\nwithout an end")
  const request = {
    run_id: "r1",
    request_id: "q1",
    intent: "read",
    inputs: { symbols: ["@DOCS/guide"] },
    budgets: { max_bytes: 100 }
  }
  writeFileSync(at("request.json"), JSON.stringify(request))
  await printed("index")
  await printed("symbol", "add", "@DOCS/guide", "guide.md", "--slice", "tail(20)")
  await printed("run", "--request", "request.json", "--out", "bundle")
  await printed(
    "thought",
    "record",
    "--task",
    "r1",
    "--agent",
    "w1",
    "--type",
    "plan",
    "--content",
    "first read"
  )
  await printed("key", "generate", "--out", "audit.pem")
  await printed("cassette", "checkpoint", "--key", "audit.pem", "--out", "monday.txt")
  const ledgerId = readFileSync(at("monday.txt"), "utf8").split("\n")[0]?.slice("cassette/".length) ?? ""
  const trust = await printed("key", "trust", "--public-key", "audit.pem.pub", "--ledger", ledgerId)
  writeFileSync(at("trust.json"), trust)
  await printed("dossier", "export", ...whole, "--task", "r1", "--bundle", "bundle", "--out", "out")
})

describe("cortex dossier", () => {
  it("exports with a bundle that verifies as before, in its place in the dossier", async () => {
    const [job = ""] = readdirSync(at("out", "bundles"))
    expect(job).toMatch(/^job_/)
    expect(await document("bundle", "verify", `out/bundles/${job}`)).toMatchObject({ code: 0 })
    expect(await verify("out")).toMatchObject({
      code: 0,
      data: { verdict: "PASS", complete: null, counts: { bundles: 1, thoughts: 1 } }
    })
    expect(await verify("out", ...LEDGER)).toMatchObject({
      code: 0,
      data: { complete: true, newer_events: 0 }
    })
  })

  it("packs the same into one file, which is verified as it is", async () => {
    await printed(
      "dossier",
      "export",
      ...whole,
      "--task",
      "r1",
      "--bundle",
      "bundle",
      "--out",
      "out.tar",
      "--tar"
    )
    const folderReport = await verify("out")
    expect(await verify("out.tar")).toEqual(folderReport)
  })

  it("says to people what was not judged", async () => {
    const ran = await cortex("dossier", "verify", "out", "--trust", "trust.json")
    expect(ran.stderr).toBe("PASS: All invariants verified\n")
    expect(ran.stdout).toContain(
      "complete    not judged: without the ledger (--db), absence cannot be judged"
    )
    const shown = await printed("dossier", "show", "out")
    expect(shown).toContain("signer      not judged: without a trust file (--trust) no signature counts")
    expect(shown).toMatch(/ r1 finished step \d+\.1\.1 after .* SUCCESS, /)
    expect(shown).toMatch(/ thought \(\w+\): /)
  })

  it("shows what was asked and answered whole when it is asked to, and says what was left out", async () => {
    const payload = '"symbol_id": "@'
    expect(await printed("dossier", "show", "out")).not.toContain(payload)
    expect(await printed("dossier", "show", "out", "--full")).toContain(payload)
    await printed("dossier", "export", ...whole, "--hash-payloads", "--out", "left-out")
    const left = await printed("dossier", "show", "left-out", "--full")
    expect(left).toContain("(without its bodies)")
    expect(left).toContain('"payload_sha256": "')
  })

  it("takes a checkpoint that was signed before in place of a key", async () => {
    await printed("dossier", "export", "--run-id", "r1", "--checkpoint", "monday.txt", "--out", "as-of")
    expect(readFileSync(at("as-of", "checkpoint.txt"))).toEqual(readFileSync(at("monday.txt")))
    expect(await verify("as-of")).toMatchObject({ code: 0 })
  })

  it("is made at the end of a run of everything, and left alone when it is there", async () => {
    const run = ["run", "--request", "request.json", "--out", "bundle"]
    expect(await document(...run, "--dossier", "of-run")).toMatchObject({ code: 2 })
    const all = [...run, "--dossier", "of-run", "--key", "audit.pem"]
    expect(await document(...all)).toMatchObject({ code: 0, data: { dossier: { created: true } } })
    expect(await document(...all)).toMatchObject({ code: 0, data: { dossier: { created: false } } })
    expect(await verify("of-run")).toMatchObject({ code: 0, data: { counts: { bundles: 1 } } })
  })

  it("leaves out bodies, and then no bundle rides", async () => {
    await printed("dossier", "export", ...whole, "--hash-payloads", "--out", "hashed")
    expect(readFileSync(at("hashed", "events.jsonl"), "utf8")).not.toContain("READ_SYMBOL")
    expect(await verify("hashed", ...LEDGER)).toMatchObject({
      code: 0,
      data: { bodies: "hashed", complete: true }
    })
    const refused = ["dossier", "export", ...whole, "--hash-payloads", "--bundle", "bundle", "--out", "x"]
    expect(await document(...refused)).toMatchObject({ code: 2, error: { code: "INVALID_PARAMS" } })
  })

  it("finds a changed bundle, also when every hash in the dossier was made right", async () => {
    cpSync(at("out"), at("changed"), { recursive: true })
    const [job = ""] = readdirSync(at("changed", "bundles"))
    const artifacts = at("changed", "bundles", job, "artifacts")
    const [name = ""] = readdirSync(artifacts)
    writeFileSync(join(artifacts, name), "# Other\n")
    const { code, error } = await verify("changed")
    expect(code).toBe(1)
    expect(new Set(codesOf(error))).toEqual(new Set(["BUNDLE_UNSOUND"]))
    rmSync(at("changed"), { recursive: true })
  })

  it("refuses a bundle that is not one of what was chosen, and a damaged one", async () => {
    const [job = ""] = readdirSync(at("out", "bundles"))
    const other = [...whole.with(1, "r2"), "--task", "r1", "--bundle", "bundle", "--out", "x"]
    expect(await document("dossier", "export", ...other)).toMatchObject({
      code: 1,
      error: { code: "BUNDLE_DISAGREES" }
    })
    cpSync(at("bundle"), at("broken"), { recursive: true })
    writeFileSync(at("broken", "more"), "")
    const broken = [...whole, "--bundle", "broken", "--out", "x"]
    expect(await document("dossier", "export", ...broken)).toMatchObject({
      code: 1,
      error: { code: "BUNDLE_DISAGREES", message: expect.stringContaining("FILE_EXTRA") }
    })
    expect(existsSync(at("x"))).toBe(false)
    expect(job).not.toBe("")
  })

  it("ends with 0, 1 and 2 as bundles do", async () => {
    expect(await verify("none")).toMatchObject({ code: 2, error: { code: "INVALID_DOSSIER" } })
    expect(await verify("guide.md")).toMatchObject({ code: 2, error: { code: "NOT_A_DOSSIER_ARCHIVE" } })
    mkdirSync(at("empty"))
    expect(await verify("empty")).toMatchObject({ code: 2, error: { code: "INVALID_DOSSIER" } })
    writeFileSync(at("out", "note.txt"), "")
    expect(await verify("out")).toMatchObject({ code: 1, error: { code: "VERIFICATION_FAILED" } })
    rmSync(at("out", "note.txt"))
    expect(await document("dossier", "verify", "out", "--trust", "none.json")).toMatchObject({ code: 2 })
  })

  it("asks for what it needs", async () => {
    for (const args of [
      ["--run-id", "r1", "--out", "x"],
      ["--key", "audit.pem", "--out", "x"],
      ["--run-id", "r1", "--key", "audit.pem", "--checkpoint", "monday.txt", "--out", "x"],
      ["--run-id", "r1", "--checkpoint", "monday.txt", "--name", "ops", "--out", "x"]
    ]) {
      expect(await document("dossier", "export", ...args), args.join(" ")).toMatchObject({ code: 2 })
    }
    expect(existsSync(at("x"))).toBe(false)
    const nothing = ["dossier", "export", ...whole.with(1, "r9"), "--out", "x"]
    expect(await document(...nothing)).toMatchObject({ code: 1, error: { code: "RUN_NOT_FOUND" } })
  })

  it("makes nothing inside a dossier", async () => {
    const inside = ["dossier", "export", ...whole, "--out", "out/again"]
    expect(await document(...inside)).toMatchObject({ code: 2, error: { code: "INVALID_PARAMS" } })
    expect(await verify("out")).toMatchObject({ code: 0 })
  })

  it("says up to where it is complete, when its run went on", async () => {
    writeFileSync(at("more.json"), JSON.stringify({ intent: "more" }))
    await printed("cassette", "post", "--json", "more.json", "--run-id", "r1", "--source", "USER")
    const shown = await printed("dossier", "verify", "out", "--trust", "trust.json", ...LEDGER)
    expect(shown).toMatch(/^complete +yes, up to event \d+, .* the ledger has 1 newer event\(s\) of it$/m)
  })
})
