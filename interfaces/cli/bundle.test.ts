// `cortex bundle` through the same main function as the binary: exit codes, envelopes and words of every command.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import {
  bytesOf,
  golden,
  goldenManifest,
  goldenText,
  rehashed,
  sha256
} from "../../domain/bundles/testing/smallest-bundle.ts"
import { brokenBundles } from "../../infrastructure/bundles/testing/broken-bundles.ts"
import { writeGolden } from "../../infrastructure/bundles/testing/bundle-folders.ts"
import { bundleLayer, finishJob, type JobOptions } from "../../infrastructure/bundles/testing/finished-job.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"
import { secondsPass } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const options = { cwd: folder }
let made = 0
const freshPath = () => join(folder, `bundle-${made++}`)

describe("bundle verify", () => {
  it("passes a sound bundle", async () => {
    const path = writeGolden(freshPath())
    const ran = await runCli(["bundle", "verify", path], options)
    expect(ran).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
    expect(ran.stdout).toContain(golden.bundle_id)
    const { code, document } = await runJson(["bundle", "verify", join(path, "bundle.json")], options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ verdict: "PASS", bundle_id: golden.bundle_id, findings: [] })
  })

  it("ends with 1 and the findings when something is wrong", async () => {
    const path = writeGolden(freshPath())
    const [file = ""] = Object.keys(golden.artifacts)
    writeFileSync(join(path, file), goldenText.replace("alpha", "alphA"))
    const ran = await runCli(["bundle", "verify", path], options)
    expect(ran).toMatchObject({ code: 1, stdout: "" })
    expect(ran.stderr).toContain("FAIL: 1 issue(s) found\nHASH_MISMATCH artifacts/")
    const { document } = await runJson(["bundle", "verify", path], options)
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: { verdict: "FAIL", findings: [{ code: "HASH_MISMATCH", where: file }] }
    })
  })

  it("ends with 2 when it is no bundle", async () => {
    const path = writeGolden(freshPath())
    renameSync(join(path, "bundle.json"), join(path, "manifest.json"))
    const { code, document } = await runJson(["bundle", "verify", path], options)
    expect(code).toBe(2)
    expect(document.error).toMatchObject({ code: "INVALID_BUNDLE", details: { verdict: "INVALID" } })
    rmSync(path, { recursive: true })
    expect((await runCli(["bundle", "verify", path], options)).code).toBe(2)
    expect((await runCli(["bundle", "verify", ""], options)).code).toBe(2)
    expect((await runCli(["bundle", "verify"], options)).code).toBe(2)
  })

  it("has the exit code of the verdict for every kind of broken bundle", async () => {
    for (const { make, name, verdict } of brokenBundles) {
      const path = freshPath()
      make(path)
      const { code } = await runCli(["bundle", "verify", path], options)
      expect(code, name).toBe(verdict === "FAIL" ? 1 : 2)
    }
  })
})

/** A root folder whose ledger has a finished job, and the job. */
const rootWithJob = async (options?: JobOptions) => {
  const root = freshPath()
  const reads = [
    { ref: "@DOCS/readme", slice: "lines[0:2]", text: "# Title" },
    { ref: "5".repeat(64), slice: "head(5)", text: "ends\n" }
  ]
  const databases = bundleLayer(join(root, "CORTEX", "_generated"))
  const job = await Effect.runPromise(Effect.provide(finishJob(reads, options), databases))
  return { root, job, flags: ["--root", root, "--run-id", job.run_id, "--job-id", job.job_id] }
}

