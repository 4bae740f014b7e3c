// Keys, checkpoints and proofs by the command line alone, as an auditor works: everything that is known of a ledger comes
// out of commands, and what is changed is changed in the bytes of the file.
import { createPublicKey, hash, verify } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Ran, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(() => {
  chmodSync(join(folder, "sealed"), 0o755)
  remove()
})

const at = (name: string): string => join(folder, name)
const cortex = (...args: ReadonlyArray<string>): Promise<Ran> => runCli(args, { cwd: folder })
const printed = async (...args: ReadonlyArray<string>): Promise<string> => {
  const ran = await cortex(...args)
  expect(ran).toMatchObject({ code: 0 })
  return ran.stdout
}
const errorOf = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson(args, { cwd: folder })
  expect(document.ok).toBe(false)
  return {
    code,
    tag: document.error?.code,
    details: document.error?.details,
    message: document.error?.message
  }
}
const findingsOf = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { code, document } = await runJson(["cassette", "verify", "--pure", ...args], { cwd: folder })
  const report = (document.data ?? document.error?.details) as {
    readonly verdict: string
    readonly findings: ReadonlyArray<{ readonly code: string; readonly where: string }>
  }
  expect(code).toBe(report.verdict === "PASS" ? 0 : 1)
  return report.findings.map(({ code, where }) => `${code} ${where}`)
}

const post = (db: string, run: string) =>
  printed("cassette", "post", "--db", db, "--json", "message.json", "--run-id", run, "--source", "USER")
const ledgerIdOf = async (db: string): Promise<string> => {
  const { document } = await runJson(["cassette", "status", "--db", db], { cwd: folder })
  return String(document.data?.["ledger_id"])
}
/** A copy as anyone makes one: the file alone, while no program has it open. */
const copy = (from: string, to: string): string => {
  copyFileSync(at(from), at(to))
  return to
}

let ledgerId: string
let monday: string
let friday: string

beforeAll(async () => {
  mkdirSync(at("sealed"))
  writeFileSync(at("message.json"), '{"intent":"tidy","marker":"alpha"}')
  for (const run of ["r1", "r2", "r3"]) await post("l.db", run)
  ledgerId = await ledgerIdOf("l.db")
  await printed("key", "generate", "--out", "audit.pem")
  const trust = await printed("key", "trust", "--public-key", "audit.pem.pub", "--ledger", ledgerId)
  writeFileSync(at("trust.json"), trust)
  monday = await printed("cassette", "checkpoint", "--db", "l.db", "--key", "audit.pem")
  writeFileSync(at("monday.txt"), monday)
  copy("l.db", "monday.db")
  for (const run of ["r4", "r5", "r6"]) await post("l.db", run)
  await printed("cassette", "checkpoint", "--db", "l.db", "--key", "audit.pem", "--out", "friday.txt")
  friday = readFileSync(at("friday.txt"), "utf8")
})

const signed = ["--checkpoint", "monday.txt", "--trust", "trust.json"] as const

/** Copies a ledger and changes one byte of what a message says, in its event. */
const flip = (from: string, to: string): string => {
  const bytes = readFileSync(at(from))
  // Behind the payload an event's data goes on; a row's column ends there.
  const place = bytes.indexOf('"marker":"alpha"},"')
  expect(place).toBeGreaterThan(0)
  bytes[bytes.indexOf("alpha", place)]! ^= 1
  writeFileSync(at(to), bytes)
  return to
}

describe("key", () => {
  it("generate makes a private key that only its owner reads, and shows none of it", async () => {
    expect(statSync(at("audit.pem")).mode & 0o777).toBe(0o600)
    const { document } = await runJson(["key", "generate", "--out", "second.pem"], { cwd: folder })
    const secret = readFileSync(at("second.pem"), "utf8").split("\n")[1]!
    expect(JSON.stringify(document)).not.toContain(secret)
    expect(document.data).toEqual({
      private_key_file: at("second.pem"),
      public_key_file: at("second.pem.pub"),
      public_key: readFileSync(at("second.pem.pub"), "utf8")
    })
  })

  it("generate writes over nothing", async () => {
    const before = readFileSync(at("audit.pem"), "utf8")
    expect(await errorOf("key", "generate", "--out", "audit.pem")).toMatchObject({
      code: 2,
      tag: "KEY_FILE_EXISTS"
    })
    expect(readFileSync(at("audit.pem"), "utf8")).toBe(before)
    writeFileSync(at("third.pem.pub"), "mine")
    expect(await errorOf("key", "generate", "--out", "third.pem")).toMatchObject({ code: 2 })
    expect(existsSync(at("third.pem"))).toBe(false)
  })

  it("trust prints a file that believes the key for one ledger", () => {
    expect(JSON.parse(readFileSync(at("trust.json"), "utf8"))).toEqual({
      keys: [
        {
          name: `cassette/${ledgerId}`,
          public_key: readFileSync(at("audit.pem.pub"), "utf8"),
          scope: { ledgers: [ledgerId] },
          enabled: true
        }
      ]
    })
  })
})

