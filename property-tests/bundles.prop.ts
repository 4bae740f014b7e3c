// Properties of bundles: the same bytes from the same job in any process, time zone, locale and order of rows; everything that
// is built verifies; with a change in one place it does not, and a second verifier that shares no line with ours says
// the same; packing is undone by unpacking, and a replay repeats itself.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { packBundle, unpackBundle } from "../application/bundles/pack-bundle.ts"
import { replayBundle } from "../application/bundles/replay-bundle.ts"
import { BundleFindings } from "../domain/bundles/finding-list.ts"
import { checkManifest } from "../domain/bundles/manifest-check.ts"
import { receiptText } from "../domain/bundles/replay.ts"
import { pyText } from "../domain/canonical/py.ts"
import { isJsonObject, type JsonValue } from "../domain/canonical/json.ts"
import { folderDraftLayer } from "../infrastructure/files/folder-draft.ts"
import { bundleFolderLayer } from "../infrastructure/bundles/bundle-folder.ts"
import { isSameFolder } from "../infrastructure/files/same-content.ts"
import { tarArchiveLayer } from "../infrastructure/bundles/tar-archive.ts"
import {
  exitOf,
  hasPython,
  reportOfFolder,
  secondOpinions,
  writeFiles
} from "../infrastructure/bundles/testing/bundle-folders.ts"
import { nodeHashingLayer } from "../infrastructure/hashing/node-hashing.ts"
import { programOf } from "../infrastructure/testing/programs/program.ts"
import { filesOf, randomJob, sha256 } from "./support/bundle-jobs.ts"
import { propParameters, propSeed } from "./support/configuration.ts"

const services = Layer.mergeAll(bundleFolderLayer, folderDraftLayer, tarArchiveLayer, nodeHashingLayer)

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cassette-bundles-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
const freshPath = (): string => join(folder, String(made++))

const hashOfFiles = (files: Readonly<Record<string, string>>): string =>
  sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))

const jobs = (scale: number) =>
  fc.sample(randomJob, { numRuns: propParameters(scale).numRuns, seed: propSeed })

describe("building", () => {
  const child = programOf("property-tests/support/processes/bundle-child.ts")

  for (const [TZ, LANG] of [
    ["Pacific/Kiritimati", "tr_TR.UTF-8"],
    ["America/St_Johns", "C"]
  ]) {
    it(`gives the same bytes in another process, in ${TZ} and ${LANG}, from rows in another order`, () => {
      const sample = jobs(1)
      const { status, stdout } = spawnSync(process.execPath, [child], {
        input: sample.map((job) => `${JSON.stringify(job)}\n`).join(""),
        env: { ...process.env, TZ, LANG, LC_ALL: LANG },
        encoding: "utf8",
        maxBuffer: 1 << 28
      })
      expect(status).toBe(0)
      expect(stdout.trimEnd().split("\n")).toEqual(sample.map((job) => hashOfFiles(filesOf(job))))
    })
  }
})

describe("what was built", () => {
  it("verifies, by both verifiers; is packed and unpacked to itself; is replayed to the same receipt", async () => {
    const paths: Array<string> = []
    for (const job of jobs(0.25)) {
      const path = writeFiles(freshPath(), filesOf(job))
      paths.push(path)
      expect(await reportOfFolder(path)).toMatchObject({ verdict: "PASS", findings: [] })
      const program = Effect.gen(function* () {
        yield* packBundle(path, `${path}.tar`)
        yield* unpackBundle(`${path}.tar`, `${path}-back`)
        yield* packBundle(`${path}-back`, `${path}-back.tar`)
        return [receiptText(yield* replayBundle(path)), receiptText(yield* replayBundle(`${path}-back`))]
      })
      const [one, other] = await Effect.runPromise(Effect.provide(program, services))
      expect(isSameFolder(path, `${path}-back`)).toBe(true)
      expect(readFileSync(`${path}.tar`).equals(readFileSync(`${path}-back.tar`))).toBe(true)
      expect(other).toBe(one)
    }
    if (hasPython) expect(secondOpinions(paths).filter(({ exit }) => exit !== 0)).toEqual([])
  })
})

/** The verdict over the bytes of a manifest alone. */
const verdictOf = (bytes: Uint8Array) => {
  const list = new BundleFindings()
  checkManifest(list, sha256, bytes)
  return list.handedOverVerdict
}

/** A change of one byte: another value, one more, one less. */
const byteChange = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("replace" as const, "insert" as const, "remove" as const),
  byte: fc.integer({ min: 1, max: 255 })
})

type ByteChange = typeof byteChange extends fc.Arbitrary<infer C> ? C : never

