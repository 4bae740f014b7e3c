// The binary as a process: streams, signals, exit codes, and what only a real process can meet.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { binary } from "./testing/binary.ts"
import { type Child, runCortex, startCortex } from "./testing/child-process.ts"
import { CommandProcess } from "./testing/command-process.ts"
import { documentOf, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const environment = { ...process.env, CORTEX_ROOT: folder }
const options = { cwd: folder, env: environment }
const post = ["cassette", "post", "--json", "-", "--run-id", "r1", "--source", "USER"]
const postHere = () => runCli(post, { cwd: folder, stdin: '{"intent":"tidy"}' })
const head = async () => (await runJson(["cassette", "status"], { cwd: folder })).document.data?.["head"]
const closed = async (child: Child) =>
  (await once(child, "close")) as [code: number | null, signal: string | null]

beforeAll(async () => {
  await postHere()
  writeFileSync(join(folder, "receipt.json"), '{"ok":true}')
})

describe("a pipe without a reader", () => {
  it.each(["--json", "--receipt"])("is refused as %s, at once", async (flag) => {
    const pipe = join(folder, `pipe${flag}`)
    spawnSync("mkfifo", [pipe])
    const complete = "cassette complete --run-id r1 --step s --worker w --token 1 --outcome SUCCESS".split(
      " "
    )
    const command = flag === "--json" ? ["cassette", "post", "--run-id", "r1", "--source", "USER"] : complete
    const ran = await runCortex([...command, flag, pipe], options)
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toContain("no regular file")
  })
})

describe("a session", () => {
  it("posts from standard input, claims, completes and verifies", async () => {
    const session = { ...options, env: { ...environment, CORTEX_ROOT: "" } }
    const run = (...args: ReadonlyArray<string>) =>
      runCortex(["--db", "session.db", "cassette", ...args], session)
    const posted = await runCortex(["--db", "session.db", ...post], { ...session, input: '{"intent":"é"}' })
    expect(posted).toMatchObject({ code: 0, stderr: "" })
    const claim = ["--db", "session.db", "cassette", "claim", "--run-id", "r1", "--worker", "w1"]
    const claimed = await runJson(claim, { cwd: folder })
    expect(claimed.document.data).toMatchObject({ payload: { intent: "é" }, fencing_token: 1 })
    const step = String(claimed.document.data?.["step_id"])
    const lease = ["--step", step, "--worker", "w1", "--token", "1", "--outcome", "SUCCESS"]
    const done = await run("complete", "--run-id", "r1", ...lease, "--receipt", "receipt.json")
    expect(done.stdout).toBe(`receipt_id  ${step.replace("step_", "rcpt_")}\n`)
    const verified = await run("verify", "--run-id", "r1")
    expect(verified).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
  })

  it("exits 2 on wrong usage, with nothing on standard output", async () => {
    const ran = await runCortex(["cassette", "claim", "--run-id", "r1", "--tokn", "1"], options)
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toContain("Unrecognized flag: --tokn")
  })

  it("prints the package's version", async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
      version: string
    }
    expect(await runCortex(["--version"], options)).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: ""
    })
  })
})

describe("what is not text", () => {
  const shell = (line: string) =>
    spawnSync("bash", ["-c", line, "bash", process.execPath, binary], {
      ...options,
      encoding: "utf8"
    })

  it
    .runIf(process.platform === "linux")
    .each([
      `"$1" "$2" cassette post --json receipt.json --source USER --run-id r1 --db $'x\\xff.db'`,
      `CORTEX_ROOT=$'x\\xff' "$1" "$2" cassette status`
    ])("is refused before anything is done: %s", (line) => {
    const files = readdirSync(folder)
    const ran = shell(line)
    expect(ran).toMatchObject({ status: 2, stdout: "" })
    expect(ran.stderr).toMatch(/^error: .*: it is not UTF-8: give names, paths and texts in UTF-8\n$/)
    expect(readdirSync(folder)).toEqual(files)
  })

  it.runIf(process.platform === "linux")("is told from an honest U+FFFD", () => {
    const ran = shell(
      `"$1" "$2" cassette post --db honest.db --json receipt.json --source USER --run-id $'a\\uFFFD'`
    )
    expect(ran).toMatchObject({ status: 0, stderr: "" })
  })
})

describe("standard input", () => {
  const readers = [
    "cassette post --run-id r1 --source USER --json -",
    "cassette complete --run-id r1 --step s --worker w --token 1 --outcome SUCCESS --receipt -",
    "thought record --task t --type plan --agent a --file -",
    "cassette verify --trust - --checkpoint receipt.json",
    "network expand -",
    "bundle replay nowhere --parent -",
    "plan --request -"
  ].map((line) => line.split(" "))
  const says = "standard input: this is a folder"

  it("that is a folder is refused", () => {
    const directory = openSync(folder, "r")
    const ran = spawnSync(process.execPath, [binary, ...readers[0]!], {
      ...options,
      stdio: [directory, "pipe", "pipe"],
      encoding: "utf8"
    })
    closeSync(directory)
    expect(ran).toMatchObject({ status: 2, stdout: "" })
    expect(ran.stderr).toContain(says)
  })

  it.each(readers)("that is a folder is refused by each command: %s %s", async (...args) => {
    const ran = await runCli(args, { cwd: folder, host: { stdin: () => createReadStream(folder) } })
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toContain(says)
  })
})

