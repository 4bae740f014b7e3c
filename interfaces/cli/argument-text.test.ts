// What the process was given and is not text: told apart from an honest U+FFFD where the bytes can be seen.
import { describe, expect, it } from "vitest"
import { notTextOf, type RawText } from "./argument-text.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Buffer.concat(parts.flatMap((part) => [Buffer.from(part as string), Buffer.of(0)]))

const unseen: RawText = {
  commandLine: () => undefined,
  environment: () => undefined,
  folder: () => undefined
}
const none = { args: [], env: {}, cwd: "/" }
const judged = (args: ReadonlyArray<string>, commandLine?: Buffer) =>
  notTextOf({ ...none, args }, { ...unseen, commandLine: () => commandLine })

describe("arguments", () => {
  it("that are UTF-8 pass, an honest U+FFFD and empty ones too", () => {
    expect(judged(["log", "--run-id", "ä"])).toBeUndefined()
    const line = bytes("node", "bin.ts", "log", "", "--run-id", "a\ufffd")
    expect(judged(["log", "", "--run-id", "a\ufffd"], line)).toBeUndefined()
  })

  it("that are not UTF-8 are refused by the flag that they belong to", () => {
    const line = bytes("node", "bin.ts", "log", "--run-id", [0x61, 0xff])
    expect(judged(["log", "--run-id", "a\ufffd"], line)).toBe(
      "--run-id: it is not UTF-8: give names, paths and texts in UTF-8"
    )
    const joined = bytes("node", "bin.ts", [...Buffer.from("--db=x"), 0xff])
    expect(judged(["--db=x\ufffd"], joined)).toMatch(/^--db: it is not UTF-8/)
    const plain = bytes("node", "bin.ts", "index", [0xc3, 0x28])
    expect(judged(["index", "\ufffd("], plain)).toMatch(/^argument 2: it is not UTF-8/)
  })

  it("with U+FFFD are refused where their bytes cannot be seen", () => {
    expect(judged(["log", "--run-id", "a\ufffd"])).toMatch(/^--run-id: it holds U\+FFFD/)
  })
})

describe("variables and the current folder", () => {
  const environment = bytes("PATH=/bin", [...Buffer.from("CORTEX_ROOT=/x"), 0xff], "CORTEX_AGENT=\ufffd")
  const raw = { ...unseen, environment: () => environment }

  it("are refused when they are not UTF-8", () => {
    const env = { CORTEX_ROOT: "/x\ufffd", CORTEX_AGENT: "\ufffd" }
    expect(notTextOf({ ...none, env }, raw)).toMatch(/^CORTEX_ROOT: it is not UTF-8/)
    expect(notTextOf({ ...none, env: { CORTEX_AGENT: "\ufffd" } }, raw)).toBeUndefined()
    const folder = { ...unseen, folder: () => Buffer.from([0x2f, 0xff]) }
    expect(notTextOf({ ...none, cwd: "/\ufffd" }, folder)).toMatch(/^the current folder's name: it is not/)
  })

  it("are refused by the name of each that commands read", () => {
    const agent = bytes([...Buffer.from("CORTEX_AGENT=x"), 0xff])
    const judgement = notTextOf(
      { ...none, env: { CORTEX_AGENT: "x\ufffd" } },
      { ...raw, environment: () => agent }
    )
    expect(judgement).toMatch(/^CORTEX_AGENT: it is not UTF-8/)
  })

  it("that no command reads are not judged", () => {
    expect(notTextOf({ ...none, env: { OTHER: "\ufffd" } }, unseen)).toBeUndefined()
  })
})