describe("checkpoint", () => {
  it("prints a note that plain node:crypto verifies", () => {
    const [text = "", signature = ""] = monday.split(/(?<=\n)\n/)
    const [origin, size, root, end] = text.split("\n")
    expect([origin, size, end]).toEqual([`cassette/${ledgerId}`, "4", ""])
    expect(Buffer.from(root!, "base64")).toHaveLength(32)
    const [, name, encoded] = /^— (\S+) (\S+)\n$/.exec(signature) ?? []
    const bytes = Buffer.from(encoded!, "base64")
    const publicKey = createPublicKey(readFileSync(at("audit.pem.pub")))
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(12)
    const keyHash = hash("sha256", Buffer.concat([Buffer.from(`${name}\n\u0001`), raw]), "buffer")
    expect(name).toBe(origin)
    expect(bytes.subarray(0, 4)).toEqual(keyHash.subarray(0, 4))
    expect(verify(null, Buffer.from(text), publicKey, bytes.subarray(4))).toBe(true)
  })

  it("has the root of RFC 6962 over the hashes that the log prints", async () => {
    const lines = (await printed("cassette", "log", "--db", "monday.db", "--format", "json"))
      .trim()
      .split("\n")
    const sha256 = (...parts: ReadonlyArray<Uint8Array>) => hash("sha256", Buffer.concat(parts), "buffer")
    const [a, b, c, d] = lines.map((line) =>
      sha256(Buffer.of(0), Buffer.from((JSON.parse(line) as { hash: string }).hash, "hex"))
    )
    const node = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right)
    expect(lines).toHaveLength(4)
    expect(node(node(a!, b!), node(c!, d!)).toString("base64")).toBe(monday.split("\n")[2])
  })

  it("is the same bytes with --out and in the envelope, and never goes over a file", async () => {
    const args = ["cassette", "checkpoint", "--db", "l.db", "--key", "audit.pem"]
    expect(await printed(...args)).toBe(friday)
    const { document } = await runJson(args, { cwd: folder })
    expect(document.data).toMatchObject({ note: friday, size: 7, origin: `cassette/${ledgerId}` })
    expect(await errorOf(...args, "--out", "friday.txt")).toMatchObject({ code: 2, tag: "INVALID_PARAMS" })
    expect(await errorOf(...args, "--out", "nowhere/n.txt")).toMatchObject({ code: 2, tag: "INVALID_PARAMS" })
    expect(readFileSync(at("friday.txt"), "utf8")).toBe(friday)
  })

  it("signs under another name when told so", async () => {
    const args = ["cassette", "checkpoint", "--db", "l.db", "--key", "audit.pem", "--name"]
    expect(await printed(...args, "ops.example/2026")).toContain("\n— ops.example/2026 ")
    expect(await errorOf(...args, "two words")).toMatchObject({ code: 2, tag: "INVALID_KEY_NAME" })
  })

  it("signs nothing over a chain that does not hold", async () => {
    flip("l.db", "unsound.db")
    const ran = await errorOf("cassette", "checkpoint", "--db", "unsound.db", "--key", "audit.pem")
    expect(ran).toMatchObject({ code: 1, tag: "STORE_CORRUPT", details: { code: "CHAIN_BROKEN" } })
  })
})

