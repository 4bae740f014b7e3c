// What callers may ask: defaults, canonical texts and every limit, each tried exactly at its bound and one over.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../canonical/json.ts"
import {
  ClaimStep,
  CompleteStep,
  PostMessage,
  prepareClaim,
  prepareClaimAny,
  prepareCompletion,
  preparePost,
  prepareRenewal,
  prepareRequeue,
  RequeueStep
} from "./commands.ts"
import {
  DEFAULT_TTL_SECONDS,
  MAX_EVENT_BYTES,
  MAX_JOBS_PER_MESSAGE,
  MAX_PAYLOAD_BYTES,
  MAX_STEPS_PER_MESSAGE,
  MAX_TEXT_BYTES,
  MAX_TTL_SECONDS
} from "./limits.ts"
import { jobId, stepId } from "./testing/samples.ts"

const post: PostMessage = { run_id: "run", source: "USER", payload: { intent: "read", n: 1 } }
const claim: ClaimStep = { run_id: "run", worker_id: "worker" }
const complete: CompleteStep = {
  run_id: "run",
  step_id: stepId,
  worker_id: "worker",
  fencing_token: 1,
  receipt_payload: { ok: true },
  outcome: "SUCCESS"
}
const requeue: RequeueStep = { run_id: "run", step_id: stepId, reason: "stuck" }

const accepts =
  <S extends Schema.Decoder<unknown>>(schema: S) =>
  (input: unknown): boolean =>
    Result.isSuccess(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(input))

const prepared = (command: Partial<PostMessage>) => Result.getOrThrow(preparePost({ ...post, ...command }))

const refusalOf = (command: Partial<PostMessage>): string => {
  const result = preparePost({ ...post, ...command })
  if (Result.isSuccess(result)) throw new Error("it was prepared")
  expect(result.failure.issues).toHaveLength(1)
  return result.failure.message
}

/** A payload whose canonical text has this many bytes. */
const payloadOf = (bytes: number): JsonObject => ({ a: "x".repeat(bytes - `{"a":""}`.length) })
const listOf = <A>(count: number, make: (index: number) => A) =>
  Array.from({ length: count }, (_, index) => make(index)) as unknown as readonly [A, ...Array<A>]
const manySteps = (count: number) => listOf<JsonObject>(count, (n) => ({ n }))

