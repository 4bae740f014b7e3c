/** A working day of an agent with the official client over the streams of a real process. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../cli/testing/in-process.ts"

const binary = join(import.meta.dirname, "..", "cli", "bin.ts")

let place: ReturnType<typeof temporaryFolder>
let client: Client
let transport: StdioClientTransport

beforeEach(async () => {
  place = temporaryFolder()
  transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, "mcp", "--root", place.folder, "--agent", "ada"],
    stderr: "pipe"
  })
  client = new Client({ name: "agent", version: "1.0.0" })
  await client.connect(transport)
})

afterEach(async () => {
  await client.close()
  place.remove()
})

const call = async (name: string, input: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: input })
  const envelope = result.structuredContent as {
    readonly ok: boolean
    readonly data: Readonly<Record<string, unknown>>
    readonly error: { readonly code: string }
  }
  return { isError: result.isError, ...envelope }
}

describe("an agent's day", () => {
  it("posts, thinks, claims, completes and verifies through the official client", async () => {
    expect(client.getServerVersion()).toMatchObject({ name: "cortex" })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("message_post")

    const posted = await call("message_post", {
      run_id: "day",
      source: "USER",
      payload: { intent: "summarise", steps: [{ file: "a.md" }, { file: "b.md" }] }
    })
    expect(posted).toMatchObject({ ok: true, data: { created: true } })
    const plan = await call("thought_record", { type: "plan", task_id: "day", content: "a before b" })
    expect(plan.data).toMatchObject({ agent_id: "ada" })

    for (const ordinal of [1, 2]) {
      const claim = await call("step_claim", { run_id: "day" })
      expect(claim.data).toMatchObject({ ordinal, fencing_token: 1 })
      const finished = await call("step_complete", {
        run_id: "day",
        step_id: claim.data["step_id"],
        fencing_token: claim.data["fencing_token"],
        receipt_payload: { words: ordinal * 10 },
        outcome: "SUCCESS"
      })
      expect(finished.ok).toBe(true)
    }
    expect(await call("step_claim", { run_id: "day" })).toMatchObject({
      isError: true,
      ok: false,
      error: { code: "NO_PENDING_STEP" }
    })
    expect((await call("job_status", { job_id: posted.data["job_id"] })).data).toMatchObject({
      committed: 2,
      outcomes: { SUCCESS: 2 }
    })
    expect((await call("audit_verify_chain")).data).toMatchObject({ valid: true, record_count: 1 })
    expect((await call("ledger_verify")).data).toMatchObject({ verdict: "PASS", findings: [] })

    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("cortex://run/{run_id}")
    const { contents } = await client.readResource({ uri: "cortex://run/day" })
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ committed: 2 })
  })

  it("keeps claims quick while a long verification runs, and answers both", async () => {
    await call("message_post", {
      run_id: "big",
      source: "USER",
      payload: { steps: Array.from({ length: 3_000 }, (_, n) => ({ n })) }
    })
    const order: Array<string> = []
    const verified = call("ledger_verify").then((answer) => {
      order.push("verify")
      return answer
    })
    const claimed = call("step_claim", { run_id: "big" }).then((answer) => {
      order.push("claim")
      return answer
    })
    expect((await claimed).ok).toBe(true)
    expect((await verified).ok).toBe(true)
    expect(order).toEqual(["claim", "verify"])
  })
})
