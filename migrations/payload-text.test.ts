/**
 * A payload is stored three times: in the event, the message and the step; a receipt twice. The tables take their
 * text out of the event's, and it must be the canonical text, byte for byte, for any payload.
 */
import { expect, it } from "vitest"
import { append, canonical, emptyDatabase, headOf, messageIdAt, stepIdOf } from "./testing/ledger.ts"
import { at } from "./testing/states.ts"

const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("")

const payloads: Readonly<Record<string, object>> = {
  nothing: {},
  "DEL and its neighbours": { text: "~\u007f\u0080\u009f" },
  "line and paragraph separators": { "\u2028": "\u2029" },
  "characters beyond the basic plane": { "😀": "👩‍👩‍👧‍👦\u{10ffff}", "\ue000": 1 },
  "every control character": { [control]: control },
  "quotes, slashes and backslashes": { '"\\/': "\\\\u0000 \\u0041 </script> '" },
  "minus zero": { n: -0 },
  "large, small and exact numbers": {
    n: [1e21, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308, 0.1]
  },
  "keys in the order of UTF-16": { "\u{1f600}": 1, "\ufb33": 2, "€": 3, "\r": 4, 1: 5, "": 6 },
  "names of other meanings": { __proto__x: 1, constructor: 2, "a.b": 3, "a[0]": 4, $: 5, "#": 6 },
  "own name of the prototype": JSON.parse('{"__proto__":{"a":1}}') as object,
  "an intent that is no text": { intent: { intent: "deep" } },
  "U+0000 where no column takes it": { intent: { a: "\u0000" }, "\u0000": ["\u0000", "\\\u0000"] },
  depth: JSON.parse(`${'{"a":['.repeat(31)}null${"]}".repeat(31)}`) as object,
  length: { text: "é".repeat(100_000) }
}

const stream_id = "run:r"

for (const [name, payload] of Object.entries(payloads)) {
  it(`${name}: event, message, step and receipt have one text`, () => {
    const database = emptyDatabase()
    append(database, {
      type: "LedgerCreated",
      stream_id: "ledger",
      data: { ledger_id: "x" },
      recorded_at: at(0)
    })
    const message_id = messageIdAt(2, "r")
    const step_id = stepIdOf(message_id, 1, 1)
    const message = { idempotency_key: null, message_id, payload, source: "USER" }
    append(database, { type: "MessagePosted", stream_id, data: message, recorded_at: at(1) })
    const planned = {
      ...message,
      message_id: messageIdAt(3, "r"),
      jobs: ["a"],
      steps: [
        { job: 1, payload: {} },
        { job: 1, payload }
      ]
    }
    append(database, { type: "MessagePosted", stream_id, data: planned, recorded_at: at(1) })
    const lease = { fencing_token: 1, step_id, worker_id: "w" }
    const claim = { ...lease, lease_expires_at: at(9), scope: "run" }
    append(database, { type: "StepClaimed", stream_id, data: claim, recorded_at: at(2) })
    const receipt = { ...lease, outcome: "SUCCESS", receipt: payload }
    append(database, { type: "StepCompleted", stream_id, data: receipt, recorded_at: at(3) })

    const texts = (sql: string) => database.prepare<[], string>(sql).pluck().all()
    const expected = canonical(payload)
    expect(headOf(database).size).toBe(5)
    expect(texts("SELECT payload_json FROM cassette_messages")).toEqual([expected, expected])
    expect(texts("SELECT payload_json FROM cassette_steps ORDER BY step_id")).toEqual([
      expected,
      "{}",
      expected
    ])
    expect(texts("SELECT receipt_json FROM cassette_receipts")).toEqual([expected])
    expect(texts("SELECT data FROM events WHERE position IN (2, 3, 5) ORDER BY position")).toEqual([
      canonical(message),
      canonical(planned),
      canonical(receipt)
    ])
    database.close()
  })
}

it("columns of text hold what the event says, with any characters", () => {
  const database = emptyDatabase()
  const words = 'DEL \u007f, \u2028, 😀, "quoted", back\\slash, \\u0000 in letters, \u0001\n\t'
  append(database, {
    type: "LedgerCreated",
    stream_id: "ledger",
    data: { ledger_id: words },
    recorded_at: at(0)
  })
  const run = `${words}:run:x`
  const message_id = messageIdAt(2, run)
  const post = { idempotency_key: words, message_id, payload: { intent: words }, source: "USER" }
  append(database, { type: "MessagePosted", stream_id: `run:${run}`, data: post, recorded_at: at(1) })
  const claim = {
    fencing_token: 1,
    lease_expires_at: at(9),
    scope: "job",
    step_id: stepIdOf(message_id, 1, 1),
    worker_id: words
  }
  append(database, { type: "StepClaimed", stream_id: `run:${run}`, data: claim, recorded_at: at(2) })

  const row = database
    .prepare(
      "SELECT m.run_id, m.idempotency_key, j.intent, s.run_id AS step_run_id, s.lease_owner FROM cassette_messages AS m JOIN cassette_jobs AS j USING (message_id) JOIN cassette_steps AS s USING (job_id)"
    )
    .get()
  expect(row).toEqual({
    run_id: run,
    idempotency_key: words,
    intent: words,
    step_run_id: run,
    lease_owner: words
  })
  database.close()
})

it("a message with ten thousand steps becomes its rows, numbered in order", () => {
  const database = emptyDatabase()
  append(database, {
    type: "LedgerCreated",
    stream_id: "ledger",
    data: { ledger_id: "x" },
    recorded_at: at(0)
  })
  const message_id = messageIdAt(2, "r")
  const steps = Array.from({ length: 10_000 }, (_, n) => ({ job: 1 + Math.floor(n / 1_000), payload: { n } }))
  const jobs = Array.from({ length: 10 }, (_, n) => `job ${n + 1}`)
  const data = { idempotency_key: null, jobs, message_id, payload: {}, source: "PLANNER", steps }
  append(database, { type: "MessagePosted", stream_id, data, recorded_at: at(1) })

  const rows = database
    .prepare("SELECT step_id, job_id, ordinal, payload_json FROM cassette_steps ORDER BY step_id")
    .raw()
    .all()
  expect(rows).toEqual(
    steps.map(({ job, payload }, n) => {
      const step_id = stepIdOf(message_id, job, 1 + (n % 1_000))
      return [step_id, step_id.slice(0, 40).replace("step", "job"), 1 + (n % 1_000), canonical(payload)]
    })
  )
  expect(database.prepare("SELECT intent FROM cassette_jobs ORDER BY job_id").pluck().all()).toEqual(jobs)
  database.close()
})
