/** Every kind of error that an agent can meet, each once, with the official client. */
import {
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  readdirSync,
  readFileSync
} from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { errorCode } from "../../domain/foundation/errors.ts"
import { exitCodes } from "../shared/exit-codes.ts"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { cortex, OfficialAgent } from "./testing/official-client.ts"

let place: ReturnType<typeof temporaryFolder>
let agents: Array<OfficialAgent>

/** Every code that some call above was answered with. */
const met = new Set<string>()

const start = async (...args: ReadonlyArray<string>): Promise<OfficialAgent> => {
  const agent = await OfficialAgent.here(place.folder, ...args)
  agent.onError = (code) => met.add(code)
  agents.push(agent)
  return agent
}

const inFolder = (...names: ReadonlyArray<string>) => join(place.folder, ...names)

beforeEach(() => {
  place = temporaryFolder()
  agents = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const { client } of agents) await client.close()
  place.remove()
})

const work = { run_id: "r1", source: "USER", payload: { steps: [{ n: 1 }, { n: 2 }] } }

describe("the ledger and thoughts", () => {
  it("refuse in the ledger's own words", async () => {
    const agent = await start()
    expect(await agent.code("step_claim", { run_id: "r1", worker_id: "w" })).toBe("FILE_MISSING")
    expect(await agent.code("step_claim", { run_id: "r1", worker_id: "w", hurry: 1 })).toBe("INVALID_PARAMS")
    const { job_id } = await agent.data("message_post", { ...work, idempotency_key: "k" })
    expect(await agent.code("message_post", { ...work, idempotency_key: "k", source: "SYSTEM" })).toBe(
      "IDEMPOTENCY_CONFLICT"
    )
    expect(await agent.code("step_claim", { run_id: "none", worker_id: "w" })).toBe("NO_PENDING_STEP")
    const claim = { run_id: "r1", worker_id: "w" }
    const { step_id } = await agent.data("step_claim", claim)
    const step = { run_id: "r1", step_id }
    const finish = { ...step, worker_id: "w", fencing_token: 1, receipt_payload: {}, outcome: "SUCCESS" }
    expect(await agent.code("step_complete", { ...finish, step_id: "none" })).toBe("STEP_NOT_FOUND")
    expect(await agent.code("step_complete", { ...finish, run_id: "none" })).toBe("WRONG_RUN")
    expect(await agent.code("step_complete", { ...finish, worker_id: "v" })).toBe("WRONG_WORKER")
    expect(await agent.code("step_complete", { ...finish, fencing_token: 2 })).toBe("STALE_FENCING_TOKEN")
    const requeue = { ...step, reason: "late", requested_by: "o" }
    expect(await agent.code("step_requeue", requeue)).toBe("LEASE_NOT_EXPIRED")
    const { fencing_token } = await agent.data("lease_renew", { ...step, worker_id: "w", fencing_token: 1 })
    expect(await agent.code("step_complete", finish)).toBe("STALE_FENCING_TOKEN")
    const renewed = { ...finish, fencing_token }
    await agent.data("step_complete", renewed)
    expect(await agent.code("step_complete", renewed)).toBe("NOT_LEASED")
    const holder = { ...step, worker_id: "w", fencing_token }
    expect(await agent.code("lease_renew", holder)).toBe("NOT_LEASED")
    expect(await agent.code("lease_renew", { ...holder, run_id: "none" })).toBe("WRONG_RUN")
    const short = await agent.data("step_claim", { ...claim, ttl_seconds: 1 })
    expect(await agent.code("step_claim", { prefix: "r", worker_id: "w", wait_seconds: 2 })).toBe(
      "NO_PENDING_STEP"
    )
    expect(await agent.data("lease_list", { expired: true })).toMatchObject({
      leases: [{ step_id: short["step_id"], worker_id: "w" }]
    })
    expect(await agent.code("lease_renew", short["lease"] as Record<string, unknown>)).toBe("LEASE_EXPIRED")
    expect(await agent.code("step_complete", { ...finish, step_id: short["step_id"] })).toBe("LEASE_EXPIRED")
    expect(await agent.code("job_status", { job_id: "none" })).toBe("JOB_NOT_FOUND")
    expect(await agent.code("job_status", { run_id: "none" })).toBe("RUN_NOT_FOUND")
    expect(await agent.code("history_show", { id: "step_none" })).toBe("ID_NOT_FOUND")
    await agent.data("thought_record", { type: "plan", task_id: "t", agent_id: "a", content: "", id: "x" })
    expect(
      await agent.code("thought_record", { type: "plan", task_id: "t", agent_id: "a", content: "", id: "x" })
    ).toBe("DUPLICATE_ID")
    expect(await agent.code("thought_record_list", { after: "none" })).toBe("THOUGHT_NOT_FOUND")
    expect(await agent.code("audit_verify_chain", { task_id: "none" })).toBe("TASK_NOT_FOUND")
    const ada = await start("--agent", "ada")
    expect(await ada.code("step_claim", claim)).toBe("AGENT_MISMATCH")
    const bundle = { run_id: "r1", job_id, out: "out" }
    await cortex(place.folder, "index")
    expect(await agent.code("bundle_build", bundle)).toBe("JOB_INCOMPLETE")
    expect(await agent.code("bundle_build", { ...bundle, out: ".." })).toBe("PATH_OUTSIDE_ROOT")
  })

  it("say what is wrong with the file", async () => {
    const ledger = inFolder("CORTEX/_generated/system3.db")
    mkdirSync(inFolder("CORTEX/_generated"), { recursive: true })
    writeFileSync(ledger, "no ledger at all")
    const agent = await start()
    expect(await agent.code("job_status", { run_id: "r1" })).toBe("NOT_A_LEDGER")
    rmSync(ledger)
    await agent.data("message_post", work)
    const writer = new Database(ledger)
    writer.exec("BEGIN IMMEDIATE")
    // Its clock runs a hundred times faster, so that it has soon waited long enough.
    const real = performance.now.bind(performance)
    const clock = vi.spyOn(performance, "now").mockImplementation(() => 100 * real())
    expect(await agent.code("message_post", work)).toBe("STORE_BUSY")
    clock.mockRestore()
    writer.exec("ROLLBACK")
    await agent.data("message_post", work)
    writer.exec("DROP TRIGGER tr_steps_fsm_illegal_1")
    writer.close()
    const next = await start()
    expect(await next.code("message_post", work)).toBe("STORE_CORRUPT")
  })

  it("leave a newer program's ledger alone", async () => {
    const agent = await start()
    await agent.data("message_post", work)
    const ledger = new Database(inFolder("CORTEX/_generated/system3.db"))
    for (const trigger of ledger
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'cassette_meta'")
      .pluck()
      .all()) {
      ledger.exec(`DROP TRIGGER ${String(trigger)}`)
    }
    ledger.exec("UPDATE cassette_meta SET value = '99' WHERE key = 'db_version'")
    ledger.close()
    const next = await start()
    expect(await next.code("job_status", { run_id: "r1" })).toBe("STORE_NEWER_THAN_PROGRAM")
  })
})

