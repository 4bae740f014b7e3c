// How a command line ends when its error is one without an exit code: never with 0.
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { endingOf } from "./main.ts"
import { testHost } from "./testing/test-host.ts"

const host = testHost()

describe("an error without an exit code", () => {
  it.each([
    [{ _tag: "Unheard", message: "of what?" }],
    [{ _tag: "toString" }],
    [{ _tag: 7 }],
    [new Error("untagged")],
    ["a text"],
    [undefined],
    [null]
  ])("%j is an internal error", (error) => {
    const ending = endingOf(host, Exit.fail(error))
    expect(ending.code).toBe(3)
    expect(ending.document?.code).toBe("INTERNAL")
    expect(ending.notes[0]).toContain("error: Something went wrong inside cortex")
  })
})