describe("decoding commands", () => {
  const commands = [
    ["PostMessage", PostMessage, post],
    ["ClaimStep", ClaimStep, claim],
    ["CompleteStep", CompleteStep, complete],
    ["RequeueStep", RequeueStep, requeue]
  ] as const

  it.each(commands)("takes %s without its optional keys, and no unknown one", (_name, schema, command) => {
    expect(accepts(schema)(command)).toBe(true)
    expect(accepts(schema)({ ...command, more: 1 })).toBe(false)
    for (const key of Object.keys(command))
      expect(accepts(schema)({ ...command, [key]: undefined })).toBe(false)
  })

  it.each(commands)("takes ids of %s with 1 to 256 bytes", (_name, schema, command) => {
    for (const key of Object.keys(command).filter((name) => name.endsWith("_id"))) {
      const withId = (id: string) => accepts(schema)({ ...command, [key]: id })
      expect([withId("é".repeat(128)), withId("é".repeat(128) + "x")]).toStrictEqual([true, false])
      expect([withId("x"), withId(""), withId("a\u0000"), withId("a\ud800")]).toStrictEqual([
        true,
        false,
        false,
        false
      ])
    }
  })

  it("takes lease times from 1 second to a day, whole", () => {
    const withTtl = (ttl_seconds: unknown) => accepts(ClaimStep)({ ...claim, ttl_seconds })
    expect([1, MAX_TTL_SECONDS].map(withTtl)).toStrictEqual([true, true])
    expect([0, MAX_TTL_SECONDS + 1, 1.5, -1, Number.NaN, "300", null].some(withTtl)).toBe(false)
  })

  it("takes whole numbers as tokens, also those that no lease has", () => {
    const withToken = (fencing_token: unknown) => accepts(CompleteStep)({ ...complete, fencing_token })
    expect([0, 1, 2 ** 53 - 1].map(withToken)).toStrictEqual([true, true, true])
    expect([1.5, 2 ** 53, "1"].some(withToken)).toBe(false)
  })

  it("takes a job id only in the form of one", () => {
    expect(accepts(ClaimStep)({ ...claim, job_id: jobId })).toBe(true)
    expect(accepts(ClaimStep)({ ...claim, job_id: "job-1" })).toBe(false)
  })

  it("takes a null key for none, and no empty one", () => {
    expect(accepts(PostMessage)({ ...post, idempotency_key: null })).toBe(true)
    expect(accepts(PostMessage)({ ...post, idempotency_key: "" })).toBe(false)
  })

  it("takes reasons up to the limit that say something", () => {
    const withReason = (reason: string) => accepts(RequeueStep)({ ...requeue, reason })
    expect(["x", "é".repeat(MAX_TEXT_BYTES / 2)].map(withReason)).toStrictEqual([true, true])
    expect(["", " \n", "é".repeat(MAX_TEXT_BYTES / 2) + "x", "a\u0000", "\udc00"].some(withReason)).toBe(
      false
    )
  })

  it("takes jobs only with steps", () => {
    const withJobs = (jobs: unknown) => accepts(PostMessage)({ ...post, jobs })
    expect(withJobs([{ intent: "", steps: [{}] }])).toBe(true)
    expect(
      [[], [{ intent: "", steps: [] }], [{ intent: "a" }], [{ intent: "a", steps: [1] }]].some(withJobs)
    ).toBe(false)
  })

  it.each([
    ["source", PostMessage, { ...post, source: "ROBOT" }, "Invalid source"],
    ["outcome", CompleteStep, { ...complete, outcome: "DONE" }, "Invalid outcome"]
  ] as const)("names an invalid %s", (_name, schema, command, words) => {
    const result = Schema.decodeUnknownResult(schema)(command)
    expect(Result.isFailure(result) && String(result.failure)).toContain(words)
  })
})