const changed = (bytes: Uint8Array, { at, byte, kind }: ByteChange): Uint8Array => {
  const index = at % bytes.length
  const put = kind === "remove" ? [] : [kind === "replace" ? (bytes[index] ?? 0) ^ byte : byte]
  return Uint8Array.from([
    ...bytes.subarray(0, index),
    ...put,
    ...bytes.subarray(kind === "insert" ? index : index + 1)
  ])
}

interface Place {
  readonly path: ReadonlyArray<string>
  readonly value: JsonValue
}

/** Every value in a document, the document itself left out. */
const placesOf = (value: JsonValue, path: ReadonlyArray<string> = []): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const members = Array.isArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : []
  for (const [key, member] of members as ReadonlyArray<readonly [string | number, JsonValue]>) {
    const below = [...path, String(key)]
    places.push({ path: below, value: member }, ...placesOf(member, below))
  }
  return places
}

/** The document with the value at a path replaced, or removed when there is none. */
const replaced = (
  document: JsonValue,
  [key = "", ...rest]: ReadonlyArray<string>,
  value: JsonValue | undefined
): JsonValue => {
  if (Array.isArray(document)) {
    return (document as ReadonlyArray<JsonValue>).flatMap((item, index) => {
      if (String(index) !== key) return [item]
      if (rest.length > 0) return [replaced(item, rest, value)]
      return value === undefined ? [] : [value]
    })
  }
  const entries = Object.entries(document as object) as ReadonlyArray<readonly [string, JsonValue]>
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (name !== key) return [[name, member]]
      if (rest.length > 0) return [[name, replaced(member, rest, value)]]
      return value === undefined ? [] : [[name, value]]
    })
  )
}

/** Other values than this one: of its own type and of others. */
const otherValues = (value: JsonValue): ReadonlyArray<JsonValue | undefined> => {
  const others: ReadonlyArray<JsonValue> = ["", "x", 0, 1, -1, true, null, [], {}, [""], { x: 1 }]
  const near =
    typeof value === "number"
      ? [value > 0 ? value - 1 : value + 1, String(value)]
      : typeof value === "string"
        ? [`${value}x`, value.toUpperCase()]
        : []
  return [undefined, ...others, ...near].filter(
    (other) => other === undefined || pyText(other) !== pyText(value)
  )
}

describe("what was changed in one place", () => {
  it("has no manifest that passes, whichever byte it was", () => {
    fc.assert(
      fc.property(randomJob, fc.array(byteChange, { minLength: 20, maxLength: 20 }), (job, changes) => {
        const bytes = Buffer.from(filesOf(job)["bundle.json"] ?? "")
        for (const change of changes) {
          const other = changed(bytes, change)
          if (!bytes.equals(other)) expect(verdictOf(other)).not.toBe("PASS")
        }
      }),
      propParameters()
    )
  })

  it("has no manifest that passes, whichever field it was", () => {
    fc.assert(
      fc.property(randomJob, fc.array(fc.nat(), { minLength: 10, maxLength: 10 }), (job, picks) => {
        const document = JSON.parse(filesOf(job)["bundle.json"] ?? "") as JsonValue
        const places = placesOf(document)
        for (const pick of picks) {
          const { path, value } = places[pick % places.length]!
          for (const other of otherValues(value)) {
            const text = `${pyText(replaced(document, path, other))}\n`
            expect(verdictOf(Buffer.from(text)), `${path.join("/")} ${JSON.stringify(other)}`).not.toBe(
              "PASS"
            )
          }
        }
      }),
      propParameters(0.25)
    )
  })

  it("fails on disk, with a code, and both verifiers end with the same exit code", async () => {
    const changes = fc.sample(fc.tuple(randomJob, fc.nat(), byteChange), {
      numRuns: propParameters().numRuns,
      seed: propSeed
    })
    const paths = changes.map(([job, which, change]) => {
      const path = writeFiles(freshPath(), filesOf(job))
      const names = Object.keys(filesOf(job)).sort()
      const file = join(path, names[which % names.length] ?? "")
      const bytes = readFileSync(file)
      const other = changed(bytes, change)
      // A byte may go where an equal one stands; then another is put at the end.
      writeFileSync(file, bytes.equals(other) ? Buffer.concat([bytes, Buffer.from("x")]) : other)
      return path
    })
    const opinions = hasPython ? secondOpinions(paths) : []
    for (const [index, path] of paths.entries()) {
      const report = await reportOfFolder(path)
      expect(report.findings.length, path).toBeGreaterThan(0)
      if (hasPython) expect(opinions[index]?.exit, JSON.stringify(report.findings)).toBe(exitOf(report))
    }
  })
})
