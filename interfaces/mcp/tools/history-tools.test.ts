// The tools that read the history: they answer what the service does, within the call's budget, and refuse what is not there.
import { describe, expect, it } from "vitest"
import { sessionsOfTests } from "../testing/sessions.ts"

const { start } = sessionsOfTests()

const worked = async () => {
  const session = await start()
  const payload = { intent: "tidy", text: "x".repeat(9_000) }
  await session.data("message_post", { run_id: "r1", source: "USER", payload })
  const { lease, step_id } = await session.data("step_claim", { run_id: "r1", worker_id: "w" })
  const finish = { receipt_payload: { done: true }, outcome: "SUCCESS" }
  await session.data("step_complete", { ...(lease as object), ...finish })
  return { session, payload, step_id: String(step_id) }
}

describe("history_show", () => {
  it("shows a step with its attempts, folded or whole", async () => {
    const { payload, session, step_id } = await worked()
    const shown = await session.data("history_show", { id: step_id.slice(0, 20) })
    expect(shown).toMatchObject({
      kind: "step",
      step_id,
      status: "COMMITTED",
      payload: { whole: null, bytes: JSON.stringify(payload).length },
      attempts: [{ worker_id: "w", fencing_token: 1, end: { how: "SUCCESS" } }],
      receipt: { receipt: { whole: { done: true } } }
    })
    expect(await session.data("history_show", { id: "2.1.1", full: true })).toMatchObject({
      payload: { whole: payload }
    })
  })

  it("refuses what is not there", async () => {
    const { session } = await worked()
    expect(await session.code("history_show", { id: "nothing" })).toBe("ID_NOT_FOUND")
    expect(await session.code("history_show", { id: "" })).toBe("INVALID_PARAMS")
  })
})

describe("history_timeline", () => {
  it("tells the newest first, and goes on where an answer was cut", async () => {
    const { session } = await worked()
    const { entries } = await session.data("history_timeline", { run_id: "r1", limit: 2 })
    expect(entries).toMatchObject([
      { position: 4, sentence: expect.stringMatching(/^w finished step 2\.1\.1 after /) },
      { position: 3, sentence: "w claimed step 2.1.1 with token 1, for 5 min" }
    ])
    for (let n = 0; n < 40; n++)
      await session.data("message_post", { run_id: "r2", source: "USER", payload: { n } })
    const { envelope } = await session.call("history_timeline", { max_bytes: 4_096 })
    const { data, left_off } = envelope as unknown as {
      readonly data: { readonly entries: ReadonlyArray<{ readonly position: number }> }
      readonly left_off: { readonly next: { readonly before: number } }
    }
    expect(left_off.next.before).toBe(data.entries.at(-1)?.position)
    const rest = await session.data("history_timeline", left_off.next)
    const positions = [...data.entries, ...(rest["entries"] as typeof data.entries)].map(
      ({ position }) => position
    )
    expect(positions).toEqual(Array.from({ length: 44 }, (_, index) => 44 - index))
  })

  it("refuses a run that is not there", async () => {
    const { session } = await worked()
    expect(await session.code("history_timeline", { run_id: "nothing" })).toBe("RUN_NOT_FOUND")
  })
})