describe("preparing a post", () => {
  it("writes the payload canonically and leaves out what was not given", () => {
    expect(prepared({ payload: { b: 1, a: [1e21, -0, "\u007f"] } })).toStrictEqual({
      run_id: "run",
      source: "USER",
      idempotency_key: null,
      payload: `{"a":[1e+21,0,"\u007f"],"b":1}`,
      jobs: undefined,
      claim: undefined,
      traceparent: undefined
    })
  })

  it("makes one job with its intent of a payload with steps", () => {
    expect(prepared({ payload: { intent: "do", steps: [{ b: 1, a: 2 }, {}] } }).jobs).toStrictEqual([
      { intent: "do", steps: [`{"a":2,"b":1}`, "{}"] }
    ])
    expect(prepared({ payload: { intent: 7, steps: [{}] } }).jobs?.[0]?.intent).toBe("")
  })

  it("prefers jobs that are given", () => {
    const command = {
      payload: { steps: [{ from: "payload" }] },
      jobs: [{ intent: "a", steps: [{ from: "jobs" }] }]
    } as const
    expect(prepared(command).jobs).toStrictEqual([{ intent: "a", steps: [`{"from":"jobs"}`] }])
  })

  it.each([[[]], [null], [{}], ["text"], [[1]], [[{}, null]], [[{}, []]]] as const)(
    "refuses the payload's steps %j",
    (steps) => {
      expect(refusalOf({ payload: { steps } })).toBe("/payload/steps: must be a non-empty list of objects")
    }
  )

  it("does not change what the caller later changes", () => {
    const payload: { list: Array<number> } = { list: [1] }
    const before = prepared({ payload })
    payload.list.push(2)
    expect(before.payload).toBe(`{"list":[1]}`)
  })

  it("takes a payload, a step and a receipt of exactly the limit and none over it", () => {
    const longest = payloadOf(MAX_PAYLOAD_BYTES)
    const tooLong = payloadOf(MAX_PAYLOAD_BYTES + 1)
    expect(prepared({ payload: longest }).payload.length).toBe(MAX_PAYLOAD_BYTES)
    expect(refusalOf({ payload: tooLong })).toContain("/payload: ")
    expect(prepared({ jobs: [{ intent: "", steps: [longest] }] }).jobs?.[0]?.steps).toHaveLength(1)
    expect(refusalOf({ jobs: [{ intent: "", steps: [{}, tooLong] }] })).toContain("/jobs/0/steps/1: ")
    const receipt = (receipt_payload: JsonObject) => prepareCompletion({ ...complete, receipt_payload })
    expect(Result.isSuccess(receipt(longest))).toBe(true)
    expect(Result.isFailure(receipt(tooLong))).toBe(true)
  })

  it("counts bytes, not characters", () => {
    const wide = "é".repeat((MAX_PAYLOAD_BYTES - `{"a":""}`.length) / 2)
    expect(Result.isSuccess(preparePost({ ...post, payload: { a: wide } }))).toBe(true)
    expect(refusalOf({ payload: { a: `${wide}x` } })).toContain("bytes")
  })

  it("takes as many steps as the limit, over all jobs, and none more", () => {
    const half = MAX_STEPS_PER_MESSAGE / 2
    const jobs = (more: number) =>
      [
        { intent: "a", steps: manySteps(half) },
        { intent: "b", steps: manySteps(half + more) }
      ] as const
    expect(prepared({ payload: { steps: manySteps(MAX_STEPS_PER_MESSAGE) } }).jobs?.[0]?.steps).toHaveLength(
      10_000
    )
    expect(refusalOf({ payload: { steps: manySteps(MAX_STEPS_PER_MESSAGE + 1) } })).toContain("10000 steps")
    expect(prepared({ jobs: jobs(0) }).jobs).toHaveLength(2)
    expect(refusalOf({ jobs: jobs(1) })).toContain("10000 steps")
  })

  it("takes as many jobs as the limit and none more", () => {
    const jobs = (count: number) => listOf(count, () => ({ intent: "", steps: [{}] as const }))
    expect(prepared({ jobs: jobs(MAX_JOBS_PER_MESSAGE) }).jobs).toHaveLength(1_000)
    expect(refusalOf({ jobs: jobs(MAX_JOBS_PER_MESSAGE + 1) })).toContain("1000 jobs")
  })

  it("refuses a message whose event would be over the limit", () => {
    const steps = (count: number) => listOf(count, () => payloadOf(MAX_PAYLOAD_BYTES))
    const most = MAX_EVENT_BYTES / MAX_PAYLOAD_BYTES
    expect(prepared({ jobs: [{ intent: "", steps: steps(most - 1) }] }).jobs).toHaveLength(1)
    expect(refusalOf({ jobs: [{ intent: "", steps: steps(most) }] })).toContain(`${MAX_EVENT_BYTES} bytes`)
  })

  it("counts intents as they are written, escapes and all", () => {
    const escaped = "\u0001".repeat(MAX_TEXT_BYTES)
    const jobs = (count: number) => listOf(count, () => ({ intent: escaped, steps: [{}] as const }))
    const fitting = Math.floor(MAX_EVENT_BYTES / (6 * MAX_TEXT_BYTES + 100))
    expect(prepared({ jobs: jobs(fitting) }).jobs).toHaveLength(fitting)
    expect(refusalOf({ jobs: jobs(fitting + 1) })).toContain(`${MAX_EVENT_BYTES} bytes`)
  })
})

describe("U+0000", () => {
  const backslash = "\\"
  const sixCharacters = `${backslash}u0000`

  it.each([
    ["a text", { a: "\u0000" }],
    ["a nested text", { a: [{ b: ["x\u0000y"] }] }],
    ["a key", { "a\u0000": 1 }],
    ["a nested key", { a: [{ "\u0000": 1 }] }],
    ["a text after an escaped backslash", { a: `${backslash}\u0000` }],
    ["a text after two of them", { a: `${backslash}${backslash}\u0000` }],
    ["a text that spells it as well", { a: sixCharacters, b: "\u0000" }]
  ])("is refused in %s", (_where, payload) => {
    expect(refusalOf({ payload })).toContain("U+0000")
    expect(refusalOf({ jobs: [{ intent: "", steps: [payload] }] })).toContain("/jobs/0/steps/0: U+0000")
    expect(Result.isFailure(prepareCompletion({ ...complete, receipt_payload: payload }))).toBe(true)
  })

  it.each([
    ["six characters", sixCharacters],
    ["the same after a backslash", backslash + sixCharacters],
    ["the same after two", backslash + backslash + sixCharacters]
  ])("may be spelled as %s", (_how, text) => {
    const payload = { [text]: text, nested: [{ [text]: text }] }
    expect(JSON.parse(prepared({ payload }).payload)).toStrictEqual(payload)
  })
})

