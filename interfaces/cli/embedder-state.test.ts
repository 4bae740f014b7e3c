// An embedder that makes no vectors: the reason is told where something is asked, in the network's state with its time, and by the
// doctor.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { EmbedderHealth } from "../../application/network/watched-embedder.ts"
import type { DoctorReport } from "../shared/doctor-report.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const program = fileURLToPath(
  new URL("../../infrastructure/network/testing/embedding-program.ts", import.meta.url)
)
const { folder, remove } = temporaryFolder()
afterAll(remove)

/** The configuration with an embedder that behaves as it is called. */
const configured = (behaviour: string, model = "lengths") => {
  const command = JSON.stringify([process.execPath, program, behaviour])
  writeFileSync(
    join(folder, "net.yaml"),
    `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: local, auto_index: true, sources: ["*.md"]}\nindexing: {embedder: command, model: ${model}, dimensions: 3, command: ${command}}\n`
  )
}

const run = (...args: ReadonlyArray<string>) => runCli([...args, "--config", "net.yaml"], { cwd: folder })
const embedderOf = async () => {
  const { document } = await runJson(["network", "status", "--config", "net.yaml"], { cwd: folder })
  return (document.data as { readonly embedder: EmbedderHealth | null }).embedder
}
const checks = async () => {
  const { code, document } = await runJson(["doctor", "--config", "net.yaml"], { cwd: folder })
  const report = (document.data ?? document.error?.details) as DoctorReport
  return { code, check: (name: string) => report.checks.find(({ check }) => check === name) }
}

beforeAll(async () => {
  writeFileSync(join(folder, "a.md"), "# Harbour\n\nThe lighthouse of the harbour.\n")
  configured("honest")
  await run("network", "index")
})

describe("an embedder that answers", () => {
  it("is ok everywhere", async () => {
    configured("honest")
    expect((await run("network", "query", "lighthouse")).stderr).toBe("")
    expect(await embedderOf()).toMatchObject({ model: "lengths", status: "ok", last_failure: null })
    expect((await run("network", "status")).stdout).toMatch(/\nembedder .*\nlengths .* +ok +\d+ ms\n/)
    const { check, code } = await checks()
    expect([code, check("embedder")?.state, check("cassette docs vectors")]).toEqual([0, "ok", undefined])
  })
})

describe("an embedder that fails", () => {
  it.each([
    ["ending", "the program ended with 7"],
    ["progress", "other output, such as progress, belongs on standard error"],
    ["not-finite", "finite numbers"],
    ["other-size", "it must answer 1 vectors of 3 finite numbers"],
    ["zero", "none all 0"]
  ])("as %s tells why in questions, in the state and to the doctor", async (behaviour, reason) => {
    configured(behaviour)
    const asked = await run("network", "query", "lighthouse")
    expect(asked.stdout).toContain("a.md")
    expect(asked.stderr).toContain(reason)
    expect(asked.stderr).toContain("searched by words alone")
    expect(await embedderOf()).toMatchObject({
      status: "failed",
      reason: expect.stringContaining(reason),
      last_failure: {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        reason: expect.stringContaining(reason)
      }
    })
    const status = await run("network", "status")
    expect([status.code, status.stderr]).toEqual([0, expect.stringContaining(reason)])
    const { check, code } = await checks()
    expect([code, check("embedder")]).toEqual([
      1,
      {
        check: "embedder",
        state: "problem",
        seen: expect.stringContaining(reason),
        do: expect.stringContaining("indexing.command")
      }
    ])
  })

  it("is none where there is none", async () => {
    writeFileSync(
      join(folder, "net.yaml"),
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: local}\n'
    )
    expect(await embedderOf()).toBeNull()
    expect((await checks()).check("embedder")).toBeUndefined()
  })
})

describe("an embedder of another model", () => {
  it("is told with both names and the command that makes the vectors again", async () => {
    configured("honest", "another")
    const asked = await run("network", "query", "lighthouse")
    expect(asked.stderr).toMatch(/lengths .*another|another .*lengths/)
    const { check } = await checks()
    expect(check("cassette docs vectors")).toMatchObject({
      state: "advice",
      seen: expect.stringMatching(/made by lengths, and the embedder is another /),
      run: "cortex network reindex --config net.yaml docs"
    })
  })
})
