// The standard network through the command line alone, without a model: nine cassettes from a folder with documents in
// three commands, and a configuration whose external cassette lies on a disk that is not there.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { Hit } from "../../domain/network/cassette.ts"
import { STANDARD_CASSETTES } from "../../domain/network/configuration.ts"
import { fullConfiguration } from "../../infrastructure/network/testing/full-configuration.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"
import { secondsPass } from "./testing/test-host.ts"

const cleanups: Array<() => void> = []
afterAll(() => {
  for (const clean of cleanups) clean()
})

const write = (folder: string, path: string, text: string) => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const emptyFolder = () => {
  const { folder, remove } = temporaryFolder()
  cleanups.push(remove)
  return folder
}

describe("the nine standard cassettes", () => {
  it("are made and asked together in three commands, and every hit says where it comes from", async () => {
    const folder = emptyFolder()
    for (const { bucket, id } of STANDARD_CASSETTES) {
      if (bucket !== null)
        write(folder, `${bucket}/${id}.md`, `# ${id}\n\nAn orchard of ${id} stands here.\n`)
    }
    for (const command of ["init", "index"]) {
      const { code, stderr } = await runCli(["network", command], { cwd: folder })
      expect([code, stderr], command).toEqual([0, ""])
    }
    const { code, document, stderr } = await runJson(["network", "query", "orchard", "--limit", "50"], {
      cwd: folder
    })
    expect([code, stderr]).toEqual([0, ""])
    const { answers, hits, mode, partial } = document.data as {
      answers: Readonly<Record<string, { status: string }>>
      hits: ReadonlyArray<Hit>
      mode: string
      partial: boolean
    }
    expect([mode, partial]).toEqual(["lexical", false])
    expect(Object.keys(answers)).toEqual(["documents", ...STANDARD_CASSETTES.map(({ id }) => id)])
    expect(Object.values(answers).every(({ status }) => status === "ok")).toBe(true)
    const withFiles = STANDARD_CASSETTES.filter(({ bucket }) => bucket !== null)
    expect(hits).toHaveLength(withFiles.length)
    for (const { bucket, id } of withFiles) {
      const hit = hits.find(({ places }) => places.some(({ source }) => source === id))
      // The cassette of all documents holds the same text.
      expect(hit?.places.map(({ path, source }) => [source, path]).sort()).toEqual(
        [
          ["documents", `${bucket}/${id}.md`],
          [id, `${bucket}/${id}.md`]
        ].sort()
      )
      expect(hit).toMatchObject({ content: expect.stringContaining(`orchard of ${id}`), score_kind: "bm25" })
    }
    const status = await runJson(["network", "status"], { cwd: folder })
    const { cassettes } = status.document.data as { cassettes: ReadonlyArray<Record<string, unknown>> }
    expect(cassettes.slice(1).map(({ cassette_id, mutability }) => [cassette_id, mutability])).toEqual(
      STANDARD_CASSETTES.map(({ id, mutability }) => [id, mutability])
    )
    expect((await runCli(["network", "verify"], { cwd: folder })).code).toBe(0)
  })
})