describe("values that are no JSON", () => {
  it.each([
    ["NaN", { a: Number.NaN }],
    ["undefined", { a: { b: undefined } }],
    ["a lone surrogate", { a: ["\ud800"] }],
    ["a lone surrogate in a key", { "\udfff": 1 }],
    ["a date", { a: new Date(0) }],
    ["a bigint", { a: 1n }],
    ["65 levels", JSON.parse(`${`{"a":`.repeat(65)}1${"}".repeat(65)}`) as unknown]
  ])("are refused: %s", (_name, payload) => {
    expect(refusalOf({ payload: payload as JsonObject })).toMatch(/^\/payload/)
  })
})

describe("preparing the other commands", () => {
  it("gives a claim its default time and scope", () => {
    expect(prepareClaim(claim)).toStrictEqual(
      Result.succeed({
        place: { run_id: "run", job_id: undefined },
        worker_id: "worker",
        ttl_seconds: DEFAULT_TTL_SECONDS,
        traceparent: undefined
      })
    )
    expect(Result.getOrThrow(prepareClaim({ ...claim, ttl_seconds: 1, job_id: jobId }))).toMatchObject({
      place: { run_id: "run", job_id: jobId },
      ttl_seconds: 1
    })
    expect(Result.getOrThrow(prepareClaimAny({ worker_id: "worker" }))).toStrictEqual({
      place: { after_run: "", prefix: "" },
      worker_id: "worker",
      ttl_seconds: DEFAULT_TTL_SECONDS,
      traceparent: undefined
    })
  })

  it("gives a renewal its default time", () => {
    const lease = { run_id: "run", step_id: stepId, worker_id: "worker", fencing_token: 3 }
    expect(Result.getOrThrow(prepareRenewal(lease))).toStrictEqual({
      ...lease,
      ttl_seconds: DEFAULT_TTL_SECONDS
    })
    expect(Result.getOrThrow(prepareRenewal({ ...lease, ttl_seconds: 1 })).ttl_seconds).toBe(1)
  })

  it.each([
    ["fencing_token", { worker_id: "worker" }],
    ["worker_id", { fencing_token: 3 }]
  ])("refuses half a lease in a requeue: %s is missing", (missing, half) => {
    const refused = Result.flip(prepareRequeue({ ...requeue, ...half }))
    expect(Result.getOrThrow(refused).issues).toMatchObject([{ path: `/${missing}` }])
  })

  it("writes a receipt canonically", () => {
    const result = prepareCompletion({ ...complete, receipt_payload: { b: 1, a: "\u2028" } })
    expect(Result.getOrThrow(result).receipt).toBe(`{"a":"\u2028","b":1}`)
  })

  const lease = { worker_id: "worker", fencing_token: 3 }

  it.each([
    ["none", {}, "operator"],
    ["one name", { requested_by: "alice" }, "alice"],
    ["the owner", lease, "worker"],
    ["one name with the owner's worker and token", { ...lease, requested_by: "alice" }, "alice"]
  ])("names who asked for a requeue: %s", (_name, more, requested_by) => {
    expect(Result.getOrThrow(prepareRequeue({ ...requeue, ...more }))).toStrictEqual({
      run_id: "run",
      step_id: stepId,
      reason: "stuck",
      requested_by,
      lease: "worker_id" in more ? lease : undefined,
      force: false
    })
  })

  it("refuses a requeue by force and by lease at once", () => {
    expect(Result.isFailure(prepareRequeue({ ...requeue, ...lease, force: true }))).toBe(true)
    expect(Result.isSuccess(prepareRequeue({ ...requeue, ...lease, force: false }))).toBe(true)
  })
})
