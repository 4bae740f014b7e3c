/** What the server says of the place that it works in: the network that is open, keys that exist, a root that was not named. */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli, runJson } from "../cli/testing/in-process.ts"
import { ReadOnlyStore } from "../../domain/foundation/storage-errors.ts"
import { failureDocument } from "./result.ts"
import { RootFolder } from "./root-folder.ts"
import type { Session } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

const descriptionOf = async (session: Session, name: string): Promise<string> => {
  const { result } = await session.request("tools/list")
  const { tools } = result as { tools: ReadonlyArray<{ name: string; description: string }> }
  return tools.find((tool) => tool.name === name)?.description ?? ""
}

const configure = (...cassettes: ReadonlyArray<string>): void => {
  mkdirSync(join(place.folder, "CORTEX"), { recursive: true })
  const lines = cassettes.map((each) => `  - ${each}\n`).join("")
  writeFileSync(
    join(place.folder, "CORTEX", "network.yaml"),
    `network: { version: "1.0", protocol: SNP }\ncassettes:\n${lines}`
  )
}

const cassette = (id: string, more: string): string =>
  `{id: ${id}, path: cassettes/${id}.db, type: local, ${more}}`

describe("memory_save", () => {
  it("names the cassettes of the network that is open, and who finds what is saved there", async () => {
    configure(
      cassette("notebook", "mutability: read-write, capabilities: [fts]"),
      cassette("diary", "mutability: read-write, capabilities: [fts, agent_id]"),
      cassette("archive", "mutability: immutable, capabilities: [fts]")
    )
    const own = await descriptionOf(await start("--agent", "ada"), "memory_save")
    expect(own).toContain("notebook (everybody finds it)")
    expect(own).toContain("diary (only you find it again)")
    expect(own).not.toMatch(/archive|resident|memory \(/)
    const nobody = await descriptionOf(await start(), "memory_save")
    expect(nobody).toContain("diary (each agent its own: needs a server with --agent)")
  })

  it("names no cassette whose file differs from what the configuration asks for", async () => {
    configure(cassette("notebook", "mutability: read-write, capabilities: [fts]"))
    await runCli(["memory", "save", "a text", "--cassette", "notebook"], { cwd: place.folder })
    configure(cassette("notebook", "mutability: read-write, capabilities: [fts, agent_id]"))
    const told = await descriptionOf(await start("--agent", "ada"), "memory_save")
    expect(told).not.toMatch(/only you|everybody finds it/)
    expect(told).toContain("No cassette of this network keeps memories")
  })

  it("tells of a change only behind a list that did not have it", async () => {
    configure(cassette("notebook", "mutability: read-write, capabilities: [fts]"))
    const session = await start()
    expect(await descriptionOf(session, "memory_save")).toContain("notebook")
    // What the server tells of its own accord comes behind the answer; two requests give it time to come.
    expect(await descriptionOf(session, "memory_save")).toContain("notebook")
    await session.request("ping")
    const changes = () =>
      session.answers.filter(({ method }) => method === "notifications/tools/list_changed")
    expect(changes()).toEqual([])
    configure(cassette("diary", "mutability: read-write, capabilities: [fts]"))
    await expect.poll(() => descriptionOf(session, "memory_save")).toContain("diary")
    await expect.poll(changes).not.toEqual([])
  })

  it("says how to make a network where there is none, and tells of it once there is one", async () => {
    const session = await start()
    expect(await descriptionOf(session, "memory_save")).toContain("cortex network init")
    await runCli(["network", "init"], { cwd: place.folder })
    expect(await descriptionOf(session, "memory_save")).toContain("memory (everybody finds it)")
  })
})

describe("completions", () => {
  const complete = async (session: Session, uri: string, name: string, value: string) => {
    const { error, result } = await session.request("completion/complete", {
      ref: { type: "ref/resource", uri },
      argument: { name, value }
    })
    if (result === undefined) throw new Error(error?.message)
    return (result as { completion: { values: ReadonlyArray<string>; hasMore: boolean } }).completion
  }

  it("complete every key of every resource", async () => {
    const session = await start()
    const post = { source: "USER", payload: { intent: "tidy" } }
    const { job_id } = await session.data("message_post", { run_id: "morning", ...post })
    await session.data("message_post", { run_id: "evening", ...post })
    writeFileSync(join(place.folder, "a.md"), "# A\n")
    mkdirSync(join(place.folder, "out", "first"), { recursive: true })
    await runCli(["index"], { cwd: place.folder })
    await runCli(["symbol", "add", "@DOCS/a", "a.md"], { cwd: place.folder })
    await runCli(["network", "init"], { cwd: place.folder })
    expect((await complete(session, "cortex://run/{run_id}", "run_id", "")).values).toEqual([
      "evening",
      "morning"
    ])
    expect((await complete(session, "cortex://run/{run_id}", "run_id", "mo")).values).toEqual(["morning"])
    expect((await complete(session, "cortex://job/{job_id}", "job_id", "job_")).values).toContain(job_id)
    expect((await complete(session, "cortex://symbol/{symbol_id}", "symbol_id", "@D")).values).toEqual([
      "@DOCS/a"
    ])
    expect((await complete(session, "cortex://bundle/{path}", "path", "o")).values).toEqual(["out"])
    expect((await complete(session, "cortex://bundle/{path}", "path", "out/")).values).toEqual(["out/first"])
    expect((await complete(session, "cortex://cassette/{id}", "id", "mem")).values).toEqual(["memory"])
    const { result } = await session.request("resources/templates/list")
    const { resourceTemplates } = result as { resourceTemplates: ReadonlyArray<{ uriTemplate: string }> }
    expect(resourceTemplates).toHaveLength(5)
    for (const { uriTemplate } of resourceTemplates) {
      const [, name = ""] = /\{(.*)\}/.exec(uriTemplate) ?? []
      expect((await complete(session, uriTemplate, name, "")).values.length, uriTemplate).toBeGreaterThan(0)
    }
  })

  it("are at most 100, and say that there are more", async () => {
    const session = await start()
    const job = { intent: "tidy", steps: [{}] }
    const jobs = Array.from({ length: 103 }, () => job)
    await session.data("message_post", { run_id: "r", source: "USER", payload: {}, jobs })
    const { hasMore, values } = await complete(session, "cortex://job/{job_id}", "job_id", "job_")
    expect(values).toHaveLength(100)
    expect(hasMore).toBe(true)
  })

  it("are none where there is nothing yet, and never lead out of the root", async () => {
    const session = await start()
    expect((await complete(session, "cortex://run/{run_id}", "run_id", "")).values).toEqual([])
    expect((await complete(session, "cortex://bundle/{path}", "path", "../")).values).toEqual([])
  })

  it("read what they propose", async () => {
    const session = await start()
    const { job_id } = await session.data("message_post", { run_id: "r", source: "USER", payload: {} })
    const { result } = await session.request("resources/read", { uri: `cortex://job/${job_id}` })
    const [{ text }] = (result as { contents: readonly [{ text: string }] }).contents
    expect(JSON.parse(text)).toMatchObject({ job: { job_id }, pending: 1 })
  })
})

describe("a root that was not named", () => {
  const message = async (session: Session, name: string, input: object) =>
    (await session.call(name, input)).envelope.error?.message ?? ""
  const thought = { type: "plan", task_id: "t", agent_id: "a", content: "c" }

  it("is what messages advise about where the place is at fault", async () => {
    const file = join(place.folder, "a-file")
    writeFileSync(file, "")
    const session = await start()
    const missing = await message(session, "job_status", { run_id: "r" })
    expect(missing).toContain(`started without --root, so that it works in ${place.folder}`)
    expect(await message(session, "corpus_list", { kind: "symbols" })).toContain("--root FOLDER")
    expect(await message(session, "semantic_search", { query: "q" })).toContain("--root FOLDER")
    expect(await message(session, "thought_record", { ...thought, task_id: "" })).not.toContain("--root")
    const named = await start("--root", place.folder)
    expect(await message(named, "job_status", { run_id: "r" })).not.toContain("--root")
  })

  it("may be one where nothing can be written, such as the root of the file system", async () => {
    const failure = new ReadOnlyStore({ file: "/CORTEX/_generated" })
    const told = (isNamed: boolean) =>
      Effect.runSync(Effect.provideService(failureDocument(failure), RootFolder, { path: "/", isNamed }))
        .message
    expect(told(false)).toContain("works in /: start it with --root FOLDER")
    expect(told(true)).toBe(failure.message)
  })
})

describe.skipIf(!existsSync("/proc/self"))("a root below which no folder can be made", () => {
  it("is told by the server, which goes on", async () => {
    const session = await start("--root", "/proc", "--agent", "ada")
    const work = { run_id: "r", source: "USER", payload: { intent: "tidy" } }
    expect(await session.code("message_post", work)).toBe("STORAGE_FAILURE")
    expect((await session.request("tools/list")).result).toBeDefined()
  })

  for (const command of [["index"], ["network", "init"]]) {
    it(`is told by cortex ${command.join(" ")}`, async () => {
      const { document } = await runJson([...command, "--root", "/proc"], { cwd: place.folder })
      expect(document.error?.code).toBe("STORAGE_FAILURE")
    })
  }
})
