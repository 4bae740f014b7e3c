/**
 * Packed bundles: the same file from the same bundle, a file that every tar can read, and no way into a folder for a
 * file that packing could not have made.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { BundleArchive } from "../../application/bundles/bundle-archive.ts"
import { packBundle, unpackBundle } from "../../application/bundles/pack-bundle.ts"
import { MAX_BUNDLE_STEPS } from "../../domain/bundles/limits.ts"
import { TAR_END, tarHeader } from "../../domain/foundation/tar.ts"
import { golden, goldenManifest, goldenText } from "../../domain/bundles/testing/smallest-bundle.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { folderDraftLayer } from "../files/folder-draft.ts"
import { bundleFolderLayer } from "./bundle-folder.ts"
import { isSameFolder } from "../files/same-content.ts"
import { hostileArchives, tarFile } from "../files/testing/hostile-archives.ts"
import { tarArchiveLayer } from "./tar-archive.ts"
import { writeGolden } from "./testing/bundle-folders.ts"

const services = Layer.mergeAll(bundleFolderLayer, folderDraftLayer, tarArchiveLayer, nodeHashingLayer)

const pack = (folder: string, file: string) =>
  Effect.runPromise(Effect.provide(packBundle(folder, file), services))
const unpack = (file: string, folder: string) =>
  Effect.runPromise(Effect.provide(unpackBundle(file, folder), services))

/** The tag of the error that a program ends with. */
const tagOf = async (program: Promise<unknown>): Promise<unknown> =>
  program.then(
    () => "done",
    (error: unknown) => (error as { readonly _tag: string })._tag
  )

const [path = ""] = Object.keys(golden.artifacts)
const manifestText = `${golden.bundle_json_text}\n`

const end = Buffer.alloc(TAR_END)
const artifact = tarFile(path, goldenText)
const manifest = tarFile("bundle.json", manifestText)

describe("a packed bundle", () => {
  it("is these bytes, wherever it is packed", async () => {
    const folder = temporaryFolder()
    const bundle = writeGolden(join(folder, "bundle"))
    expect(await pack(bundle, join(folder, "a.tar"))).toMatchObject({ created: true })
    expect(readFileSync(join(folder, "a.tar"))).toEqual(Buffer.concat([artifact, manifest, end]))
    expect(await pack(join(bundle, "bundle.json"), join(folder, "a.tar"))).toMatchObject({ created: false })
    expect(readdirSync(folder).sort()).toEqual(["a.tar", "bundle"])
  })

  it("is unpacked to the same bundle, by us and by tar", async () => {
    const folder = temporaryFolder()
    const bundle = writeGolden(join(folder, "bundle"))
    await pack(bundle, join(folder, "a.tar"))
    expect(await unpack(join(folder, "a.tar"), join(folder, "back"))).toMatchObject({ created: true })
    expect(isSameFolder(bundle, join(folder, "back"))).toBe(true)
    expect(await unpack(join(folder, "a.tar"), join(folder, "back"))).toMatchObject({ created: false })
    const listed = execFileSync("tar", ["-tvf", join(folder, "a.tar")], {
      encoding: "utf8",
      env: { TZ: "UTC" }
    })
    expect(listed.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^-rw-r--r-- 0\/0 +20 1970-01-01 00:00 artifacts\/[0-9a-f]{16}\.txt$/),
      expect.stringMatching(/^-rw-r--r-- 0\/0 +\d+ 1970-01-01 00:00 bundle\.json$/)
    ])
  })

  it("is not made of a bundle that does not verify, nor over anything", async () => {
    const folder = temporaryFolder()
    const bundle = writeGolden(join(folder, "bundle"))
    writeFileSync(join(folder, "taken"), "")
    expect(await tagOf(pack(bundle, join(folder, "taken")))).toBe("TargetExists")
    expect(await tagOf(pack(bundle, join(folder, "no", "a.tar")))).toBe("InvalidInput")
    writeFileSync(join(bundle, "more"), "")
    expect(await tagOf(pack(bundle, join(folder, "a.tar")))).toBe("UnsoundBundle")
    expect(readdirSync(folder).sort()).toEqual(["bundle", "taken"])
  })

  it("is not made of files that changed since", async () => {
    const folder = temporaryFolder()
    const bundle = writeGolden(join(folder, "bundle"))
    const content = { manifestBytes: Buffer.from(manifestText), artifacts: goldenManifest.artifacts }
    const packed = () =>
      Effect.runPromise(
        Effect.provide(
          BundleArchive.use((archive) => archive.pack(bundle, content, join(folder, "a.tar"))),
          tarArchiveLayer
        )
      )
    for (const text of ["shorter\n", goldenText.replace("alpha", "alphA")]) {
      writeFileSync(join(bundle, path), text)
      expect(await tagOf(packed())).toBe("BundleChanged")
    }
    expect(readdirSync(folder)).toEqual(["bundle"])
  })
})

const hostile: ReadonlyArray<readonly [string, Buffer]> = [
  ...hostileArchives({
    first: [path, goldenText],
    last: ["bundle.json", manifestText],
    stray: "artifacts/readme.txt"
  }),
  ["a manifest of 1 GB", Buffer.concat([Buffer.from(tarHeader("bundle.json", 1_000_000_000)), end])],
  [
    "too many files",
    Buffer.concat([
      ...Array.from({ length: MAX_BUNDLE_STEPS + 2 }, (_, index) =>
        tarFile(`artifacts/${index.toString(16).padStart(16, "0")}.txt`, "")
      ),
      manifest,
      end
    ])
  ]
]

describe("unpacking", () => {
  for (const [name, bytes] of hostile) {
    it(`refuses ${name}, and leaves nothing`, async () => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, "a.tar"), bytes)
      expect(await tagOf(unpack(join(folder, "a.tar"), join(folder, "out")))).toBe("NotABundleArchive")
      expect(readdirSync(folder)).toEqual(["a.tar"])
    })
  }

  it("verifies what comes out before it is anywhere", async () => {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, "a.tar"),
      Buffer.concat([tarFile(path, goldenText.toUpperCase()), manifest, end])
    )
    expect(await tagOf(unpack(join(folder, "a.tar"), join(folder, "out")))).toBe("UnsoundBundle")
    writeFileSync(join(folder, "b.tar"), Buffer.concat([tarFile(path, goldenText), end]))
    expect(await tagOf(unpack(join(folder, "b.tar"), join(folder, "out")))).toBe("UnsoundBundle")
    expect(existsSync(join(folder, "out"))).toBe(false)
  })

  it("refuses what is no file", async () => {
    const folder = temporaryFolder()
    expect(await tagOf(unpack(join(folder, "none"), join(folder, "out")))).toBe("NotABundleArchive")
    expect(await tagOf(unpack(folder, join(folder, "out")))).toBe("NotABundleArchive")
  })
})
