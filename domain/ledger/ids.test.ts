// The spelling of ids is a wire format: golden values pin it, and the order of ids must be the order of claims.
import { describe, expect, it } from "vitest"
import {
  isJobId,
  jobIdOf,
  jobIdOfStep,
  messageIdAt,
  messageIdOfJob,
  ordinalOfStep,
  positionOfMessageId,
  receiptIdOf,
  stepIdOf
} from "./ids.ts"
import { sha256 } from "./testing/samples.ts"

describe("the spelling of ids", () => {
  // The hash parts were taken with sha256sum over the texts ["message","run-1","position",2] and
  // ["message","run-1","key","k"].
  const byPosition = "msg_0000000000002_6a76da869d17d2e5"
  const byKey = "msg_0000000000002_7f7a2d666d7a3c64"

  it("bears the position and a hash over the position", () => {
    expect(messageIdAt(sha256, "run-1", 2, null)).toBe(byPosition)
  })

  it("bears the position and a hash over the key, at any position", () => {
    expect(messageIdAt(sha256, "run-1", 2, "k")).toBe(byKey)
    expect(messageIdAt(sha256, "run-1", 77, "k").slice(-16)).toBe(byKey.slice(-16))
  })

  it("hashes escapes as canonical JSON, so that no two runs and keys share a text", () => {
    const ids = [
      messageIdAt(sha256, `a","key","b`, 2, "c"),
      messageIdAt(sha256, "a", 2, `b","key","c`),
      messageIdAt(sha256, "a", 2, "2"),
      messageIdAt(sha256, "a", 2, null)
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("makes job, step and receipt ids from the message's", () => {
    const job = jobIdOf(byKey, 12)
    const step = stepIdOf(job, 345)
    expect(job).toBe("job_0000000000002_7f7a2d666d7a3c64.0012")
    expect(step).toBe("step_0000000000002_7f7a2d666d7a3c64.0012.00345")
    expect(receiptIdOf(step)).toBe("rcpt_0000000000002_7f7a2d666d7a3c64.0012.00345")
  })

  it("gives back what an id was made from", () => {
    const job = jobIdOf(byKey, 1_000)
    const step = stepIdOf(job, 10_000)
    expect(positionOfMessageId(byKey)).toBe(2)
    expect(messageIdOfJob(job)).toBe(byKey)
    expect(jobIdOfStep(step)).toBe(job)
    expect(ordinalOfStep(step)).toBe(10_000)
    expect(positionOfMessageId(messageIdAt(sha256, "r", 9_999_999_999_999, null))).toBe(9_999_999_999_999)
  })

  it.each([
    "",
    "msg_2_0123456789abcdef",
    "msg_0000000000002_0123456789ABCDEF",
    "msg_0000000000002_0123456789abcde",
    "msg_0000000000002_0123456789abcdef0",
    "xmsg_0000000000002_0123456789abcdef",
    "job_0000000000002_0123456789abcdef.0001"
  ])("takes %j for no message id", (text) => {
    expect(positionOfMessageId(text)).toBeUndefined()
  })

  it.each([
    ["job_0000000000002_0123456789abcdef.0001", true],
    ["job_0000000000002_0123456789abcdef.0001\n", false],
    ["job_0000000000002_0123456789abcdef.00001", false],
    ["job_0000000000002_0123456789abcdef", false],
    ["step_0000000000002_0123456789abcdef.0001.00001", false],
    ["", false]
  ])("takes %j for a job id: %s", (text, expected) => {
    expect(isJobId(text)).toBe(expected)
  })
})

describe("the order of ids", () => {
  const places = [1, 2, 9, 10, 99, 100, 1_000, 999_999, 9_999_999_999_999].flatMap((position) =>
    [1, 2, 9, 10, 999, 1_000].flatMap((job) =>
      [1, 2, 10, 99, 10_000].map((step) => ({ position, job, step }))
    )
  )

  it("is bytewise the order of position, job and step", () => {
    const ids = places.map(({ job, position, step }) =>
      stepIdOf(jobIdOf(messageIdAt(sha256, "run", position, `key ${position % 3}`), job), step)
    )
    const bytewise = ids.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    expect(bytewise).toStrictEqual(ids)
  })

  it("is the same for receipts as for their steps", () => {
    const steps = places.map(({ job, position, step }) =>
      stepIdOf(jobIdOf(messageIdAt(sha256, "run", position, null), job), step)
    )
    expect(steps.map(receiptIdOf).toSorted()).toStrictEqual(steps.map(receiptIdOf))
  })
})
