// The example of traces: what a collector is sent and what the timeline tells name each other.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { main, type SentSpan } from "../../examples/otel.ts"

const attributesOf = ({ attributes }: SentSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe("a program whose spans are sent to a collector", () => {
  it("is found in its timeline by every trace, and in its traces by run, step and receipt", async () => {
    const { entries, spans, verdict } = await Effect.runPromise(main(":memory:"))
    expect(verdict).toBe("PASS")
    const spanIds = new Set(spans.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`))
    expect(entries.map(({ type }) => type)).toEqual([
      "MessagePosted",
      "StepClaimed",
      "StepCompleted",
      "StepClaimed",
      "StepCompleted"
    ])
    for (const { sentence, traceparent } of entries) expect(spanIds, sentence).toContain(traceparent)

    const [posted, ...later] = entries
    const message = spans.find(({ name }) => name === "cassette.ledger.postMessage")
    expect(attributesOf(message!)).toMatchObject({
      "gen_ai.conversation.id": "greeting",
      "cassette.message.id": posted?.about
    })
    const steps = spans.filter(({ name }) => name === "cassette.worker.step")
    const completed = later.filter(({ type }) => type === "StepCompleted")
    expect(steps.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`)).toEqual(
      completed.map(({ traceparent }) => traceparent)
    )
    for (const [index, step] of steps.entries()) {
      expect(step).toMatchObject({ traceId: message?.traceId, parentSpanId: message?.spanId })
      const about = completed[index]?.about
      expect(attributesOf(step)).toMatchObject({
        "gen_ai.conversation.id": "greeting",
        "gen_ai.agent.id": "greeter",
        "cassette.step.id": about,
        "cassette.receipt.id": about?.replace("step_", "rcpt_"),
        "cassette.outcome": "SUCCESS"
      })
    }
    // The program's own spans stand in the same tree.
    const greets = spans.filter(({ name }) => name === "greet")
    expect(greets.map(({ parentSpanId }) => parentSpanId)).toEqual(steps.map(({ spanId }) => spanId))
    expect(JSON.stringify(spans)).not.toMatch(/Ada|Grace|Hello/)
  })
})