describe("bundle build", () => {
  it("makes a bundle that verifies, and the same bundle again", async () => {
    const { flags, job, root } = await rootWithJob()
    const build = ["bundle", "build", ...flags, "--out", join(root, "out")]
    const { code, document } = await runJson(build, options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ ...job, created: true, counts: { steps: 2, artifacts: 2 } })
    expect((await runCli(["bundle", "verify", join(root, "out")], options)).code).toBe(0)
    const terminal = { isTerminal: (stream: string) => stream === "stderr", elapsedMillis: secondsPass() }
    const again = await runCli(build, { ...options, host: terminal })
    expect(again.stdout).toContain("(it was there already, the same)")
    expect(again.stderr).toMatch(/building the bundle: artifact 2 of 2\r.\[K$/)
  })

  it("says what forbids it, and leaves nothing", async () => {
    const { flags, root } = await rootWithJob({ waiting: 1 })
    const out = ["--out", join(root, "out")]
    const { code, document } = await runJson(["bundle", "build", ...flags, ...out], options)
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "JOB_INCOMPLETE",
      details: { open_steps: [expect.any(String)] }
    })
    expect(
      (await runCli(["bundle", "build", ...flags, "--out", join(root, "no", "out")], options)).code
    ).toBe(1)
    expect((await runCli(["bundle", "build", ...flags, "--out", ""], options)).code).toBe(2)
    expect((await runCli(["bundle", "build", ...flags, ...out, "--cache", "jsonl"], options)).code).toBe(1)
    expect(
      (await runCli(["bundle", "build", "--root", folder, ...flags.slice(2), ...out], options)).code
    ).toBe(2)
    expect(existsSync(join(root, "out"))).toBe(false)
  })
})

/** A golden bundle whose text differs, with all its hashes right. */
const writeOther = (): string => {
  const text = goldenText.replace("alpha", "omega")
  const [artifact] = goldenManifest.artifacts
  const artifacts = [{ ...artifact!, sha256: sha256(text) }]
  const manifest = rehashed({ ...goldenManifest, artifacts })
  return writeGolden(freshPath(), { "bundle.json": bytesOf(manifest), [artifact!.path]: text })
}

/** A golden bundle that has something more in its folder. */
const writeUnsound = (): string => writeGolden(freshPath(), { more: "" })

describe("bundle show", () => {
  it("shows names, hashes and steps, or the manifest", async () => {
    const path = writeGolden(freshPath())
    const { stdout } = await runCli(["bundle", "show", path], options)
    expect(stdout).toContain(golden.bundle_id)
    expect(stdout).toMatch(/\n1 {2}READ_SECTION {2}[0-9a-f]{64} {2}lines\[0:3\] {2}20 bytes\n$/)
    const { document } = await runJson(["bundle", "show", path], options)
    expect(document.data).toEqual(goldenManifest)
    expect((await runCli(["bundle", "show", writeUnsound()], options)).code).toBe(1)
  })
})

describe("bundle diff", () => {
  it("ends with 0 when the bundles are the same", async () => {
    const [left, right] = [writeGolden(freshPath()), writeGolden(freshPath())]
    const { code, document } = await runJson(["bundle", "diff", left, right], options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ verdict: "SAME", differences: [] })
  })

  it("ends with 1 and what differs", async () => {
    const [left, right] = [writeGolden(freshPath()), writeOther()]
    const { code, stdout } = await runCli(["bundle", "diff", left, right], options)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^bundle_id\n- "[0-9a-f]{64}"\n\+ "[0-9a-f]{64}"\nroot_hash\n/)
    expect(stdout).toContain("sha256\n- ")
    const { document } = await runJson(["bundle", "diff", left, right], options)
    expect(document.error).toMatchObject({ code: "DIFFERENT", details: { verdict: "DIFFERENT" } })
  })

  it("ends with 2 when one of them does not verify, in any way", async () => {
    const good = writeGolden(freshPath())
    for (const bad of [writeUnsound(), freshPath()]) {
      expect((await runCli(["bundle", "diff", good, bad], options)).code).toBe(2)
      expect((await runJson(["bundle", "diff", bad, good], options)).document.error?.code).toBe(
        "INVALID_BUNDLE"
      )
    }
  })
})

