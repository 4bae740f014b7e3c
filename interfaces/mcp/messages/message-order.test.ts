// The order of messages, and which ids are in use: what the lists' own path and the server's requests leave behind.
import { describe, expect, it } from "vitest"
import { IdsInUse } from "../ids-in-use.ts"
import { listsApart, type Passed } from "./message-order.ts"
import { writtenAnswers } from "./written-answers.ts"

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

describe("lists that come apart", () => {
  it("return the source when their reader stops", async () => {
    let isReturned = false
    async function* source(): AsyncGenerator<Passed> {
      try {
        for (let id = 1; ; id++) yield { jsonrpc: "2.0", id, method: "ping" }
      } finally {
        isReturned = true
      }
    }
    for await (const passed of listsApart(source(), () => Promise.resolve())) {
      expect(passed).toMatchObject({ id: 1 })
      break
    }
    await new Promise(setImmediate)
    expect(isReturned).toBe(true)
  })
})

describe("an id", () => {
  it.each([
    ["result", { id: 7, result: {} }],
    ["error", { id: 7, error: { code: -32_603, message: "no" } }]
  ])(
    "is free again when an answer with its %s was written, and not by a request of the server",
    (_, answer) => {
      const ids = new IdsInUse()
      ids.began({ jsonrpc: "2.0", id: 7, method: "ping" })
      ids.answered(
        writtenAnswers(line({ id: 7, method: "roots/list" }) + line({ method: "notifications/message" }))
      )
      expect(ids.has("7")).toBe(true)
      ids.answered(writtenAnswers(`[${line(answer).trim()}]\n`))
      expect(ids.has("7")).toBe(false)
    }
  )
})
