// `cortex network` from an empty folder with documents on: three commands to the first answer, then every refusal.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const program = fileURLToPath(
  new URL("../../infrastructure/network/testing/embedding-program.ts", import.meta.url)
)
const write = (folder: string, path: string, text: string | Uint8Array) => {
  const file = join(folder, path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, text)
}

const withDocuments = () => {
  const { folder, remove } = temporaryFolder()
  write(
    folder,
    "docs/guide.md",
    "# Guide\n\nThe multi-agent hub.\n\n## Error handling\n\nErrors are retried.\n"
  )
  write(folder, "src/main.py", "def handle_error(x):\n    return x\n")
  write(folder, "ignored/secret.md", "error error error")
  write(folder, "image.bin", new Uint8Array([1, 0, 2]))
  write(folder, ".gitignore", "ignored/\n")
  return { folder, remove }
}

const cleanups: Array<() => void> = []
const fresh = () => {
  const { folder, remove } = withDocuments()
  cleanups.push(remove)
  return folder
}
afterAll(() => {
  for (const clean of cleanups) clean()
})

describe("the status of a cassette that is refused", () => {
  it("tells the reason below the table, which stays as narrow as its words", async () => {
    const folder = fresh()
    const configure = (mutability: string) =>
      write(
        folder,
        "net.yaml",
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: notes, path: notes.db, type: local, auto_index: true, mutability: ${mutability}, sources: ["docs/**"]}\n`
      )
    configure("read-write")
    expect((await runCli(["network", "index", "--config", "net.yaml"], { cwd: folder })).code).toBe(0)
    configure("append-only")
    const { stdout } = await runCli(["network", "status", "--config", "net.yaml"], { cwd: folder })
    const [heading = "", row = "", ...rest] = stdout.split("\n")
    expect(heading).toMatch(/^cassette +status +mutability/)
    expect(row).toMatch(/^notes +refused$/)
    expect(heading).not.toContain("declared only")
    expect(heading.length).toBeLessThan(100)
    expect(rest.join("\n")).toMatch(/^notes is refused: .*append-only/m)
  })
})

describe("three commands", () => {
  let folder = ""
  beforeAll(async () => {
    folder = fresh()
    expect((await runCli(["network", "init"], { cwd: folder })).code).toBe(0)
    expect((await runCli(["network", "index"], { cwd: folder })).code).toBe(0)
  })
  const run = (...args: ReadonlyArray<string>) => runCli(["network", ...args], { cwd: folder })
  const json = (...args: ReadonlyArray<string>) => runJson(["network", ...args], { cwd: folder })

  it("find what is in the documents, and nothing that git ignores", async () => {
    const { code, document, stderr } = await json("query", "error handling")
    expect([code, stderr]).toEqual([0, ""])
    const { answers, hits, partial } = document.data as {
      hits: Array<{ path: string; source: string; score: number }>
      answers: object
      partial: boolean
    }
    expect(hits.map(({ path }) => path).sort()).toEqual(["docs/guide.md", "src/main.py"])
    expect(Object.keys(answers)).toEqual(["documents", "memory", "resident"])
    expect(partial).toBe(false)
  })

  it("show ranked places with a line of text, in colour on a terminal alone", async () => {
    const { stdout } = await run("query", "multi-agent")
    expect(stdout).toMatch(
      /^1\. docs\/guide\.md:1-3 > Guide {2}\[documents\] {2}\d+\.\d{3}\n {3}.*multi-agent hub/
    )
    expect(stdout).not.toContain("\u001b")
    const coloured = await runCli(["network", "query", "multi-agent"], {
      cwd: folder,
      host: { isTerminal: () => true }
    })
    expect(coloured.stdout).toContain("\u001b[1;33mmulti-agent\u001b[0m")
  })

  it("say that nothing was found", async () => {
    expect((await run("query", "***")).stdout).toBe("nothing found\n")
    expect((await run("query", "zebra")).stdout).toBe("nothing found\n")
  })

  it("have a status, with what is only declared", async () => {
    const { document } = await json("status")
    const { cassettes } = document.data as { cassettes: Array<Record<string, unknown>> }
    expect(cassettes.map(({ cassette_id, declared, status }) => [cassette_id, status, declared])).toEqual([
      ["documents", "ok", []],
      ["memory", "ok", ["vectors"]],
      ["resident", "ok", ["vectors", "agent_id"]]
    ])
    expect((await run("status")).stdout).toMatch(/^cassette .* declared only\n.*documents/)
  })

  it("verify, and make the indexes again", async () => {
    const verified = await run("verify")
    expect([verified.code, verified.stderr]).toEqual([0, "PASS: All invariants verified\n"])
    expect((await run("reindex", "documents")).code).toBe(0)
    expect((await run("verify")).code).toBe(0)
  })

  it("index again only what changed", async () => {
    write(folder, "docs/guide.md", "# Guide\n\nThe multi-agent network.\n")
    rmSync(join(folder, "src/main.py"))
    const { document } = await json("index", "documents")
    expect(document.data).toMatchObject({ cassettes: [{ added: 0, replaced: 1, unchanged: 0, removed: 1 }] })
    expect((await run("query", "handle_error")).stdout).toBe("nothing found\n")
  })

  it("refuse what is no question", async () => {
    for (const [args, code, error] of [
      [["query", "x", "--limit", "1001"], 2, "INVALID_PARAMS"],
      [["query", "x", "--cassette", "nowhere"], 2, "UNKNOWN_CASSETTE"],
      [["query", "x", "--capability", "magic"], 2, "INVALID_PARAMS"],
      [["query", "x", "--capability", "fixtures"], 1, "NO_CASSETTE_WITH_CAPABILITY"],
      [["index", "nowhere"], 2, "UNKNOWN_CASSETTE"],
      [["init"], 1, "CONFIGURATION_EXISTS"]
    ] as const) {
      const { code: actual, document } = await json(...args)
      expect([actual, document.error?.code], args.join(" ")).toEqual([code, error])
    }
  })

  it("go on without a cassette that is broken, and say so", async () => {
    const file = join(folder, "CORTEX", "cassettes", "memory.db")
    const whole = readFileSync(file)
    writeFileSync(file, "no database")
    const { code, stderr } = await run("query", "multi-agent")
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: Cassette memory offline, skipping \(error: /)
    // It is unknown what the broken one has: nothing that was found is not the same as nothing that is there.
    const none = await run("query", "xylophone")
    expect(none.stdout).toMatch(/^no full answer from memory \(error: .+\); the others have no hit\n$/)
    const each = await run("query", "xylophone", "--by-cassette")
    expect(each.stdout).toMatch(/^== documents\nnothing found\n== memory\nno full answer from memory \(error/)
    const strict = await json("query", "multi-agent", "--strict")
    expect([strict.code, strict.document.error?.code]).toEqual([1, "NETWORK_INCOMPLETE"])
    expect((await run("verify")).code).toBe(1)
    expect((await run("index", "memory")).code).toBe(2)
    expect(readFileSync(file, "utf8")).toBe("no database")
    writeFileSync(file, whole)
  })
})

describe("vectors", () => {
  it("are made while indexing when the configuration names an embedder, and searched by default", async () => {
    const folder = fresh()
    const config = (embedder: string) =>
      write(
        folder,
        "net.yaml",
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: local, auto_index: true, sources: ["docs/**"]}\nindexing: ${embedder}\n`
      )
    const json = (...args: ReadonlyArray<string>) =>
      runJson(["network", ...args, "--config", "net.yaml"], { cwd: folder })
    const command = JSON.stringify([process.execPath, program])
    config(`{embedder: command, model: lengths, dimensions: 3, batch_size: 1, command: ${command}}`)
    expect((await json("index")).document.data).toMatchObject({ cassettes: [{ added: 1, embedded: 2 }] })
    expect((await json("query", "hub errors")).document.data).toMatchObject({ mode: "hybrid", notices: [] })
    expect((await json("status")).document.data).toMatchObject({
      cassettes: [{ capabilities: ["vectors", "fts", "semantic_search"], stats: { with_vectors: 2 } }]
    })
    config('{embedder: command, model: other, dimensions: 3, command: ["/no/such/program"]}')
    const other = await json("index")
    expect([other.code, other.document.error?.code]).toEqual([1, "EMBEDDER_MISMATCH"])
    const asked = await json("query", "hub")
    expect(asked.document.data).toMatchObject({ mode: "lexical", hits: [{ path: "docs/guide.md" }] })
    expect(asked.stderr).toContain("searched by words alone")
    expect((await runCli(["network", "verify", "--config", "net.yaml"], { cwd: folder })).code).toBe(0)
    const failed = await json("reindex")
    expect([failed.code, failed.document.error?.code]).toEqual([1, "EMBEDDER_FAILED"])
    config("{embedder: none}")
    expect((await json("reindex")).document.data).toMatchObject({ cassettes: [{ embedded: 0 }] })
    expect((await json("query", "hub")).document.data).toMatchObject({ mode: "lexical", notices: [] })
  })
})

