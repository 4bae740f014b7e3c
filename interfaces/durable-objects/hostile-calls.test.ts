// What callers of an object can get wrong, in workerd: values that no method takes, calls while others run, an object that was ended or
// wiped under them. Each is answered as data, and nothing that was committed is lost.
import { expect, it } from "vitest"
import type { Posted } from "../../domain/ledger/decide.ts"
import type { Head } from "../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import type { Outcome } from "./outcome.ts"
import { describeInWorkerd } from "./testing/describe-workerd.ts"

const METHODS = [
  "post",
  "claim",
  "claimAny",
  "complete",
  "renew",
  "requeue",
  "commands",
  "log",
  "newest",
  "verify",
  "checkpoint",
  "recordThought",
  "listThoughts"
]

const message = (n: number) => ({ run_id: "r", source: "USER", payload: { n }, idempotency_key: `k${n}` })
const made = (name: string) => ({ made: name })

const WRONG: ReadonlyArray<unknown> = [
  null,
  7,
  true,
  "text",
  [null],
  { unknown: 1 },
  ...["bigint", "date", "cyclic", "map", "bytes", "function", "long"].map(made)
]

describeInWorkerd("an object", (running) => {
  const ask = <A>(name: string, method: string, ...args: ReadonlyArray<unknown>) =>
    running.workerd().ask<Outcome<A>>("RUN", name, method, ...args)
  const data = async <A>(name: string, method: string, ...args: ReadonlyArray<unknown>): Promise<A> => {
    const outcome = await ask<A>(name, method, ...args)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.error))
    return outcome.data
  }
  const codeOf = async (name: string, method: string, ...args: ReadonlyArray<unknown>) => {
    const outcome = await ask(name, method, ...args)
    return outcome.ok ? "ok" : outcome.error.code
  }

  it.each(METHODS)("refuses what %s does not take, and stays as it was", async (method) => {
    await data("wrong", "post", message(1))
    const head = await data<Head>("wrong", "head")
    for (const value of WRONG) {
      expect({ value, code: await codeOf("wrong", method, value) }).toEqual({ value, code: "INVALID_PARAMS" })
    }
    expect(await data<Head>("wrong", "head")).toEqual(head)
  })

  it("refuses a run's name that is none", async () => {
    for (const value of [7, "", { run_id: "r" }, made("bigint"), made("function")]) {
      expect({ value, code: await codeOf("wrong", "status", value) }).toEqual({
        value,
        code: "INVALID_PARAMS"
      })
    }
  })

  it("refuses what a payload cannot hold, and takes what stands beside it", async () => {
    await data("payloads", "post", message(1))
    for (const name of ["bigint", "date", "cyclic", "map", "bytes", "function", "long"]) {
      const posted = { ...message(2), payload: { value: made(name) } }
      expect({ name, code: await codeOf("payloads", "post", posted) }).toEqual({
        name,
        code: "INVALID_PARAMS"
      })
    }
    expect((await data<Head>("payloads", "head")).position).toBe(2)
    expect((await data<VerificationReport>("payloads", "verify")).verdict).toBe("PASS")
  })

  it("gives a whole log while others post, and ends it where it was read to the end", async () => {
    const posts = (first: number) =>
      Array.from({ length: 100 }, (_, n) => ({ _tag: "PostMessage", ...message(first + n) }))
    for (let n = 0; n < 12; n++) await data("exported", "commands", posts(n * 100))
    const [lines] = await Promise.all([
      running.workerd().exported("exported"),
      ...Array.from({ length: 20 }, (_, n) => data<Posted>("exported", "post", message(5_000 + n)))
    ])
    const positions = lines
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as Head).position)
    expect(positions.length).toBeGreaterThanOrEqual(1_201)
    expect(positions).toEqual(Array.from({ length: positions.length }, (_, n) => n + 1))
  })

  it("is what it was when it comes again, and answers calls by any instance of its name", async () => {
    await data("evicted", "post", message(1))
    const claimed = await data<{ lease: object }>("evicted", "claim", { run_id: "r", worker_id: "w" })
    const posts = Array.from({ length: 30 }, (_, n) => ask<Posted>("evicted", "post", message(n)))
    const [outcomes] = await Promise.all([
      Promise.allSettled(posts),
      expect(ask("evicted", "evict")).rejects.toThrow("reset")
    ])
    const acknowledged = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" && outcome.value.ok ? [outcome.value.data.message_id] : []
    )
    await data("evicted", "complete", { ...claimed.lease, receipt_payload: {}, outcome: "SUCCESS" })
    const log = await running.workerd().exported("evicted")
    expect(acknowledged.filter((id) => !log.includes(id))).toEqual([])
    expect((await data<VerificationReport>("evicted", "verify")).verdict).toBe("PASS")
  })

  it("that is born by many posts at a time is one ledger", async () => {
    const posts = Array.from({ length: 30 }, (_, n) => data<Posted>("together", "post", message(n)))
    expect(new Set((await Promise.all(posts)).map(({ message_id }) => message_id)).size).toBe(30)
    expect((await data<Head>("together", "head")).position).toBe(31)
  })

  it("that is wiped under its callers acknowledges nothing more, and is born again when it has ended", async () => {
    await data("wiped", "post", message(1))
    await data("wiped", "head")
    await running.workerd().ask("RUN", "wiped", "wipe")
    expect(await codeOf("wiped", "post", message(2))).not.toBe("ok")
    expect(await codeOf("wiped", "claim", { run_id: "r", worker_id: "w" })).not.toBe("ok")
    await ask("wiped", "evict").catch(() => undefined)
    expect(await codeOf("wiped", "head")).toBe("NOT_A_LEDGER")
    await data("wiped", "post", message(3))
    expect((await data<Head>("wiped", "head")).position).toBe(2)
  })
})
