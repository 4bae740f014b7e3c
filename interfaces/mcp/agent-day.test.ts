/** A working day of an agent with the official client: its first hour over the streams of a real process. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { cortex, OfficialAgent } from "./testing/official-client.ts"

let place: ReturnType<typeof temporaryFolder>
let agent: OfficialAgent

beforeEach(async () => {
  place = temporaryFolder()
  mkdirSync(join(place.folder, "notes"))
  writeFileSync(join(place.folder, "notes", "lease.md"), "# Leases\n\nA worker holds a lease.\n")
  writeFileSync(join(place.folder, "notes", "token.md"), "# Tokens\n\nA token grows by one.\n")
  agent = await OfficialAgent.here(place.folder, "--agent", "ada")
})

afterEach(async () => {
  await agent.client.close()
  place.remove()
})

describe("an agent's day", () => {
  it("posts, thinks, claims, completes and verifies", async () => {
    await agent.client.close()
    agent = await OfficialAgent.start(place.folder, "--agent", "ada")
    expect(agent.client.getServerVersion()).toMatchObject({ name: "cortex" })
    const posted = await agent.data("message_post", {
      run_id: "day",
      source: "USER",
      payload: { intent: "summarise", steps: [{ file: "a.md" }, { file: "b.md" }] }
    })
    const plan = await agent.data("thought_record", { type: "plan", task_id: "day", content: "a before b" })
    expect(plan).toMatchObject({ agent_id: "ada" })
    for (const ordinal of [1, 2]) {
      const { fencing_token, step_id, ...claim } = await agent.data("step_claim", { run_id: "day" })
      expect(claim).toMatchObject({ ordinal })
      const receipt_payload = { words: ordinal * 10 }
      const finish = { run_id: "day", step_id, fencing_token, receipt_payload, outcome: "SUCCESS" }
      await agent.data("step_complete", finish)
    }
    expect(await agent.code("step_claim", { run_id: "day" })).toBe("NO_PENDING_STEP")
    expect(await agent.data("job_status", { job_id: posted["job_id"] })).toMatchObject({
      committed: 2,
      outcomes: { SUCCESS: 2 }
    })
    expect(await agent.data("audit_verify_chain")).toMatchObject({ valid: true, record_count: 1 })
    expect(await agent.data("ledger_verify")).toMatchObject({ verdict: "PASS", findings: [] })
    expect(await agent.resource("cortex://run/day")).toMatchObject({ committed: 2 })
  })

  it("waits for work in any run, takes more time for it, and finds what others have left", async () => {
    await agent.data("message_post", { run_id: "mail-1", source: "USER", payload: { to: "Grace" } })
    await agent.data("step_claim", { prefix: "mail-", ttl_seconds: 1 })
    const waits = agent.data("step_claim", { prefix: "mail-", wait_seconds: 30 })
    await agent.data("message_post", { run_id: "mail-2", source: "USER", payload: { to: "Ada" } })
    const claimed = await waits
    expect(claimed).toMatchObject({ payload: { to: "Ada" }, lease: { run_id: "mail-2", worker_id: "ada" } })
    const { lease } = await agent.data("lease_renew", claimed["lease"] as Record<string, unknown>)
    const receipt = { receipt_payload: { sent: true }, outcome: "SUCCESS" }
    await agent.data("step_complete", { ...(lease as object), ...receipt })
    const left = () => agent.data("lease_list", { expired: true })
    await expect
      .poll(left, { timeout: 100_000 })
      .toMatchObject({ leases: [{ run_id: "mail-1" }], more: false })
    const [{ run_id, step_id } = {}] = (await left())["leases"] as ReadonlyArray<Record<string, unknown>>
    await agent.data("step_requeue", { run_id, step_id, reason: "its lease has ended" })
    expect(await agent.data("step_claim", {})).toMatchObject({ fencing_token: 2, payload: { to: "Grace" } })
  })

  it("searches, plans, reads by symbols, and leaves a bundle that anybody verifies", async () => {
    await cortex(place.folder, "index")
    await cortex(place.folder, "symbol", "add", "@NOTES/lease", "notes/lease.md", "--slice", "lines[0:3]")
    await cortex(place.folder, "symbol", "add", "@NOTES/token", "notes/token.md", "--slice", "lines[0:3]")
    await cortex(place.folder, "network", "init")
    await cortex(place.folder, "network", "index")

    const { hits } = await agent.data("semantic_search", { query: "holds lease" })
    expect(hits).toMatchObject([{ path: "notes/lease.md" }])
    const plan = await agent.data("plan_submit", {
      run_id: "read",
      request_id: "q1",
      intent: "read about leases and tokens",
      inputs: { symbols: ["@NOTES/lease", "@NOTES/token"] }
    })
    const { job_id } = plan
    await agent.data("thought_record", { type: "decision", task_id: "read", content: "both are short" })

    for (const symbol_id of ["@NOTES/lease", "@NOTES/token"]) {
      const { fencing_token, step_id, ...claim } = await agent.data("step_claim", { run_id: "read", job_id })
      expect(claim).toMatchObject({ payload: { op: "READ_SYMBOL", refs: { symbol_id } } })
      const read = await agent.data("corpus_resolve", { run_id: "read", symbol_id })
      expect(read).toMatchObject({ cache: "MISS" })
      await agent.data("step_complete", {
        run_id: "read",
        step_id,
        fencing_token,
        outcome: "SUCCESS",
        // The receipt of a step that reads: see docs/spec/corpus.md.
        receipt_payload: {
          step_id,
          op: "READ_SYMBOL",
          section_id: read["section_id"],
          symbol_id,
          slice: read["slice"],
          section_content_hash: read["section_content_hash"],
          payload_hash: read["payload_hash"],
          bytes_read: read["bytes_expanded"],
          cache: read["cache"]
        }
      })
    }
    const built = await agent.data("bundle_build", { run_id: "read", job_id, out: "out" })
    expect(built).toMatchObject({ created: true, counts: { steps: 2, artifacts: 2 } })
    expect(await agent.data("bundle_verify", { path: "out" })).toMatchObject({ verdict: "PASS" })
    expect(await agent.resource("cortex://bundle/out")).toMatchObject({ manifest: { job_id } })
    expect(await agent.data("ledger_verify", { pure: true })).toMatchObject({ verdict: "PASS" })
    expect(await cortex(place.folder, "bundle", "verify", "out")).toMatchObject({ verdict: "PASS" })
  })

  it("keeps claims quick while a long verification runs, and answers both", async () => {
    await agent.data("message_post", {
      run_id: "big",
      source: "USER",
      payload: { steps: Array.from({ length: 3_000 }, (_, n) => ({ n })) }
    })
    const order: Array<string> = []
    const verified = agent.data("ledger_verify").then(() => order.push("verify"))
    const claimed = agent.data("step_claim", { run_id: "big" }).then(() => order.push("claim"))
    await Promise.all([verified, claimed])
    expect(order).toEqual(["claim", "verify"])
  })
})