/** Puts a guide with a symbol for it into the index. */
const indexedGuide = async (text = "# Guide\n\nintro\n\n## Part\n\nbody\n") => {
  writeFileSync(inFolder("guide.md"), text)
  await cortex(place.folder, "index")
}

describe("the corpus", () => {
  it("refuses what it cannot read in bounds", async () => {
    const agent = await start()
    const read = (symbol_id: string, slice?: string) =>
      agent.code("corpus_resolve", { symbol_id, run_id: "r", ...(slice === undefined ? {} : { slice }) })
    expect(await read("@DOCS/guide", "head(1)")).toBe("CORPUS_MISSING")
    await indexedGuide()
    expect(await read("@DOCS/guide", "head(1)")).toBe("SYMBOL_NOT_FOUND")
    expect(await read("0".repeat(64), "head(1)")).toBe("SECTION_NOT_FOUND")
    await cortex(place.folder, "symbol", "add", "@DOCS/guide", "guide.md")
    await cortex(place.folder, "symbol", "add", "@DOCS/part", "guide.md#Guide/Part")
    expect(await read("@DOCS/guide")).toBe("UNBOUNDED_SLICE")
    expect(await read("@DOCS/guide", "everything")).toBe("INVALID_SLICE")
    expect(await read("@DOCS/guide", "lines[0:9999]")).toBe("SLICE_OUT_OF_RANGE")
    const plan = { run_id: "r", request_id: "q", intent: "i", budgets: { max_bytes: 1 } }
    const inputs = { symbols: [{ symbol_id: "@DOCS/guide", slice: "head(3)" }] }
    expect(await agent.code("plan_submit", { ...plan, inputs })).toBe("BUDGET_EXCEEDED")
    writeFileSync(inFolder("guide.md"), "# Guide\n")
    expect(await read("@DOCS/part", "head(1)")).toBe("HEADING_NOT_FOUND")
    writeFileSync(inFolder("guide.md"), "# Guide\n\n## Part\n\n## Part\n")
    expect(await read("@DOCS/part", "head(1)")).toBe("AMBIGUOUS_HEADING")
    writeFileSync(inFolder("guide.md"), "\u0000\u0001")
    expect(await read("@DOCS/guide", "head(1)")).toBe("NOT_TEXT")
    truncateSync(inFolder("guide.md"), 2 ** 40)
    expect(await read("@DOCS/guide", "head(1)")).toBe("FILE_TOO_LARGE")
    rmSync(inFolder("guide.md"))
    expect(await read("@DOCS/guide", "head(1)")).toBe("TARGET_VANISHED")
    mkdirSync(inFolder("guide.md"))
    expect(await read("@DOCS/guide", "head(1)")).toBe("NOT_A_FILE")
    rmSync(inFolder("guide.md"), { recursive: true })
    symlinkSync("elsewhere", inFolder("guide.md"))
    expect(await read("@DOCS/guide", "head(1)")).toBe("NOT_A_FILE")
  })

  it("says what is wrong with its database", async () => {
    await indexedGuide()
    const index = inFolder("CORTEX/_generated/system1.db")
    writeFileSync(index, "no database")
    const agent = await start()
    expect(await agent.code("corpus_resolve", { symbol_id: "@A/b", run_id: "r" })).toBe("NOT_A_CORPUS")
  })
})

