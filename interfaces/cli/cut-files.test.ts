// A database whose end is missing: verification names what is wrong once, however many parts of it stop there.
import { truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keptFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { runJson } from "./testing/in-process.ts"

const { folder, remove } = keptFolder()
afterAll(remove)

const run = (...args: ReadonlyArray<string>) => runJson(args, { cwd: folder })

beforeAll(async () => {
  writeFileSync(join(folder, "note.md"), "# A note\n\nIt is short.\n")
  writeFileSync(join(folder, "message.json"), '{"a":1}')
  await run("cassette", "post", "--json", "message.json", "--run-id", "r", "--source", "USER")
  await run("index")
  await run("network", "init")
  await run("network", "index")
})

const stores = [
  ["ledger", "CORTEX/_generated/system3.db", ["cassette", "verify"]],
  ["corpus database", "CORTEX/_generated/system1.db", ["cache", "verify"]],
  ["cassette", "CORTEX/cassettes/documents.db", ["network", "verify"]]
] as const

interface Finding {
  readonly where: string
  readonly message: string
}

describe.each(stores)("a %s that is cut off", (_, file, verify) => {
  it.each([20_000, 8_192, 100])("after %i bytes", async (bytes) => {
    truncateSync(join(folder, file), bytes)
    const { code, document } = await run(...verify)
    expect(code).toBe(1)
    const findings = (document.error?.details["findings"] ?? []) as ReadonlyArray<Finding>
    expect(findings.some(({ message }) => message.includes(`the file has ${bytes} bytes`))).toBe(true)
    // The parts that stop at the same damage are told together, beside what the pages and the schema have of their own.
    const sentences = findings.map(({ message, where }) => `${where.split(" ").at(-1)} ${message}`)
    expect(new Set(sentences).size).toBe(sentences.length)
    expect(findings.length).toBeLessThanOrEqual(4)
  })
})