describe("standard output", () => {
  it("may be closed at any time: the command ends quietly", async () => {
    const child = startCortex(["cassette", "log"], options)
    child.stdout.destroy()
    let complaints = ""
    child.stderr.on("data", (chunk) => {
      complaints += String(chunk)
    })
    expect(await closed(child)).toEqual([0, null])
    expect(complaints).toBe("")
  })

  it.runIf(existsSync("/dev/full"))("that cannot be written is an error", async () => {
    const full = openSync("/dev/full", "w")
    const ran = spawnSync(process.execPath, [binary, "cassette", "status"], {
      ...options,
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8"
    })
    closeSync(full)
    expect(ran.status).toBe(1)
    expect(ran.stderr).toMatch(/^error: The output could not be written \(.*ENOSPC.*\)/)
  })
})

describe("signals", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a followed log, which saw commits of others",
    async (signal) => {
      const child = startCortex(["cassette", "log", "--follow", "--format", "json"], options)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async () =>
        JSON.parse((await lines.next()).value as string) as { position: number; type: string }
      const { position } = (await head()) as { position: number }
      for (let seen = 1; seen <= position; seen++) expect((await next()).position).toBe(seen)
      await postHere()
      expect(await next()).toMatchObject({ position: position + 1, type: "MessagePosted" })
      child.kill(signal)
      expect(await closed(child)).toEqual([signal === "SIGINT" ? 130 : 143, null])
    }
  )

  it("end a claim that waits with the signal's exit code, and nothing is claimed", async () => {
    const ledger = join(folder, "waits.db")
    const where = ["--db", ledger]
    await runCli([...post, ...where], { cwd: folder, stdin: "{}" })
    const wait = ["cassette", "claim", "--run-id", "later", "--worker", "w", "--wait", "600", ...where]
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const child = startCortex(wait, options)
      await expect.poll(() => existsSync(`${ledger}-wal`), { timeout: 100_000 }).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 200))
      child.kill(signal)
      expect(await closed(child)).toEqual([signal === "SIGINT" ? 130 : 143, null])
    }
    const later = ["cassette", "post", "--json", "-", "--run-id", "later", "--source", "USER"]
    await runCli([...later, ...where], { cwd: folder, stdin: "{}" })
    const { document } = await runJson(["cassette", "waiting", "--run-id", "later", ...where], {
      cwd: folder
    })
    expect(document.data?.["steps"]).toMatchObject([{ fencing_token: 0 }])
  })

  it("end a server and a watch with the signal's exit code", async () => {
    await runCli(["network", "init"], { cwd: folder })
    for (const [args, ready] of [
      [["mcp"], undefined],
      [["network", "watch"], "documents: "]
    ] as const) {
      const child = startCortex([...args], options)
      if (ready === undefined) {
        child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
      } else writeFileSync(join(folder, "watched.md"), "# Watched\n")
      await once(child.stdout, "data")
      child.kill("SIGTERM")
      expect(await closed(child)).toEqual([143, null])
    }
  })

  it("stop a command that still waits for its input, and nothing is written", async () => {
    const before = await head()
    const child = startCortex(post, options)
    // More than a pipe holds: once it is taken, the command is reading.
    await new Promise((resolve) => child.stdin.write(`{${" ".repeat(1_048_576)}`, resolve))
    child.kill("SIGINT")
    expect(await closed(child)).toEqual([130, null])
    expect(await head()).toEqual(before)
  })
})

