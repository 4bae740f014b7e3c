/**
 * Verification of bundles on disk: the golden bundle passes, every broken one has its finding and verdict, and the
 * second verifier agrees about all of them. Files that change while they are read are found out.
 */
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { BundleSource } from "../../application/bundles/bundle-source.ts"
import { bundleFindingCodes } from "../../domain/bundles/finding.ts"
import { golden, goldenManifest, goldenText, sha256 } from "../../domain/bundles/testing/smallest-bundle.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { bundleFolderLayer } from "./bundle-folder.ts"
import { brokenBundles, soundBundles } from "./testing/broken-bundles.ts"
import { exitOf, hasPython, reportOfFolder, secondOpinions, writeGolden } from "./testing/bundle-folders.ts"

const path = goldenManifest.artifacts[0]?.path ?? ""

describe("the golden bundle", () => {
  it("verifies, by its folder and by its manifest", async () => {
    const folder = writeGolden(join(temporaryFolder(), "bundle"))
    for (const named of [folder, join(folder, "bundle.json"), `${folder}/`]) {
      const report = await reportOfFolder(named)
      expect(report).toMatchObject({ verdict: "PASS", findings: [], bundle_id: golden.bundle_id })
      expect(report.counts).toEqual({ steps: 1, artifacts: 1, bytes_verified: goldenText.length })
    }
  })

  it("verifies through a link that its reader chose", async () => {
    const folder = temporaryFolder()
    symlinkSync(writeGolden(join(folder, "bundle")), join(folder, "link"))
    expect((await reportOfFolder(join(folder, "link"))).verdict).toBe("PASS")
  })
})

describe("a bundle with steps that failed", () => {
  for (const { make, name } of soundBundles) {
    it(`verifies with ${name}, in the eyes of the second verifier too`, async () => {
      const folder = join(temporaryFolder(), "bundle")
      make(folder)
      expect(await reportOfFolder(folder)).toMatchObject({ verdict: "PASS", findings: [] })
      if (hasPython) expect(secondOpinions([folder])[0]).toMatchObject({ exit: 0, codes: [] })
    })
  }
})

describe("a broken bundle", () => {
  for (const { code, make, name, verdict } of brokenBundles) {
    it(`with ${name}: ${code}`, async () => {
      const folder = join(temporaryFolder(), "bundle")
      make(folder)
      const report = await reportOfFolder(folder)
      expect([...new Set(report.findings.map((finding) => finding.code))]).toContain(code)
      expect(report.verdict).toBe(verdict)
    })
  }

  it.skipIf(!hasPython)(
    "is broken in the eyes of the second verifier too, and to the same degree",
    async () => {
      const folder = temporaryFolder()
      const paths = brokenBundles.map(({ make }, index) => {
        const made = join(folder, String(index))
        make(made)
        return made
      })
      const opinions = secondOpinions([...paths, writeGolden(join(folder, "golden"))])
      expect(opinions.at(-1)).toMatchObject({ exit: 0, codes: [] })
      for (const [index, { code, name }] of brokenBundles.entries()) {
        const report = await reportOfFolder(paths[index] ?? "")
        expect(opinions[index], name).toMatchObject({ exit: exitOf(report) })
        expect(opinions[index]?.codes, name).toContain(code)
      }
    }
  )

  it("is shown for every code that a folder alone can have", () => {
    const shown = new Set(brokenBundles.map(({ code }) => code))
    const missing = Object.keys(bundleFindingCodes).filter((code) => !shown.has(code as "FILE_KIND"))
    expect(missing).toEqual([
      "FILE_UNREADABLE",
      "FILE_CHANGED",
      "ATTESTATION_MISSING",
      "ATTESTATION_INVALID",
      "ATTESTATION_SUBJECT",
      "ATTESTATION_UNTRUSTED"
    ])
  })
})

describe("a folder that cannot be looked at", () => {
  it.skipIf(process.platform === "win32")("is an error, not a bundle with missing files", async () => {
    const folder = temporaryFolder()
    symlinkSync("loop", join(folder, "loop"))
    for (const bundle of [join(folder, "loop", "bundle"), join(folder, "loop", "bundle", "bundle.json")]) {
      await expect(reportOfFolder(bundle)).rejects.toMatchObject({
        _tag: "FileUnreadable",
        path: bundle,
        code: "ELOOP"
      })
    }
  })

  it("has missing files when it is not there, or is no folder", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "file"), "")
    for (const missing of ["none", "file", "file/below"]) {
      const { findings } = await reportOfFolder(join(folder, missing))
      expect(findings).toMatchObject([{ code: "MANIFEST_MISSING" }])
    }
  })
})

describe("reading", () => {
  const opened = (folder: string) =>
    Effect.runPromise(
      Effect.provide(
        BundleSource.use((source) => source.open(folder)),
        bundleFolderLayer
      )
    )

  /** A text of many pieces with characters of every length, so that some lie across two pieces. */
  const long = `${"aé€😀".repeat(100_000)}\n`

  it("finds the same in many pieces as in one", async () => {
    const folder = writeGolden(join(temporaryFolder(), "bundle"))
    for (const shift of ["", "x", "xx", "xxx", "xxxx", "xxxxx"]) {
      const text = `${shift}${long}`
      writeFileSync(join(folder, path), text)
      const bundle = await opened(folder)
      expect(await Effect.runPromise(bundle.artifact(path, Buffer.byteLength(text)))).toEqual({
        bytes: Buffer.byteLength(text),
        sha256: sha256(text),
        isUtf8: true,
        hasCarriageReturn: false,
        hasByteOrderMark: false,
        endsWithLineFeed: true
      })
    }
  })

  it("finds what is wrong at the end of many pieces", async () => {
    const folder = writeGolden(join(temporaryFolder(), "bundle"))
    const bytes = Buffer.concat([Buffer.from(long), Buffer.from([0x0d, 0xf0, 0x9f, 0x98])])
    writeFileSync(join(folder, path), bytes)
    const bundle = await opened(folder)
    expect(await Effect.runPromise(bundle.artifact(path, bytes.length))).toMatchObject({
      isUtf8: false,
      hasCarriageReturn: true,
      endsWithLineFeed: false
    })
  })

  it("finds a file out that grows or is replaced between its pieces", async () => {
    const text = "a".repeat(40_000_000)
    const changes = [
      (file: string) => appendFileSync(file, "b"),
      (file: string) => {
        writeFileSync(`${file}.new`, text)
        renameSync(`${file}.new`, file)
      }
    ]
    for (const change of changes) {
      const folder = writeGolden(join(temporaryFolder(), "bundle"))
      const file = join(folder, path)
      writeFileSync(file, text)
      const bundle = await opened(folder)
      const read = Effect.runPromise(Effect.flip(bundle.artifact(path, text.length)))
      // The first turn has been read by now, and the file is still open.
      change(file)
      expect(await read).toMatchObject({ fault: "changed" })
      expect(await Effect.runPromise(bundle.changedFolders)).toEqual(
        change === changes[1] ? ["artifacts"] : []
      )
    }
  })

  it("finds names out that come after the listing", async () => {
    const folder = writeGolden(join(temporaryFolder(), "bundle"))
    const bundle = await opened(folder)
    mkdirSync(join(folder, "more"))
    expect(await Effect.runPromise(bundle.changedFolders)).toEqual(["."])
  })
})
