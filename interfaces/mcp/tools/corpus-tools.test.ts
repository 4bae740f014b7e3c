// Reading and planning as tools: the same answers and refusals as on the command line, and nothing left by what is refused.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "../../cli/testing/in-process.ts"
import { Session } from "../testing/session.ts"

let place: ReturnType<typeof temporaryFolder>
let session: Session

beforeEach(async () => {
  place = temporaryFolder()
  writeFileSync(join(place.folder, "guide.md"), "# Guide\n\nintro\n")
  session = new Session(place.folder)
  await session.initialize()
})

afterEach(async () => {
  await session.close()
  place.remove()
})

const cortex = (...args: ReadonlyArray<string>) => runJson(args, { cwd: place.folder })

const indexed = async () => {
  await runCli(["index"], { cwd: place.folder })
  await cortex("symbol", "add", "@DOCS/guide", "guide.md", "--slice", "lines[0:1]")
}

const request = {
  run_id: "r1",
  request_id: "q1",
  intent: "read",
  inputs: { symbols: ["@DOCS/guide", { symbol_id: "@DOCS/guide", slice: "head(3)" }] },
  budgets: { max_bytes: 100 }
}

describe("corpus_resolve", () => {
  it("reads a slice, once, in the same place as the command line", async () => {
    await indexed()
    const piece = { symbol_id: "@DOCS/guide", run_id: "r1" }
    expect(await session.data("corpus_resolve", piece)).toMatchObject({ payload: "# Guide", cache: "MISS" })
    const { document } = await cortex("resolve", "@DOCS/guide", "--run-id", "r1")
    expect(document.data).toMatchObject({ payload: "# Guide", cache: "HIT" })
    expect(await session.data("corpus_resolve", { ...piece, slice: "tail(3)" })).toMatchObject({
      payload: "ro\n",
      bytes_expanded: 3
    })
  })

  it("refuses what is unbounded, unknown or outside, and works once there is an index", async () => {
    const piece = { symbol_id: "@DOCS/guide", run_id: "r1" }
    expect(await session.code("corpus_resolve", piece)).toBe("CORPUS_MISSING")
    await indexed()
    expect(await session.code("corpus_resolve", { ...piece, slice: "ALL" })).toBe("INVALID_SLICE")
    expect(await session.code("corpus_resolve", { ...piece, symbol_id: "@DOCS/none" })).toBe(
      "SYMBOL_NOT_FOUND"
    )
    expect(await session.code("corpus_resolve", { ...piece, symbol_id: "../guide.md" })).toBe(
      "INVALID_PARAMS"
    )
    expect(await session.code("corpus_resolve", { ...piece, path: "guide.md" })).toBe("INVALID_PARAMS")
    expect(await session.data("corpus_resolve", piece)).toMatchObject({ cache: "MISS" })
  })
})

describe("plan_submit", () => {
  it("plans what the command line works, and answers the same ids again", async () => {
    await indexed()
    const planned = await session.data("plan_submit", request)
    expect(planned).toMatchObject({ created: true, cost: { steps: 2, bytes: 10, symbols: 1 } })
    expect(await session.data("plan_submit", request)).toEqual({ ...planned, created: false })
    writeFileSync(join(place.folder, "request.json"), JSON.stringify(request))
    const run = await cortex("run", "--request", "request.json", "--out", "out")
    expect(run.document.data).toMatchObject({
      plan: { job_id: planned["job_id"], created: false },
      work: { succeeded: 2 }
    })
    expect(await session.data("bundle_verify", { path: "out" })).toMatchObject({ verdict: "PASS" })
    expect(await session.code("plan_submit", { ...request, intent: "other" })).toBe("IDEMPOTENCY_CONFLICT")
  })

  it("leaves no ledger behind when it is refused", async () => {
    await indexed()
    const { budgets: _, ...rest } = request
    expect(await session.code("plan_submit", { ...rest, budgets: { max_steps: 1 } })).toBe("BUDGET_EXCEEDED")
    expect(await session.code("plan_submit", { ...rest, inputs: {} })).toBe("INVALID_PARAMS")
    expect(await session.code("plan_submit", { ...rest, dry_run: true })).toBe("INVALID_PARAMS")
    const float = { symbol_id: "@DOCS/guide", expected_outputs: { n: 0.5 } }
    expect(await session.code("plan_submit", { ...rest, inputs: { symbols: [float] } })).toBe(
      "INVALID_PARAMS"
    )
    expect(existsSync(join(place.folder, "CORTEX", "_generated", "system3.db"))).toBe(false)
  })
})

describe("bundle_build", () => {
  it("makes the bundle of a finished job, the same again, and nothing outside the root", async () => {
    await indexed()
    const { job_id } = await session.data("plan_submit", request)
    const job = { run_id: "r1", job_id, out: "bundle" }
    expect(await session.code("bundle_build", job)).toBe("JOB_INCOMPLETE")
    await cortex("work", "--run-id", "r1", "--worker", "w")
    const built = await session.data("bundle_build", job)
    expect(built).toMatchObject({ created: true, counts: { steps: 2, artifacts: 2 }, failed_steps: [] })
    expect(await session.data("bundle_build", job)).toEqual({ ...built, created: false })
    expect(await session.data("bundle_verify", { path: "bundle" })).toMatchObject({
      verdict: "PASS",
      bundle_id: built["bundle_id"]
    })
    expect(await session.code("bundle_build", { ...job, out: "../bundle" })).toBe("PATH_OUTSIDE_ROOT")
    expect(await session.code("bundle_build", { ...job, run_id: "r2" })).toBe("JOB_NOT_FOUND")
    writeFileSync(join(place.folder, "taken"), "")
    expect(await session.code("bundle_build", { ...job, out: "taken" })).toBe("TARGET_EXISTS")
  })
})