describe("bundles", () => {
  /** Plans, works and names a job that read the guide. */
  const readJob = async (agent: OfficialAgent, run_id: string) => {
    const inputs = { symbols: [{ symbol_id: "@DOCS/guide", slice: "head(3)" }] }
    const request = { run_id, request_id: "q", intent: "read", inputs }
    const { job_id } = await agent.data("plan_submit", request)
    return { run_id, job_id, out: `out-${run_id}` }
  }

  it("are refused where the job does not make one", async () => {
    await indexedGuide()
    await cortex(place.folder, "symbol", "add", "@DOCS/guide", "guide.md")
    const agent = await start("--agent", "ada")
    const other = await agent.data("message_post", { ...work, payload: { steps: [{ n: 1 }] } })
    const claimed = await agent.data("step_claim", { run_id: "r1" })
    const finish = {
      run_id: "r1",
      step_id: claimed["step_id"],
      fencing_token: 1,
      receipt_payload: {},
      outcome: "SUCCESS"
    }
    await agent.data("step_complete", finish)
    const bundleOf = (job: object) => agent.code("bundle_build", { ...job })
    expect(await bundleOf({ run_id: "r1", job_id: other["job_id"], out: "o" })).toBe("NOT_BUNDLEABLE")
    expect(await bundleOf({ run_id: "r2", job_id: other["job_id"], out: "o" })).toBe("JOB_NOT_FOUND")

    const good = await readJob(agent, "good")
    await cortex(place.folder, "work", "--run-id", "good", "--worker", "w")
    mkdirSync(inFolder("out-good"))
    writeFileSync(inFolder("out-good", "mine"), "")
    expect(await bundleOf(good)).toBe("TARGET_EXISTS")

    const failed = await readJob(agent, "failed")
    writeFileSync(inFolder("guide.md"), "\u0000")
    await cortex(place.folder, "work", "--run-id", "failed", "--worker", "w")
    expect(await bundleOf(failed)).toBe("STEPS_FAILED")
    writeFileSync(inFolder("guide.md"), "# Guide\n")

    const unread = await readJob(agent, "unread")
    const step = await agent.data("step_claim", { run_id: "unread" })
    const read = await agent.data("corpus_resolve", {
      run_id: "elsewhere",
      symbol_id: "@DOCS/guide",
      slice: "head(3)"
    })
    const receipt = {
      step_id: step["step_id"],
      op: "READ_SYMBOL",
      section_id: read["section_id"],
      symbol_id: "@DOCS/guide",
      slice: "head(3)",
      section_content_hash: read["section_content_hash"],
      payload_hash: read["payload_hash"],
      bytes_read: 3,
      cache: "MISS"
    }
    const lease = { run_id: "unread", step_id: step["step_id"], fencing_token: 1, outcome: "SUCCESS" }
    await agent.data("step_complete", { ...lease, receipt_payload: receipt })
    expect(await bundleOf(unread)).toBe("EXPANSION_MISSING")

    const drifting = await readJob(agent, "drifting")
    const next = await agent.data("step_claim", { run_id: "drifting" })
    await agent.data("corpus_resolve", { run_id: "drifting", symbol_id: "@DOCS/guide", slice: "head(3)" })
    await agent.data("step_complete", {
      ...lease,
      run_id: "drifting",
      step_id: next["step_id"],
      receipt_payload: { ...receipt, step_id: next["step_id"], payload_hash: "0".repeat(64) }
    })
    expect(await bundleOf(drifting)).toBe("RECEIPT_DRIFT")
  })
})

