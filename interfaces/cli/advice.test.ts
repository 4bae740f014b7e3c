// Commands in texts get the place flags of the command line, quoted for a shell, and no flags that they do not take.
import { describe, expect, it } from "vitest"
import { shellWord, withPlace } from "./advice.ts"
import { testHost } from "./testing/test-host.ts"

const placed = (text: string, args: ReadonlyArray<string>, env = {}) =>
  withPlace(testHost({ args, env }), text)

describe("withPlace", () => {
  it("leaves texts as they are where nothing was said of a place", () => {
    const text = "run cortex cassette verify, or cortex index"
    expect(placed(text, ["cassette", "status"])).toBe(text)
  })

  it("gives every command the flags that it takes", () => {
    const args = ["doctor", "--db", "l.db", "--root=r", "--config", "n.yaml"]
    expect(placed("cortex cassette verify lists every fault", args)).toBe(
      "cortex cassette verify --root r --db l.db lists every fault"
    )
    expect(placed("run cortex index and `cortex network index`", args)).toBe(
      "run cortex index --root r and `cortex network index --root r --config n.yaml`"
    )
    expect(placed("cortex cassette requeue --step s", args)).toBe(
      "cortex cassette requeue --root r --db l.db --step s"
    )
  })

  it("quotes what a shell would take apart", () => {
    expect(placed("cortex cassette verify", ["--db", "my ledger's.db"])).toBe(
      `cortex cassette verify --db 'my ledger'\\''s.db'`
    )
    expect(placed("cortex cassette verify", ["--db=-l.db"])).toBe("cortex cassette verify --db=-l.db")
    expect(placed("cortex cassette verify", ["--", "--db", "no"])).toBe("cortex cassette verify")
    expect(shellWord("")).toBe("''")
  })

  it("names the root of the environment, which another shell may not have", () => {
    expect(placed("cortex cache verify", [], { CORTEX_ROOT: "/a b" })).toBe(
      "cortex cache verify --root '/a b'"
    )
    expect(placed("cortex cache verify", ["--root", "r"], { CORTEX_ROOT: "/a" })).toBe(
      "cortex cache verify --root r"
    )
  })

  it("touches no other word", () => {
    expect(placed("the cortex binary and cortex-cassette", ["--db", "l"])).toBe(
      "the cortex binary and cortex-cassette"
    )
  })
})