describe("watching", () => {
  it("indexes what changes until it is stopped, and ends with the code of the signal", async () => {
    const folder = fresh()
    await runCli(["network", "init"], { cwd: folder })
    const stop = new AbortController()
    let printed = ""
    const wrote = (wanted: string) =>
      new Promise<void>((resolve) => {
        const look = () => (printed.includes(wanted) ? resolve() : setTimeout(look, 20))
        look()
      })
    const running = runCli(["network", "watch"], {
      cwd: folder,
      host: {
        stop: stop.signal,
        write: async (_, text) => {
          printed += text
        }
      }
    })
    await wrote("documents: 2 added, 0 replaced, 0 removed")
    write(folder, "docs/more.md", "more")
    await wrote("documents: 1 added, 0 replaced, 0 removed")
    rmSync(join(folder, "docs/more.md"))
    await wrote("documents: 0 added, 0 replaced, 1 removed")
    stop.abort("SIGINT")
    expect((await running).code).toBe(130)
  })
})

describe("configurations", () => {
  it("must be there and right", async () => {
    const folder = fresh()
    const missing = await runJson(["network", "query", "x"], { cwd: folder })
    expect([missing.code, missing.document.error?.code]).toEqual([2, "CONFIGURATION_MISSING"])
    write(folder, "CORTEX/network.yaml", "network:\n  version: 2\n")
    const wrong = await runCli(["network", "status"], { cwd: folder })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain("network.yaml:2: network.version")
  })

  it("may lie elsewhere", async () => {
    const folder = fresh()
    const config = ["--config", "net.yaml"]
    write(
      folder,
      "net.yaml",
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: local, auto_index: true, sources: ["docs/**"]}\n'
    )
    expect((await runCli(["network", "index", ...config], { cwd: folder })).code).toBe(0)
    const { document } = await runJson(["network", "query", "hub", ...config], { cwd: folder })
    expect(document.data).toMatchObject({ hits: [{ source: "docs", path: "docs/guide.md" }] })
  })

  it("seal an immutable cassette and build it again when its files change", async () => {
    const folder = fresh()
    write(
      folder,
      "net.yaml",
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: canon, path: canon.db, type: local, auto_index: true, mutability: immutable, sources: ["docs/**"]}\n'
    )
    const index = async () => {
      const { document } = await runJson(["network", "index", "--config", "net.yaml"], { cwd: folder })
      return (document.data as { cassettes: Array<{ added: number; unchanged: number }> }).cassettes[0]
    }
    expect(await index()).toMatchObject({ added: 1, unchanged: 0 })
    const sealed = readFileSync(join(folder, "canon.db"))
    expect(await index()).toMatchObject({ added: 0, unchanged: 1 })
    await runCli(["network", "query", "hub", "--config", "net.yaml"], { cwd: folder })
    expect(readdirSync(folder).filter((name) => name.startsWith("canon"))).toEqual(["canon.db"])
    expect(readFileSync(join(folder, "canon.db")).equals(sealed)).toBe(true)
    write(folder, "docs/more.md", "more")
    expect(await index()).toMatchObject({ added: 2 })
    const database = new Database(join(folder, "canon.db"))
    expect(() => database.exec("DELETE FROM postings")).toThrow("sealed")
    database.close()
    expect((await runCli(["network", "verify", "--config", "net.yaml"], { cwd: folder })).code).toBe(0)
  })

  it("keep in an immutable cassette what cannot be read now, and what it was given without sources", async () => {
    const folder = fresh()
    const configure = (sources: string) =>
      write(
        folder,
        "net.yaml",
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: stone, path: stone.db, type: local, auto_index: true, mutability: immutable${sources}}\n`
      )
    configure(', sources: ["docs/**"]')
    write(folder, "docs/seen.md", "seen")
    write(folder, "docs/hidden/kept.md", "kept")
    const index = async () => {
      const { document } = await runJson(["network", "index", "--config", "net.yaml"], { cwd: folder })
      return (document.data as { cassettes: ReadonlyArray<object> }).cassettes[0]
    }
    const held = () => {
      const database = new Database(join(folder, "stone.db"), { readonly: true })
      try {
        return database.prepare("SELECT path, text FROM documents ORDER BY path").raw().all()
      } finally {
        database.close()
      }
    }
    expect(await index()).toMatchObject({ added: 3 })
    // Rules that are too long are not read: it is unknown what they leave out, so the whole folder is out of sight.
    write(folder, "docs/hidden/.gitignore", "#".repeat(1_048_577))
    const skipped = [{ path: "docs/hidden/", reason: "UNREADABLE" }]
    expect(await index()).toMatchObject({ added: 0, unchanged: 2, skipped })
    write(folder, "docs/seen.md", "seen again")
    expect(await index()).toMatchObject({ added: 2, skipped })
    expect(held()).toEqual(
      expect.arrayContaining([
        ["docs/hidden/kept.md", "kept"],
        ["docs/seen.md", "seen again"]
      ])
    )
    expect(await index()).toMatchObject({ added: 0, unchanged: 2, skipped })
    expect((await runCli(["network", "verify", "--config", "net.yaml"], { cwd: folder })).code).toBe(0)
    const before = held()
    configure("")
    expect(await index()).toMatchObject({ added: 0, removed: 0 })
    expect(held()).toEqual(before)
    configure(', sources: ["docs/**"]')
    rmSync(join(folder, "docs/hidden"), { recursive: true })
    expect(await index()).toMatchObject({ added: 2, skipped: [] })
    expect(held()).toHaveLength(2)
  })

  it("keep an external cassette from being written to", async () => {
    const folder = fresh()
    write(
      folder,
      "net.yaml",
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: far, path: /nowhere/far.db, type: external}\n'
    )
    const named = await runJson(["network", "index", "far", "--config", "net.yaml"], { cwd: folder })
    expect([named.code, named.document.error?.code]).toEqual([2, "INVALID_PARAMS"])
    expect((await runCli(["network", "index", "--config", "net.yaml"], { cwd: folder })).code).toBe(0)
    const asked = await runJson(["network", "query", "x", "--config", "net.yaml"], { cwd: folder })
    expect([asked.code, asked.document.error?.code]).toEqual([1, "NETWORK_UNAVAILABLE"])
  })

  it("do not take a ledger for a cassette", async () => {
    const folder = fresh()
    write(folder, "m.json", '{"intent":"x"}')
    await runCli(["cassette", "post", "--json", "m.json", "--run-id", "r", "--source", "USER"], {
      cwd: folder
    })
    write(
      folder,
      "net.yaml",
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: led, path: CORTEX/_generated/system3.db, type: local, auto_index: true, sources: ["docs/**"]}\n'
    )
    const { code, document } = await runJson(["network", "index", "--config", "net.yaml"], { cwd: folder })
    expect([code, document.error?.code]).toEqual([2, "LEDGER_IS_NOT_A_CASSETTE"])
    expect((await runCli(["cassette", "verify"], { cwd: folder })).code).toBe(0)
  })
})

describe("sweeping", () => {
  it("removes what has expired, with a receipt, and makes nothing", async () => {
    const folder = fresh()
    const configuration = (ttl: string) =>
      `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: short, path: short.db, type: local, auto_index: true, mutability: ephemeral, ttl: ${ttl}, sources: ["docs/**"]}\n  - {id: unmade, path: unmade.db, type: local, mutability: ephemeral}\n  - {id: far, path: /nowhere/far.db, type: external}\n`
    write(folder, "net.yaml", configuration("1ms"))
    const run = (...args: ReadonlyArray<string>) =>
      runJson(["network", ...args, "--config", "net.yaml"], { cwd: folder })
    await run("index", "short")
    const swept = (await run("sweep")).document.data
    expect(swept).toEqual({ cassettes: [{ cassette_id: "short", removed: ["docs/guide.md"] }] })
    expect((await run("sweep", "short")).document.data).toEqual({
      cassettes: [{ cassette_id: "short", removed: [] }]
    })
    const long = fresh()
    write(long, "net.yaml", 'network: {version: "1.0", protocol: SNP}\ncassettes: []\n')
    const none = await runCli(["network", "sweep", "--config", "net.yaml"], { cwd: long })
    expect(none.stdout).toBe("no cassette is ephemeral: name those that are to be swept\n")
    const verified = (await run("verify", "short")).document.data as {
      cassettes: Array<{ documents: number; receipts: number }>
    }
    expect(verified.cassettes[0]).toMatchObject({ documents: 0, receipts: 3 })
    const codes = []
    for (const id of ["unmade", "far", "none"]) codes.push((await run("sweep", id)).document.error?.code)
    expect(codes).toEqual(["CASSETTE_OFFLINE", "WRITE_REFUSED", "UNKNOWN_CASSETTE"])
    expect(readdirSync(folder)).not.toContain("unmade.db")
  })
})