describe("the network and memories", () => {
  it("say what cannot be found, asked or saved", async () => {
    const agent = await start()
    const search = { query: "guide" }
    expect(await agent.code("semantic_search", search)).toBe("CONFIGURATION_MISSING")
    const configuration = inFolder("CORTEX/network.yaml")
    mkdirSync(inFolder("CORTEX"))
    writeFileSync(configuration, "cassettes: 7\n")
    expect(await agent.code("semantic_search", search)).toBe("INVALID_CONFIGURATION")
    rmSync(configuration)
    writeFileSync(inFolder("guide.md"), "# Guide\n")
    await cortex(place.folder, "network", "init")
    await cortex(place.folder, "network", "index")
    expect(await agent.code("semantic_search", { ...search, cassettes: ["none"] })).toBe("UNKNOWN_CASSETTE")
    expect(await agent.code("cassette_network_query", { ...search, capability: "fixtures" })).toBe(
      "NO_CASSETTE_WITH_CAPABILITY"
    )
    expect(await agent.code("memory_recall", { hash: "0".repeat(64) })).toBe("NETWORK_SYMBOL_NOT_FOUND")
    expect(await agent.code("symbol_resolve", { symbol: "@C:0" })).toBe("INVALID_NETWORK_SYMBOL")
    expect(await agent.code("memory_save", { text: "mine", cassette: "resident" })).toBe("AGENT_MISSING")
    await agent.data("memory_save", { text: "ours", cassette: "memory" })
    const asked = readFileSync(configuration, "utf8")
    writeFileSync(configuration, asked.replace("mutability: append-only", "mutability: read-write"))
    const changed = await start()
    expect(await changed.code("memory_save", { text: "ours", cassette: "memory" })).toBe("CASSETTE_DIFFERS")
    writeFileSync(configuration, asked)
    for (const name of readdirSync(inFolder("CORTEX/cassettes")))
      if (name.startsWith("memory.db")) rmSync(inFolder(`CORTEX/cassettes/${name}`))
    writeFileSync(inFolder("CORTEX/cassettes/memory.db"), "no database")
    expect(await agent.code("memory_query", { ...search, cassettes: ["memory"] })).toBe("NETWORK_UNAVAILABLE")
    expect(await agent.code("memory_save", { text: "ours", cassette: "memory" })).toBe("NOT_A_CASSETTE")
    rmSync(inFolder("CORTEX/cassettes/memory.db"))
    writeFileSync(
      configuration,
      "network:\n  version: '1.0'\n  protocol: SNP\ncassettes:\n  - id: documents\n    path: cassettes/documents.db\n    type: external\n"
    )
    const next = await start()
    expect(await next.code("memory_save", { text: "ours", cassette: "documents" })).toBe("WRITE_REFUSED")
  })
})

