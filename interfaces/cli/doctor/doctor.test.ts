/** `cortex doctor` on real folders: empty, in use, damaged. It never changes what it looks at. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { onSmallDisk, smallDiskMountable } from "../../../infrastructure/testing/small-disk.ts"
import { binary } from "../testing/binary.ts"
import { runCli, runJson, temporaryFolder } from "../testing/in-process.ts"
import type { DoctorReport } from "../../shared/doctor-report.ts"

let place: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  place = temporaryFolder()
})

afterEach(() => {
  place.remove()
})

const cortex = (...args: ReadonlyArray<string>) => runCli(args, { cwd: place.folder })

const doctor = async () => {
  const { code, document } = await runJson(["doctor"], { cwd: place.folder })
  return { code, report: (document.data ?? document.error?.details) as DoctorReport | undefined }
}

const original = temporaryFolder()
afterAll(original.remove)
beforeAll(async () => {
  writeFileSync(join(original.folder, "m.json"), "{}")
  for (const args of [
    ["cassette", "post", "--json", "m.json", "--run-id", "r", "--source", "USER"],
    ["index"],
    ["network", "init"],
    ["network", "index"]
  ])
    expect((await runCli(args, { cwd: original.folder })).code).toBe(0)
})

/** Puts a copy of a folder in use into the test's own. */
const used = (): void => cpSync(original.folder, place.folder, { recursive: true })

/** Every file below the folder with the hash of its bytes. */
const content = () =>
  readdirSync(place.folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(place.folder, name)).isFile())
    .sort()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(place.folder, name)))
        .digest("hex")
    ])

describe("cortex doctor", () => {
  it("finds no fault with an empty folder, and makes nothing in it", async () => {
    const { code, report } = await doctor()
    expect(code).toBe(0)
    expect(report).toMatchObject({ verdict: "ok" })
    expect(report?.checks.map(({ check }) => check)).toEqual([
      "cortex",
      "Node",
      "SQLite",
      "ledger",
      "corpus",
      "network"
    ])
    expect(readdirSync(place.folder)).toEqual([])
  })

  it("looks at ledger, corpus and every cassette, and changes nothing", async () => {
    used()
    const before = content()
    const { code, report } = await doctor()
    expect(code).toBe(0)
    const seen = new Map(report?.checks.map((check) => [check.check, check]))
    expect(seen.get("durability")?.seen).toContain("full")
    expect(seen.get("oldest lease")?.seen).toBe("nothing is leased")
    expect(seen.get("growth")?.seen).toContain("2 events")
    for (const name of ["corpus", "cassette documents", "cassette memory", "cassette resident"]) {
      expect(seen.get(name), name).toMatchObject({ state: "ok" })
    }
    expect(content()).toEqual(before)
  })

  it("names the tables of other tools, as each verification does, and they are no fault", async () => {
    used()
    const files = {
      ledger: ["CORTEX/_generated/system3.db", ["cassette", "verify"]],
      corpus: ["CORTEX/_generated/system1.db", ["cache", "verify"]],
      "cassette documents": ["CORTEX/cassettes/documents.db", ["network", "verify", "documents"]]
    } as const
    for (const [name, [file, verify]] of Object.entries(files)) {
      const database = new Database(join(place.folder, file))
      database.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
      database.close()
      const note = expect.stringContaining("no fault: _litestream_seq")
      const { checks } = (await doctor()).report!
      expect(checks).toContainEqual({ check: `${name} companions`, state: "ok", seen: note })
      const { code, document } = await runJson([...verify], { cwd: place.folder })
      expect(code, name).toBe(0)
      expect(document.data).toMatchObject({ verdict: "PASS", warnings: [note] })
      expect((await cortex(...verify)).stderr).toContain("_litestream_seq")
    }
  })

  it("says how an expired lease is let go, and people read it below the line", async () => {
    used()
    await cortex("cassette", "claim", "--run-id", "r", "--worker", "w", "--ttl", "1")
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(await doctor()).toMatchObject({ code: 0, report: { verdict: "advice" } })
    const { stdout } = await cortex("doctor")
    expect(stdout).toMatch(
      /oldest lease +advice .*\n +-> let it wait again.*:\n +cortex cassette requeue --run-id r --step /
    )
    const { code } = await cortex("doctor", "--durability", "normal")
    expect(code).toBe(0)
  })

  it("is 1 when something is broken, with everything else still told", async () => {
    used()
    writeFileSync(join(place.folder, "CORTEX/_generated/system1.db"), "no database")
    writeFileSync(join(place.folder, "CORTEX/cassettes/memory.db"), "no database")
    const { code, report } = await doctor()
    expect(code).toBe(1)
    const problems = report?.checks.filter(({ state }) => state === "problem").map(({ check }) => check)
    expect(problems).toEqual(["corpus", "cassette memory"])
    const told = await cortex("doctor")
    expect(told.code).toBe(1)
    expect(told.stdout).toContain("growth")
    expect(told.stderr).toContain("2 problem(s) found (corpus, cassette memory)")
  })

  it("tells names, and logs without their file, for ledger, corpus and cassettes", async () => {
    used()
    const files = ["_generated/system3.db", "_generated/system1.db", "cassettes/memory.db"].map((name) =>
      join(place.folder, "CORTEX", name)
    )
    for (const file of files) linkSync(file, `${file}.second`)
    const { code, report } = await doctor()
    expect(code).toBe(1)
    const problems = (checks: DoctorReport | undefined) =>
      checks?.checks.filter(({ state }) => state === "problem").map(({ check }) => check)
    expect(problems(report)).toEqual(["ledger place", "corpus place", "cassette memory place"])
    for (const file of files) {
      rmSync(file)
      writeFileSync(`${file}-wal`, Buffer.alloc(5_000, 1))
    }
    const left = (await doctor()).report
    expect(problems(left)).toEqual(["ledger", "corpus", "cassette memory"])
    expect(left?.checks.find(({ state }) => state === "problem")).toMatchObject({
      seen: expect.stringContaining("-wal (5000 bytes"),
      do: expect.stringContaining("put the database file back")
    })
  })

  it("tells a ledger that is none, and a configuration that cannot be read", async () => {
    used()
    writeFileSync(join(place.folder, "CORTEX/_generated/system3.db"), "no database")
    writeFileSync(join(place.folder, "CORTEX/network.yaml"), "network: [")
    const { code, report } = await doctor()
    expect(code).toBe(1)
    const problems = report?.checks.filter(({ state }) => state === "problem").map(({ check }) => check)
    expect(problems).toEqual(["ledger", "network"])
  })
})