describe("verify with what was noted elsewhere", () => {
  it("tells a copy made before from a copy made after an edit of one byte", async () => {
    copy("l.db", "before.db")
    flip("l.db", "after.db")
    const before = readFileSync(at("before.db"))
    const after = readFileSync(at("after.db"))
    expect(before.filter((byte, index) => byte !== after[index])).toHaveLength(1)
    expect(await findingsOf("--db", "before.db", ...signed)).toEqual([])
    expect(await findingsOf("--db", "after.db", ...signed)).not.toEqual([])
    expect(await cortex("cassette", "verify", "--db", "before.db", "--pure")).toMatchObject({ code: 0 })
    const edited = await cortex("cassette", "verify", "--db", "after.db", "--pure")
    expect(edited).toMatchObject({ code: 1, stdout: "" })
    expect(edited.stderr).toMatch(/^FAIL: \d+ issue\(s\) found\nCHAIN_BROKEN event \d+: /)
  })

  it("bears out both checkpoints, and says which rungs were climbed", async () => {
    const { code, document } = await runJson(["cassette", "verify", "--db", "l.db", ...signed], {
      cwd: folder
    })
    expect(code).toBe(0)
    expect(document.data?.["rungs"]).toContainEqual({
      name: "checkpoint",
      findings: 0,
      since: null,
      run_id: null
    })
    expect(await findingsOf("--db", "l.db", "--checkpoint", "friday.txt", "--trust", "trust.json")).toEqual(
      []
    )
  })

  it("says how much of the history stands under the signature", async () => {
    const head = Number((await printed("cassette", "verify", "--db", "l.db")).split(/ +/)[1])
    const size = Number(monday.split("\n")[1])
    expect(await printed("cassette", "verify", "--db", "l.db", ...signed)).toContain(
      `stands: the first ${size} events are those that were signed; the ${head - size} after them are not under it\n`
    )
    const newest = ["--checkpoint", "friday.txt", "--trust", "trust.json"]
    expect(await printed("cassette", "verify", "--db", "l.db", ...newest)).toContain(
      `stands: the first ${head} events are those that were signed\n`
    )
  })

  it("reads the checkpoint or the trust file from standard input, and only one of them", async () => {
    const args = ["cassette", "verify", "--db", "l.db", "--checkpoint"]
    const trust = readFileSync(at("trust.json"))
    const stdin = { cwd: folder, stdin: friday }
    expect(await runCli([...args, "-", "--trust", "trust.json"], stdin)).toMatchObject({ code: 0 })
    const other = await runCli([...args, "friday.txt", "--trust", "-"], { cwd: folder, stdin: trust })
    expect(other).toMatchObject({ code: 0 })
    expect(await errorOf(...args, "-", "--trust", "-")).toMatchObject({ code: 2, tag: "USAGE" })
  })

  it("refuses an older state in the place of the newer one, by checkpoint and by head", async () => {
    const ran = await runJson(["cassette", "verify", "--db", "l.db"], { cwd: folder })
    const head = ran.document.data?.["head"] as { position: number; hash: string }
    const noted = `${head.position}:${head.hash}`
    expect(await findingsOf("--db", "l.db", "--expect-head", noted)).toEqual([])
    expect(await findingsOf("--db", "monday.db")).toEqual([])
    expect(await findingsOf("--db", "monday.db", "--expect-head", noted)).toEqual([
      "HISTORY_REWRITTEN event 7"
    ])
    const newer = ["--checkpoint", "friday.txt", "--trust", "trust.json"]
    expect(await findingsOf("--db", "monday.db", ...newer)).toEqual(["HISTORY_REWRITTEN checkpoint"])
  })

  it("refuses another history with the same ledger id", async () => {
    // The state of monday goes on in another way.
    copy("monday.db", "fork.db")
    for (const run of ["x1", "x2", "x3"]) await post("fork.db", run)
    expect(await findingsOf("--db", "fork.db")).toEqual([])
    expect(await findingsOf("--db", "fork.db", ...signed)).toEqual([])
    const newer = ["--checkpoint", "friday.txt", "--trust", "trust.json"]
    expect(await findingsOf("--db", "fork.db", ...newer)).toEqual(["HISTORY_REWRITTEN checkpoint"])
    const made = ["prove", "consistency", "--db", "fork.db", "--checkpoint", "friday.txt", "--from", "4"]
    expect(await errorOf("cassette", ...made)).toMatchObject({ code: 1, tag: "HISTORY_REWRITTEN" })
  })

  it("checks only what came after a trusted point, and names each narrowed rung", async () => {
    const lines = (await printed("cassette", "log", "--db", "l.db", "--format", "json")).trim().split("\n")
    const { hash } = JSON.parse(lines[3]!) as { hash: string }
    const report = await printed("cassette", "verify", "--db", "l.db", "--since", `4:${hash}`)
    expect(report).toContain("narrowed           chain: only after position 4\n")
    expect(report).toContain("narrowed           projections: only after position 4\n")
    expect(report).toMatch(/\nevents {13}3\n/)
    const [finding] = await findingsOf("--db", "l.db", "--since", `4:${"ab".repeat(32)}`)
    expect(finding).toBe("HISTORY_REWRITTEN event 4")
  })
})

