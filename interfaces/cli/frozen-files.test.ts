// Files that an earlier version made, as they are committed: every later program opens them, verifies them, answers from them
// and goes on writing them. They are never made again; a new version of a format gets files of its own beside them.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventVersions } from "../../domain/ledger/events.ts"
import { makeFrozenFiles } from "./testing/frozen-files.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const frozen = fileURLToPath(new URL("../../docs/spec/frozen/0.1/", import.meta.url))

const { folder, remove } = temporaryFolder()
afterAll(remove)
const root = join(folder, "root")

beforeAll(async () => {
  if (!existsSync(frozen) && process.env["FREEZE"] === "0.1") {
    mkdirSync(frozen, { recursive: true })
    mkdirSync(join(folder, "scratch"))
    await makeFrozenFiles(frozen, join(folder, "scratch"))
  }
  cpSync(frozen, root, { recursive: true })
})

const data = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson(args, { cwd: root })
  expect(document.error, args.join(" ")).toBeUndefined()
  expect(code).toBe(0)
  return document.data ?? {}
}

const text = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runCli(args, { cwd: root })
  expect(code, stderr).toBe(0)
  return stdout
}

/** The types of events that version 0.1 knows; a later program knows these and more. */
const typesOfThen = [
  "LeaseRenewed",
  "LedgerCreated",
  "MessagePosted",
  "StepClaimed",
  "StepCompleted",
  "StepRequeued",
  "ThoughtRecorded"
]

describe("a ledger of version 0.1", () => {
  it("verifies, also against its checkpoint", async () => {
    // One step was left leased, and nothing but that its lease has ended since is to be told.
    const { document } = await runJson(["cassette", "verify"], { cwd: root })
    expect(document.error?.details["findings"]).toMatchObject([{ code: "LEASE_EXPIRED" }])
    const against = ["--checkpoint", "checkpoint.txt", "--trust", "trust.json"]
    const checked = await runJson(["cassette", "verify", ...against], { cwd: root })
    expect(checked.document.error?.details["findings"]).toMatchObject([{ code: "LEASE_EXPIRED" }])
    expect(await data("thought", "verify")).toMatchObject({ valid: true, record_count: 4 })
  })

  it("has every type of event of then, and its head", async () => {
    const events = (await text("cassette", "log", "--format", "json"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; hash: string; position: number })
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(typesOfThen)
    expect(Object.keys(eventVersions)).toEqual(expect.arrayContaining(typesOfThen))
    const { hash, position } = events.at(-1) ?? {}
    expect({ hash, position }).toMatchInlineSnapshot(`
      {
        "hash": "0051377e2193e1d28a44f58febe7dfe7d36f0d59150bd59d7e406a7718e6a330",
        "position": 21,
      }
    `)
  })

  it("gives the same tables again from its events", async () => {
    expect(await data("cassette", "rebuild", "--check")).toMatchObject({ verdict: "PASS" })
  })

  it("is written further", async () => {
    const [lease] = (await data("cassette", "leases"))["leases"] as ReadonlyArray<{
      readonly step_id: string
    }>
    const step = ["--run-id", "work", "--step", lease?.step_id ?? ""]
    await data("cassette", "requeue", ...step, "--reason", "ended")
    expect(await data("cassette", "claim", "--run-id", "work", "--worker", "w2")).toMatchObject({
      ordinal: 2
    })
    expect(await data("cassette", "verify")).toMatchObject({ verdict: "PASS" })
  })
})

describe("a corpus of version 0.1", () => {
  it("resolves its symbol and keeps its cache", async () => {
    expect(await text("resolve", "@DOCS/guide", "--slice", "lines[0:1]", "--run-id", "reading")).toBe(
      "# Guide"
    )
    expect(await data("cache", "verify")).toMatchObject({ verdict: "PASS" })
    expect(await data("index")).toMatchObject({ files: 4 })
  })
})

describe("a bundle of version 0.1", () => {
  it("verifies", async () => {
    expect(await data("bundle", "unpack", "bundle.tar", "bundle")).toMatchObject({
      report: { verdict: "PASS", counts: { artifacts: 1 } }
    })
  })
})

describe("cassettes of version 0.1", () => {
  it("verify and answer", async () => {
    expect(await data("network", "verify")).toMatchObject({ verdict: "PASS" })
    expect(await text("network", "query", "read first", "--cassette", "documents")).toContain("guide.md")
    expect(await text("memory", "query", "--agent", "a1", "server")).toContain("The hub needs no server")
    expect(await text("memory", "query", "--agent", "a2", "server")).toBe("nothing found\n")
  })

  it("are indexed further, and the cartridge is imported", async () => {
    await data("network", "index")
    await data("network", "import", "cartridge.tar", "--check")
    expect(await data("network", "verify")).toMatchObject({ verdict: "PASS" })
  })
})

it("no file of an earlier version was removed", () => {
  expect(readdirSync(frozen, { recursive: true }).map(String).sort()).toMatchInlineSnapshot(`
    [
      "CORTEX",
      "CORTEX/_generated",
      "CORTEX/_generated/system1.db",
      "CORTEX/_generated/system3.db",
      "CORTEX/cassettes",
      "CORTEX/cassettes/documents.db",
      "CORTEX/cassettes/resident.db",
      "CORTEX/cassettes/versions.db",
      "CORTEX/embedder.mjs",
      "CORTEX/network.yaml",
      "bundle.tar",
      "cartridge.tar",
      "checkpoint.txt",
      "docs",
      "docs/add.py",
      "docs/guide.md",
      "trust.json",
    ]
  `)
})