/** Errors that no call of an agent brings about here, and why. */
const elsewhere: Readonly<Record<string, ReadonlyArray<keyof typeof exitCodes>>> = {
  "they belong to other commands": [
    "AmbiguousPrefix",
    "BundleChanged",
    "BundleDisagrees",
    "CartridgeRefused",
    "CassetteDamaged",
    "CassetteExists",
    "CassetteFileExists",
    "CassettesRefused",
    "CheckpointOfAnotherLedger",
    "CheckpointUntrusted",
    "ConfigurationExists",
    "Different",
    "ExecutionNotFound",
    "ExecutionNotOpen",
    "FileNotIndexed",
    "FilesRefused",
    "HistoryRewritten",
    "InvalidBundle",
    "InvalidDossier",
    "InvalidKeyName",
    "KeyFileExists",
    "KeyFileExposed",
    "LedgersDiffer",
    "NetworkIncomplete",
    "NotABundleArchive",
    "NotADossierArchive",
    "NotACheckpoint",
    "NotAKeyFile",
    "NotAProof",
    "NotAReadStep",
    "NotAReplayReceipt",
    "NotATrustFile",
    "OutputClosed",
    "OutputFailed",
    "ResourceExhausted",
    "SigningFailed",
    "ProblemsFound",
    "ProofRefused",
    "RestoreRefused",
    "SymbolExists",
    "VerificationFailed",
    "WorkersFailed",
    "WrongLedger"
  ],
  "they are refusals of `cortex hook`, which coding agents call from outside": [
    "CallNotRecorded",
    "StopNotRecorded"
  ],
  "they need a cache of lines, which is an option of the server": ["CacheDamaged", "CacheTorn", "NotACache"],
  "they need a machine that fails: other tests break it": [
    "ClockFarBehindHead",
    "FileUnreadable",
    "NetworkFileSystem",
    "StorageFailure",
    "StorageFull",
    "UnsafePlace",
    "UnsupportedNode"
  ],
  "they need a race or a damaged database: tested where they arise": [
    "AmbiguousNetworkSymbol",
    "ArtifactConflict",
    "CassetteOffline",
    "CorpusClosed",
    "CorpusCorrupt",
    "DuplicateExpansion",
    "EmbedderFailed",
    "EmbedderMismatch",
    "ExpandedTextTooLarge",
    "ExpansionDiffers",
    "ExpansionTooLarge",
    "FileChanged",
    "InvariantViolation",
    "LedgerClosed",
    "LedgerIsNotACassette",
    "NetworkClosed",
    "NetworkSymbolCycle",
    "NetworkSymbolDamaged",
    "ReadOnlyStore"
  ]
}

describe("all kinds of errors", () => {
  it("were met above, or are named with the reason why not", () => {
    const named = Object.values(elsewhere).flat()
    const missing = Object.keys(exitCodes).filter(
      (tag) => !met.has(errorCode({ _tag: tag })) && !named.some((each) => each === tag)
    )
    expect(missing).toEqual([])
    expect(named.filter((tag) => met.has(errorCode({ _tag: tag })))).toEqual([])
  })
})