describe("proofs", () => {
  const inclusion = ["cassette", "prove", "inclusion", "--db", "l.db", "--event", "3"]
  const consistency = ["cassette", "prove", "consistency", "--db", "l.db", "--from", "4", "--to", "7"]
  const check = ["cassette", "verify-proof", "--trust", "trust.json", "--proof"]
  const both = ["--old-checkpoint", "monday.txt", "--checkpoint", "friday.txt"]

  const proofFile = (name: string, text: string): string => {
    writeFileSync(at(name), text)
    return name
  }

  it("of inclusion hold against the checkpoint that they are for", async () => {
    const all = proofFile("all.json", await printed(...inclusion))
    const older = proofFile("older.json", await printed(...inclusion, "--size", "4"))
    expect(await printed(...inclusion, "--checkpoint", "monday.txt")).toBe(readFileSync(at(older), "utf8"))
    const shown = await printed(...check, all, "--checkpoint", "friday.txt")
    expect(shown).toMatch(/^proof {3}inclusion holds\norigin {2}cassette\/\S+\nevent {3}3 {2}[0-9a-f]{64}\n/)
    expect(await cortex(...check, older, "--checkpoint", "monday.txt")).toMatchObject({ code: 0 })
    const wrong = await errorOf(...check, all, "--checkpoint", "monday.txt")
    expect(wrong).toMatchObject({ code: 1, tag: "PROOF_REFUSED", details: { reason: "size_differs" } })
  })

  it("of consistency hold between their checkpoints", async () => {
    const text = await printed(...consistency)
    expect(text).toMatch(/^\{"from":4,"kind":"consistency","path":\["[^\n]*"\],"to":7\}\n$/)
    const proof = proofFile("consistency.json", text)
    expect(await printed("cassette", "prove", "consistency", "--db", "l.db", ...both)).toBe(text)
    expect(await printed(...check, proof, ...both)).toContain("proof   consistency holds\n")
    const { document } = await runJson([...check, proof, ...both], { cwd: folder })
    expect(document.data).toMatchObject({ proof: JSON.parse(text), origin: `cassette/${ledgerId}` })
    expect(await runCli([...check, "-", ...both], { cwd: folder, stdin: text })).toMatchObject({ code: 0 })
  })

  it("need as many checkpoints as they are about", async () => {
    const proof = proofFile("consistency.json", await printed(...consistency))
    const one = await errorOf(...check, proof, "--checkpoint", "friday.txt")
    expect(one).toMatchObject({ code: 2, tag: "INVALID_PARAMS" })
    const included = proofFile("all.json", await printed(...inclusion))
    expect(await errorOf(...check, included, ...both)).toMatchObject({ code: 2, tag: "INVALID_PARAMS" })
  })

  it("that are hostile never hold", async () => {
    const text = await printed(...inclusion, "--checkpoint", "monday.txt")
    const honest = JSON.parse(text) as { path: Array<string>; hash: string; size: number; index: number }
    const [first = "", second = ""] = honest.path
    const flipped = `${first.startsWith("0") ? "1" : "0"}${first.slice(1)}`
    const jcs = (proof: object) =>
      `${JSON.stringify(Object.fromEntries(Object.entries({ ...honest, ...proof }).sort(([a], [b]) => (a < b ? -1 : 1))))}\n`
    const leaf = hash("sha256", Buffer.concat([Buffer.of(0), Buffer.from(honest.hash, "hex")]), "hex")
    const verdicts: ReadonlyArray<readonly [string, string, string | undefined]> = [
      ["wrong size", jcs({ size: 3 }), "PROOF_REFUSED"],
      ["a larger size", jcs({ size: 7 }), "PROOF_REFUSED"],
      ["size 0", jcs({ size: 0 }), "NOT_A_PROOF"],
      ["wrong index", jcs({ index: 1 }), "PROOF_REFUSED"],
      ["an index beyond", jcs({ index: 4 }), "PROOF_REFUSED"],
      ["a path that is cut", jcs({ path: [first] }), "PROOF_REFUSED"],
      ["an empty path", jcs({ path: [] }), "PROOF_REFUSED"],
      ["a path that goes on", jcs({ path: [first, second, first] }), "PROOF_REFUSED"],
      ["a flipped bit", jcs({ path: [flipped, second] }), "PROOF_REFUSED"],
      ["an inner node as leaf", jcs({ hash: leaf }), "PROOF_REFUSED"],
      ["a shorter hash", jcs({ hash: honest.hash.slice(2) }), "NOT_A_PROOF"],
      ["trailing garbage", `${text}x`, "NOT_A_PROOF"],
      ["a second line feed", `${text}\n`, "NOT_A_PROOF"],
      ["text that is cut", text.slice(0, -3), "NOT_A_PROOF"],
      ["another spelling", text.replace(":", ": "), "NOT_A_PROOF"],
      ["no proof", "[]", "NOT_A_PROOF"]
    ]
    for (const [name, proof, tag] of verdicts) {
      const file = proofFile("hostile.json", proof)
      const ran = await errorOf(...check, file, "--checkpoint", "monday.txt")
      expect([name, ran.tag, ran.code]).toEqual([name, tag, tag === "NOT_A_PROOF" ? 2 : 1])
    }
  })

  it("are made without a place beside the ledger, and leave none there", async () => {
    const sealed = join("sealed", "l.db")
    if (!existsSync(at(sealed))) copy("l.db", sealed)
    chmodSync(at("sealed"), 0o555)
    try {
      const args = ["cassette", "prove", "inclusion", "--db", sealed, "--event", "3"]
      expect(await printed(...args)).toBe(await printed(...inclusion))
      const ran = await printed("cassette", "checkpoint", "--db", sealed, "--key", "audit.pem")
      expect(ran).toBe(friday)
      // Root writes everywhere; what must hold for it too is that the answers are right.
      if (process.getuid?.() !== 0) expect(readdirSync(at("sealed"))).toEqual(["l.db"])
    } finally {
      chmodSync(at("sealed"), 0o755)
    }
  })

  it("come from a tree that is never believed and is part of no backup", async () => {
    const honest = await printed(...inclusion)
    const tree = at("l.db.merkle")
    expect(existsSync(tree)).toBe(true)
    const spoil: ReadonlyArray<() => void> = [
      () => rmSync(tree),
      () => writeFileSync(tree, readFileSync(tree).subarray(0, 200)),
      () => writeFileSync(tree, readFileSync(tree).fill(7, 130, 160)),
      () => writeFileSync(tree, "")
    ]
    for (const change of spoil) {
      change()
      expect(await printed(...inclusion)).toBe(honest)
    }
    await post("other.db", "r1")
    await printed("cassette", "prove", "inclusion", "--db", "other.db", "--event", "1")
    copy("other.db.merkle", "l.db.merkle")
    expect(await printed(...inclusion)).toBe(honest)
    mkdirSync(at("backup"))
    await printed("cassette", "backup", "--db", "l.db", join("backup", "b.db"))
    expect(readdirSync(at("backup"))).toEqual(["b.db"])
  })
})

