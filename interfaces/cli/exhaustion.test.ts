// Commands of the real binary where a process may open few files: each ends with the error that says so, or does its work.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Exit from "effect/Exit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { NetworkUnavailable } from "../../domain/network/errors.ts"
import { adviceOn } from "../../infrastructure/files/want.ts"
import { endingOf } from "./main.ts"
import { runLimited } from "./testing/limited.ts"
import { runCli, temporaryFolder } from "./testing/in-process.ts"
import { testHost } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const post = ["cassette", "post", "--json", "-", "--run-id", "r1", "--source", "USER"]
const stdin = '{"intent":"tidy"}'

beforeAll(async () => {
  expect((await runCli(post, { cwd: folder, stdin })).code).toBe(0)
  writeFileSync(join(folder, "hub.md"), "# Hub\n")
  expect((await runCli(["network", "init"], { cwd: folder })).code).toBe(0)
  expect((await runCli(["network", "index"], { cwd: folder })).code).toBe(0)
})

/** Runs `cortex ARGS` with so many descriptors at most; Node itself takes about twenty, and may not start. */
const limited = (files: number, args: ReadonlyArray<string>) => {
  const { document, status, stderr } = runLimited(`-n ${files}`, args, { cwd: folder, input: stdin })
  // What cannot be opened is not damaged.
  expect(stderr).not.toContain("damaged")
  return document === null ? "not started" : document.ok ? status : [status, document.error?.code]
}

const commands = [["cassette", "verify"], ["cassette", "backup", "copy.db"], post]

describe.runIf(process.platform === "linux")("where few files may be opened", () => {
  it("every command says so, or does its work", () => {
    const ends = [24, 27, 30].flatMap((files) => commands.map((args) => limited(files, args)))
    const exhausted = [1, "RESOURCE_EXHAUSTED"]
    expect(ends).toContainEqual(exhausted)
    for (const end of ends) expect([exhausted, 0, "not started"]).toContainEqual(end)
  })

  it("cassettes that cannot be opened say so, and the others answer", () => {
    const ends = [23, 25, 28].map((files) => limited(files, ["network", "query", "hub"]))
    for (const end of ends) expect([[1, "RESOURCE_EXHAUSTED"], 0, "not started"]).toContainEqual(end)
  })
})

describe("want of files, memory and room", () => {
  it.each([
    ["EMFILE", "open files"],
    ["ENOMEM", "memory"],
    ["ENOSPC", "disk"]
  ])("has its own error where it was not expected: %s", (code, resource) => {
    const defect = Object.assign(new Error(`${code}: it failed`), { code })
    const ending = endingOf(testHost(), Exit.die(defect))
    expect(ending).toMatchObject({ code: 1, document: { code: "RESOURCE_EXHAUSTED", details: { resource } } })
  })

  it("is what no cassette answered for, where that is why none did", () => {
    const endOf = (...reasons: ReadonlyArray<string>) => {
      const answers = Object.fromEntries(
        reasons.map((reason, index) => [`c${index}`, { status: "error" as const, took_ms: 1, reason }])
      )
      return endingOf(testHost(), Exit.fail(new NetworkUnavailable({ answers }))).document
    }
    const files = `c.db: ${adviceOn["open files"]}`
    expect(endOf(files, files)).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      details: { resource: "open files" }
    })
    for (const reasons of [[files, "the file is missing"], [files, adviceOn.memory], ["locked"], []]) {
      expect(endOf(...reasons)).toMatchObject({ code: "NETWORK_UNAVAILABLE" })
    }
  })

  it("is told from any other failure of storage", () => {
    const failure = (code: string) => new StorageFailure({ file: "l.db", code, reason: "it failed" })
    expect(endingOf(testHost(), Exit.fail(failure("EMFILE")))).toMatchObject({
      code: 1,
      document: { code: "RESOURCE_EXHAUSTED", details: { file: "l.db" } }
    })
    expect(endingOf(testHost(), Exit.fail(failure("EIO")))).toMatchObject({
      code: 3,
      document: { code: "STORAGE_FAILURE" }
    })
  })
})