describe("bundle pack and unpack", () => {
  it("go there and back", async () => {
    const path = writeGolden(freshPath())
    const file = `${path}.tar`
    expect((await runCli(["bundle", "pack", path, file], options)).stdout).toContain(`made ${file}`)
    const { code, document } = await runJson(["bundle", "unpack", file, `${path}-back`], options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ created: true, report: { verdict: "PASS" } })
    expect((await runCli(["bundle", "diff", path, `${path}-back`], options)).code).toBe(0)
  })

  it("refuse what is taken, unsound or no archive", async () => {
    const path = writeGolden(freshPath())
    writeFileSync(`${path}.tar`, "no archive")
    expect((await runCli(["bundle", "pack", path, `${path}.tar`], options)).code).toBe(1)
    expect((await runCli(["bundle", "pack", writeUnsound(), freshPath()], options)).code).toBe(1)
    const { code, document } = await runJson(["bundle", "unpack", `${path}.tar`, freshPath()], options)
    expect([code, document.error?.code]).toEqual([2, "NOT_A_BUNDLE_ARCHIVE"])
  })
})

describe("what is made", () => {
  it("never lies in a bundle, and the bundle stays whole", async () => {
    const path = writeGolden(freshPath())
    const packed = freshPath()
    const db = freshPath()
    expect((await runCli(["bundle", "pack", path, packed], options)).code).toBe(0)
    expect((await runCli(["key", "generate", "--out", `${packed}.key`], options)).code).toBe(0)
    const post = ["cassette", "post", "--json", "-", "--run-id", "r", "--source", "USER"]
    const input = { ...options, stdin: '{"intent":"tidy"}' }
    expect((await runCli([...post, "--db", db], input)).code).toBe(0)
    const inside = join(path, "artifacts", "x")
    const commands = [
      ["bundle", "pack", path, join(path, "x.tar")],
      ["bundle", "unpack", packed, inside],
      ["bundle", "replay", path, "--out", inside],
      ["bundle", "sign", path, "--key", `${packed}.key`, "--out", inside],
      ["key", "generate", "--out", inside],
      ["cassette", "backup", "--db", db, inside],
      ["cassette", "rebuild", "--db", db, "--to", inside],
      ["cassette", "checkpoint", "--db", db, "--key", `${packed}.key`, "--out", inside],
      [...post, "--db", inside]
    ]
    for (const command of commands) {
      const { code, document } = await runJson(command, input)
      expect([command.join(" "), code, document.error?.code]).toEqual([
        command.join(" "),
        2,
        "INVALID_PARAMS"
      ])
      expect(document.error?.message).toContain("nothing else may stand in it: choose another place")
    }
    expect((await runCli(["bundle", "verify", path], options)).code).toBe(0)
  })
})