describe("advice", () => {
  const at = (name: string) => join(place.folder, "a place", name)
  const here = (...args: ReadonlyArray<string>) =>
    runCli([...args, "--root", "a place"], { cwd: place.folder })
  const mine = ["--db", "a place/my ledger.db"]

  const prepared = async () => {
    mkdirSync(at("docs"), { recursive: true })
    writeFileSync(at("docs/a.md"), "# A\n")
    writeFileSync(join(place.folder, "m.json"), "{}")
    await here("cassette", "post", "--json", "m.json", "--run-id", "a run", "--source", "USER", ...mine)
    await here("index")
    await here("network", "init")
    await here("network", "index")
  }

  const broken: ReadonlyArray<readonly [name: string, breaking: () => Promise<unknown> | void]> = [
    [
      "an expired lease",
      async () => {
        await here("cassette", "claim", "--run-id", "a run", "--worker", "w", "--ttl", "1", ...mine)
        await new Promise((resolve) => setTimeout(resolve, 1_050))
      }
    ],
    [
      "a damaged ledger",
      () => writeFileSync(at("my ledger.db"), readFileSync(at("my ledger.db")).fill(7, 4_096))
    ],
    ["no ledger", () => writeFileSync(at("my ledger.db"), "no database")],
    ["a damaged corpus", () => writeFileSync(at("CORTEX/_generated/system1.db"), "no database")],
    ["a damaged cassette", () => writeFileSync(at("CORTEX/cassettes/memory.db"), "no database")],
    ["a configuration that is none", () => writeFileSync(at("CORTEX/network.yaml"), "network: [")]
  ]

  it.each(broken)("about %s is pasted, and goes to the same place", async (_, breaking) => {
    await prepared()
    await breaking()
    const told = await here("doctor", ...mine)
    expect(told.stdout).not.toContain("see to that")
    const lines = told.stdout.split("\n").flatMap((line) => /^ {7}(cortex .*)$/.exec(line)?.[1] ?? [])
    const { document } = await runJson(["doctor", "--root", "a place", ...mine], { cwd: place.folder })
    const report = (document.data ?? document.error?.details) as DoctorReport | undefined
    const checks = report?.checks ?? []
    expect(lines).toEqual(checks.flatMap(({ run }) => run ?? []))
    for (const { do: what, state } of checks) expect(what !== undefined).toBe(state !== "ok")
    for (const line of lines) {
      const ran = spawnSync("sh", ["-c", `cortex() { printf '%s\\0' "$@"; }; ${line}`], { encoding: "utf8" })
      const args = ran.stdout.split("\0").slice(0, -1)
      const pasted = await runCli(args, { cwd: place.folder })
      expect(pasted.code, line).not.toBe(3)
      expect(pasted.stderr, line).not.toContain("There is no")
      expect(args).toContain("a place")
      expect(args.includes("a place/my ledger.db"), line).toBe(args[0] === "cassette")
    }
  })

  it("about a cassette that was made otherwise names the command that carries it over", async () => {
    used()
    const file = join(place.folder, "CORTEX", "network.yaml")
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace("mutability: mutable", "mutability: stable"))
    const { report } = await doctor()
    const run = "cortex network migrate --cassette documents"
    expect(report?.checks).toContainEqual(expect.objectContaining({ check: "cassette documents", run }))
    const pasted = await cortex(...run.split(" ").slice(1))
    expect(pasted.code, pasted.stderr).toBe(0)
  })

  it("stands on the last line of every refusal too", async () => {
    await prepared()
    const refused = await here("cassette", "status", "--run-id", "typo", ...mine)
    expect(refused.stderr).toContain("cortex cassette status --root 'a place' --db 'a place/my ledger.db'")
  })
})

/** What the doctor prints in a folder whose disk is full. */
const printedOnFullDisk = (folder: string): string => {
  const program = binary
  const script = `cd "$1" && echo '{}' > m.json
"$2" "$3" cassette post --db l.db --json m.json --run-id r --source USER > posted.txt
dd if=/dev/zero of=fill bs=1k 2> /dev/null
"$2" "$3" doctor --db l.db`
  const [command = "", ...args] = onSmallDisk(folder, 400)
  const words = [...args, "sh", "-c", script, "sh", folder, process.execPath, program]
  return spawnSync(command, words, { encoding: "utf8", cwd: folder }).stdout
}

describe("on a full disk", () => {
  it.skipIf(!smallDiskMountable)("a sound ledger is not called damaged, and its file is described", () => {
    const printed = printedOnFullDisk(place.folder)
    expect(printed).toMatch(/^ledger +PROBLEM +No space is left for .*\n +-> make room on the disk$/m)
    expect(printed).toMatch(/^ledger room +advice +0 bytes free$/m)
    expect(printed).not.toContain("damaged")
  })
})