describe("bad input", () => {
  it("is refused with exit code 2", async () => {
    await post("neighbour.db", "r1")
    await printed("key", "generate", "--out", "open.pem")
    chmodSync(at("open.pem"), 0o644)
    writeFileSync(at("text.txt"), "hello\n")
    writeFileSync(at("secret.txt"), "hello\n", { mode: 0o600 })
    writeFileSync(at("bytes.txt"), Buffer.of(0xff, 0xfe))
    const make = ["cassette", "checkpoint", "--db", "l.db"]
    const judge = ["cassette", "verify", "--db", "l.db"]
    const prove = ["cassette", "prove"]
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["KEY_FILE_EXPOSED", [...make, "--key", "open.pem"]],
      ["NOT_A_KEY_FILE", [...make, "--key", "missing.pem"]],
      ["NOT_A_KEY_FILE", [...make, "--key", "secret.txt"]],
      ["USAGE", make],
      ["FILE_MISSING", ["cassette", "checkpoint", "--db", "no.db", "--key", "audit.pem"]],
      ["CHECKPOINT_OF_ANOTHER_LEDGER", ["cassette", "verify", "--db", "neighbour.db", ...signed]],
      [
        "CHECKPOINT_OF_ANOTHER_LEDGER",
        [...prove, "inclusion", "--db", "neighbour.db", "--event", "1", "--checkpoint", "monday.txt"]
      ],
      ["USAGE", [...judge, "--checkpoint", "monday.txt"]],
      ["USAGE", [...judge, "--trust", "trust.json"]],
      ["NOT_A_CHECKPOINT", [...judge, "--checkpoint", "text.txt", "--trust", "trust.json"]],
      ["INVALID_PARAMS", [...judge, "--checkpoint", "bytes.txt", "--trust", "trust.json"]],
      ["INVALID_PARAMS", [...judge, "--checkpoint", "missing.txt", "--trust", "trust.json"]],
      ["NOT_A_TRUST_FILE", [...judge, "--checkpoint", "monday.txt", "--trust", "text.txt"]],
      ["NOT_A_TRUST_FILE", [...judge, "--checkpoint", "monday.txt", "--trust", "missing.json"]],
      ["INVALID_PARAMS", [...judge, "--since", "4"]],
      ["INVALID_PARAMS", [...judge, `--since=-1:${"ab".repeat(32)}`]],
      ["INVALID_PARAMS", [...judge, "--expect-head", `4:${"AB".repeat(32)}`]],
      ["INVALID_PARAMS", [...judge, "--expect-head", ""]],
      ["INVALID_PARAMS", [...prove, "inclusion", "--db", "l.db", "--event", "8"]],
      ["USAGE", [...prove, "inclusion", "--db", "l.db", "--event", "0"]],
      ["USAGE", [...prove, "inclusion", "--db", "l.db"]],
      ["INVALID_PARAMS", [...prove, "inclusion", "--db", "l.db", "--event", "5", "--size", "4"]],
      ["USAGE", [...prove, "consistency", "--db", "l.db", "--to", "4"]],
      ["INVALID_PARAMS", [...prove, "consistency", "--db", "l.db", "--from", "5", "--to", "4"]],
      ["INVALID_PARAMS", [...prove, "consistency", "--db", "l.db", "--from", "1", "--to", "8"]],
      ["USAGE", prove],
      ["INVALID_PARAMS", ["key", "generate", "--out", "nowhere/k.pem"]],
      ["USAGE", ["key", "generate"]],
      ["USAGE", ["key", "trust", "--public-key", "audit.pem.pub"]],
      ["INVALID_PARAMS", ["key", "trust", "--public-key", "text.txt", "--ledger", "l"]],
      ["INVALID_PARAMS", ["key", "trust", "--public-key", "small.pub", "--ledger", "l"]],
      ["INVALID_PARAMS", ["key", "trust", "--public-key", "audit.pem.pub", "--ledger", ""]],
      ["INVALID_KEY_NAME", ["key", "trust", "--public-key", "audit.pem.pub", "--ledger", "two words"]]
    ]
    const small = Buffer.concat([Buffer.from("302a300506032b657003210001", "hex"), Buffer.alloc(31)])
    writeFileSync(at("small.pub"), small.toString("base64"))
    for (const [tag, args] of cases) {
      const ran = await errorOf(...args)
      expect([args.join(" "), ran.tag, ran.code]).toEqual([args.join(" "), tag, 2])
    }
  })

  it("of a checkpoint that no trusted key has signed is exit code 1", async () => {
    await printed("key", "generate", "--out", "stranger.pem")
    const stranger = await printed("key", "trust", "--public-key", "stranger.pem.pub", "--ledger", ledgerId)
    writeFileSync(at("stranger.json"), stranger)
    writeFileSync(at("forged.txt"), monday.replace("\n4\n", "\n3\n"))
    const judge = ["cassette", "verify", "--db", "l.db"]
    for (const [reason, ...args] of [
      ["unknown_key", "--checkpoint", "monday.txt", "--trust", "stranger.json"],
      ["wrong_signature", "--checkpoint", "forged.txt", "--trust", "trust.json"]
    ] as const) {
      expect(await errorOf(...judge, ...args)).toMatchObject({
        code: 1,
        tag: "CHECKPOINT_UNTRUSTED",
        details: { reason }
      })
    }
  })
})