describe("bundle replay", () => {
  it("gives the same receipt every time, wherever the bundle lies", async () => {
    const [first, second] = [writeGolden(freshPath()), writeGolden(freshPath())]
    const [one, two] = [
      await runCli(["bundle", "replay", first], options),
      await runCli(["bundle", "replay", join(second, "bundle.json")], options)
    ]
    expect(one).toMatchObject({ code: 0, stderr: "" })
    expect(two.stdout).toBe(one.stdout)
    const { document } = await runJson(["bundle", "replay", first], options)
    expect(document.data).toEqual(JSON.parse(one.stdout))
  })

  it("chains receipts, and says whether one still comes out", async () => {
    const path = writeGolden(freshPath())
    const receipt = `${path}.receipt`
    expect((await runCli(["bundle", "replay", path, "--out", receipt], options)).stdout).toContain("SUCCESS")
    expect((await runCli(["bundle", "replay", path, "--expect", receipt], options)).code).toBe(0)
    const next = await runCli(["bundle", "replay", path, "--parent", receipt], options)
    const { receipt_hash } = JSON.parse(readFileSync(receipt, "utf8")) as { readonly receipt_hash: string }
    expect(JSON.parse(next.stdout)).toMatchObject({ parent_receipt_hash: receipt_hash })
    const { code, document } = await runJson(["bundle", "replay", writeOther(), "--expect", receipt], options)
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "DIFFERENT",
      details: { differences: [{ where: expect.stringMatching(/^\//) }] }
    })
    const piped = await runCli(["bundle", "replay", path, "--expect", "-"], {
      ...options,
      stdin: next.stdout
    })
    expect(piped.stderr).toContain("1 difference(s), the first at /parent_receipt_hash")
  })

  it("refuses bundles that do not verify, receipts that are none and files that are taken", async () => {
    const path = writeGolden(freshPath())
    writeFileSync(`${path}.receipt`, "{}")
    expect((await runCli(["bundle", "replay", writeUnsound()], options)).code).toBe(1)
    const parent = await runJson(["bundle", "replay", path, "--parent", `${path}.receipt`], options)
    expect([parent.code, parent.document.error?.code]).toEqual([2, "NOT_A_REPLAY_RECEIPT"])
    expect((await runCli(["bundle", "replay", path, "--out", `${path}.receipt`], options)).code).toBe(2)
    expect((await runCli(["bundle", "replay", path, "--parent", "-", "--expect", "-"], options)).code).toBe(2)
  })
})

describe("bundle sign", () => {
  /** A signed bundle, the key, and a trust file that believes it for a run. */
  const signed = async (prefix: string) => {
    const path = writeGolden(freshPath())
    const [key, trust] = [`${path}.key`, `${path}.trust`]
    expect((await runCli(["key", "generate", "--out", key], options)).code).toBe(0)
    const public_key = readFileSync(`${key}.pub`, "utf8")
    const keys = [{ name: "builder", public_key, scope: { run_prefixes: [prefix] }, enabled: true }]
    writeFileSync(trust, JSON.stringify({ keys }))
    const { code, document } = await runJson(["bundle", "sign", path, "--key", key], options)
    expect(code).toBe(0)
    expect(document.data).toEqual({ file: `${path}.dsse.json` })
    return { path, key, verify: ["bundle", "verify", path, "--trust", trust] }
  }

  it("makes an attestation beside the bundle that verify believes", async () => {
    const { path, verify } = await signed("run_")
    const { code, document } = await runJson([...verify, "--require-attestation"], options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ verdict: "PASS", signers: ["builder"] })
    const line = /^signer +(.*)$/m
    expect((await runCli(verify, options)).stdout.match(line)?.[1]).toBe("builder")
    const alone = await runCli(["bundle", "verify", path], options)
    expect(alone.code).toBe(0)
    expect(alone.stdout.match(line)?.[1]).toMatch(/^none: /)
  })

  it("is not believed for another run, about another bundle, or when it is gone", async () => {
    const scoped = await signed("other_")
    const codeOf = async (args: ReadonlyArray<string>) => {
      const { code, document } = await runJson(args, options)
      const details = document.error?.details as {
        readonly findings: ReadonlyArray<{ readonly code: string }>
      }
      return [code, details.findings.map((finding) => finding.code)]
    }
    expect(await codeOf(scoped.verify)).toEqual([1, ["ATTESTATION_UNTRUSTED"]])
    const { path, verify } = await signed("run_1")
    const other = ["bundle", "verify", writeOther(), ...verify.slice(3), "--attestation", `${path}.dsse.json`]
    expect(await codeOf(other)).toEqual([1, ["ATTESTATION_SUBJECT"]])
    writeFileSync(`${path}.dsse.json`, "{}")
    expect(await codeOf(verify)).toEqual([1, ["ATTESTATION_INVALID"]])
    rmSync(`${path}.dsse.json`)
    expect(await codeOf([...verify, "--require-attestation"])).toEqual([1, ["ATTESTATION_MISSING"]])
    const unsigned = await runCli(verify, options)
    expect(unsigned.code).toBe(0)
    expect(unsigned.stderr).toContain("no key vouches for this bundle")
  })

  it("never writes into the bundle or over a file, and signs nothing unsound", async () => {
    const { key, path } = await signed("run_")
    const sign = ["bundle", "sign", path, "--key", key]
    expect((await runCli(sign, options)).code).toBe(2)
    expect((await runCli([...sign, "--out", join(path, "dsse.json")], options)).code).toBe(2)
    expect((await runCli(["bundle", "sign", writeUnsound(), "--key", key], options)).code).toBe(1)
    expect((await runCli(["bundle", "verify", path, "--require-attestation"], options)).code).toBe(2)
    expect((await runCli(["bundle", "verify", path, "--attestation", "x"], options)).code).toBe(2)
  })
})