describe("three commands in a folder with documents of every kind", () => {
  it("find each kind by its capability", async () => {
    const folder = emptyFolder()
    for (const { bucket, id } of STANDARD_CASSETTES) {
      if (bucket !== null)
        write(folder, `${bucket}/${id}.md`, `# ${id}\n\nAn orchard of ${id} stands here.\n`)
    }
    write(folder, "CAPABILITY/graft.ts", "/** An orchard is grafted. */\nexport const graft = () => 1\n")
    for (const command of ["init", "index"]) await runCli(["network", command], { cwd: folder })
    const asked = async (capability: string) => {
      const { code, document } = await runJson(
        ["network", "query", "orchard", "--capability", capability, "--limit", "50"],
        { cwd: folder }
      )
      expect(code, capability).toBe(0)
      const { hits } = document.data as { hits: ReadonlyArray<Hit> }
      return new Set(hits.map(({ source }) => source))
    }
    expect([...(await asked("research"))]).toEqual(["thought"])
    expect([...(await asked("ast"))].sort()).toEqual(["capability", "documents"])
    const withFiles = STANDARD_CASSETTES.filter(({ bucket }) => bucket !== null).map(({ id }) => id)
    for (const id of withFiles) {
      const { document } = await runJson(
        ["network", "query", "orchard", "--capability", "fts", "--cassette", id],
        { cwd: folder }
      )
      expect((document.data as { hits: ReadonlyArray<Hit> }).hits.length, id).toBeGreaterThan(0)
    }
    await runCli(["memory", "save", "an orchard", "--cassette", "resident", "--agent", "a1"], { cwd: folder })
    const { document } = await runJson(
      ["network", "query", "orchard", "--capability", "agent_id", "--agent", "a1"],
      { cwd: folder }
    )
    expect(document.data).toMatchObject({ hits: [{ source: "resident" }] })
  })
})

describe("a configuration with an external cassette that cannot be reached", () => {
  it("is indexed and asked; what is missing is offline, with what to do", async () => {
    const folder = emptyFolder()
    write(folder, "CORTEX/network.yaml", fullConfiguration)
    write(folder, "CONTEXT/decisions.md", "# Decisions\n\nAn orchard was decided upon.\n")
    const indexed = await runCli(["network", "index"], { cwd: folder })
    expect([indexed.code, indexed.stderr]).toEqual([0, ""])
    const { code, document, stderr } = await runJson(["network", "query", "orchard"], { cwd: folder })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^warning: Cassette agi-research offline, skipping \(offline: the file is missing: put/
    )
    expect(document.data).toMatchObject({
      hits: [{ source: "governance", path: "CONTEXT/decisions.md" }],
      answers: { governance: { status: "ok" }, "agi-research": { status: "offline" } },
      partial: true
    })
    const status = await runJson(["network", "status"], { cwd: folder })
    expect(status.document.data).toMatchObject({
      cassettes: [
        { cassette_id: "governance", status: "ok", declared: ["vectors", "semantic_search"] },
        { cassette_id: "agi-research", status: "offline", declared: ["research", "fts"] }
      ]
    })
    const strict = await runJson(["network", "query", "orchard", "--strict"], { cwd: folder })
    expect([strict.code, strict.document.error?.code]).toEqual([1, "NETWORK_INCOMPLETE"])
  })
})

describe("indexing on a terminal", () => {
  it("shows progress on one line, takes it away, and is silent elsewhere", async () => {
    const folder = emptyFolder()
    for (const name of ["a", "b", "c"]) write(folder, `docs/${name}.md`, `text ${name}`)
    await runCli(["network", "init"], { cwd: folder })
    const { stderr } = await runCli(["network", "index", "documents"], {
      cwd: folder,
      host: { isTerminal: (stream) => stream === "stderr", elapsedMillis: secondsPass() }
    })
    // oxlint-disable-next-line no-control-regex
    expect(stderr).toMatch(/^\r\u001b\[Kdocuments: indexing \d+ of \d+ files/)
    expect(stderr.endsWith("\r\u001b[K")).toBe(true)
    expect((await runCli(["network", "index", "documents"], { cwd: folder })).stderr).toBe("")
  })

  it("shows no colours where NO_COLOR is set or the terminal has none", async () => {
    const folder = emptyFolder()
    write(folder, "docs/a.md", "an orchard")
    for (const command of ["init", "index"]) await runCli(["network", command], { cwd: folder })
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { stdout } = await runCli(["network", "query", "orchard"], {
        cwd: folder,
        host: { isTerminal: () => true, env }
      })
      expect(stdout).toContain("orchard")
      expect(stdout).not.toContain("\u001b")
    }
  })
})