describe("the runtime", () => {
  const preload = (script: string) => ({
    ...options,
    env: { ...environment, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
  })
  const withoutDriver = preload(
    `import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) { if (name === "better-sqlite3" || name === "kysely") throw new Error("no driver"); return next(name, context) } })`
  )

  it("is refused in one sentence when it is too old, before anything is loaded", async () => {
    const old = preload(
      `import { registerHooks } from "node:module"; Object.defineProperty(process.versions, "node", { value: "20.20.2" }); registerHooks({ resolve(name, context, next) { if (/effect|better-sqlite3|process-host/.test(name)) process.stdout.write(name); const isOldModule = name === "node:module" && context.parentURL.includes("/bin."); return isOldModule ? { url: "data:text/javascript,export default {}", shortCircuit: true } : next(name, context) } })`
    )
    const ran = await runCortex(["cassette", "status"], old)
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toMatch(/^cortex needs Node 22\.19 or newer and this is Node 20\.20\.2: .*\n$/)
  })

  it("loads no database for help", async () => {
    const ran = await runCortex(["cassette", "post", "--help"], withoutDriver)
    expect(ran).toMatchObject({ code: 0, stderr: "" })
  })

  it("whose database driver is missing is an internal error, in one sentence", async () => {
    const ran = await runCortex(["cassette", "status", "--format", "json"], withoutDriver)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toBe("")
    expect(documentOf(ran.stdout).error).toMatchObject({
      code: "INTERNAL",
      details: {},
      message: expect.stringMatching(/^Something went wrong inside cortex \(no driver\): .*$/)
    })
  })
})

describe("without the permission to write", () => {
  const nobody = 65_534
  const isRoot = process.getuid?.() === 0
  const asNobody = isRoot ? { uid: nobody, gid: nobody } : {}
  const readOnly = join(folder, "read-only")
  const blocked = join(folder, "blocked")
  const able =
    process.platform !== "win32" &&
    spawnSync(
      process.execPath,
      ["-e", `require("node:fs").accessSync(${JSON.stringify(import.meta.dirname)})`],
      asNobody
    ).status === 0
  /** All commands but one run in one process. */
  let commands: CommandProcess
  const title = able ? "" : " (SKIPPED: no process with other rights can be started here)"

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    mkdirSync(blocked)
    mkdirSync(readOnly)
    await runCli([...post, "--root", readOnly], { cwd: folder, stdin: "{}" })
    const generated = join(readOnly, "CORTEX", "_generated")
    chmodSync(join(generated, "system3.db"), 0o444)
    for (const path of [generated, join(readOnly, "CORTEX"), blocked]) chmodSync(path, 0o555)
    if (able) commands = new CommandProcess(asNobody)
  })
  afterAll(async () => {
    if (able) await commands.close()
    for (const path of [join(readOnly, "CORTEX"), join(readOnly, "CORTEX", "_generated"), blocked]) {
      chmodSync(path, 0o755)
    }
  })

  it.runIf(able)(`verifies a copy and says so${title}`, async () => {
    const ran = await runCortex(["cassette", "verify", "--root", readOnly], { ...options, ...asNobody })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/^warning: .*private copy.*\nPASS: All invariants verified\n$/)
  })

  it.runIf(able)(`proves from a tree that it cannot put beside the ledger${title}`, async () => {
    const prove = ["cassette", "prove", "inclusion", "--event", "1", "--root", readOnly]
    const ran = await commands.run(prove, { cwd: folder })
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(
      /^\{"hash":"[0-9a-f]{64}","index":0,"kind":"inclusion","path":\["[0-9a-f]{64}"\],/
    )
    expect(readdirSync(join(readOnly, "CORTEX", "_generated"))).toEqual(["system3.db"])
  })

  it.runIf(able)(`refuses to write${title}`, async () => {
    for (const root of [readOnly, blocked]) {
      const ran = await commands.run([...post, "--root", root, "--format", "json"], {
        cwd: folder,
        stdin: "{}"
      })
      expect(ran.code).toBe(2)
      expect(documentOf(ran.stdout).error?.code).toBe("READ_ONLY_STORE")
    }
  })

  it.runIf(able)(`resolves symbols in a sealed corpus, and refuses to index${title}`, async () => {
    const sealed = join(folder, "sealed")
    const generated = join(sealed, "CORTEX", "_generated")
    mkdirSync(sealed)
    writeFileSync(join(sealed, "a.md"), "# A\n")
    writeFileSync(join(sealed, "secret.md"), "secret\n")
    await runCli(["index", "--root", sealed], { cwd: folder })
    await runCli(["symbol", "add", "@D/a", "a.md", "--root", sealed], { cwd: folder })
    await runCli(["symbol", "add", "@D/s", "secret.md", "--root", sealed], { cwd: folder })
    writeFileSync(join(sealed, "secret.md"), "another secret\n")
    chmodSync(join(sealed, "secret.md"), 0o000)
    chmodSync(join(generated, "system1.db"), 0o444)
    for (const path of [generated, join(sealed, "CORTEX"), sealed]) chmodSync(path, 0o555)
    const run = async (...args: ReadonlyArray<string>) => {
      const ran = await commands.run([...args, "--root", sealed, "--format", "json"], { cwd: folder })
      return { code: ran.code, document: documentOf(ran.stdout) }
    }
    const resolved = await run("symbol", "resolve", "@D/a")
    expect(resolved).toMatchObject({ code: 0, document: { data: { path: "a.md", line_end: 1 } } })
    const unreadable = await run("symbol", "resolve", "@D/s")
    expect(unreadable).toMatchObject({ code: 1, document: { error: { code: "FILE_UNREADABLE" } } })
    for (const args of [["index"], ["symbol", "remove", "@D/a"]]) {
      const refused = await run(...args)
      expect(refused).toMatchObject({ code: 2, document: { error: { code: "READ_ONLY_STORE" } } })
    }
    expect(readdirSync(generated)).toEqual(["system1.db"])
    for (const path of [sealed, join(sealed, "CORTEX"), generated]) chmodSync(path, 0o755)
  })
})
