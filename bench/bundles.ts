// Verification of bundles against the least that it could be: for large artifacts SHA-256 over the same files in pieces,
// for many small ones a bare loop of open, read and hash. Memory is that of a process of its own that verifies a bundle
// of BENCH_BUNDLE_MB megabytes.
import { spawnSync } from "node:child_process"
import { createHash, hash } from "node:crypto"
import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { artifactIdOf, bundleIdOf, planHashOf, rootHashOf } from "../domain/bundles/hashes.ts"
import {
  artifactPath,
  BUNDLE_VERSION,
  inputsOf,
  type Manifest,
  type ManifestArtifact,
  type ManifestStep
} from "../domain/bundles/manifest.ts"
import { pyText } from "../domain/canonical/py.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { verifyBundle } from "../interfaces/bundle/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const MEGABYTE = 1_048_576

/** Text of a length in bytes, other for every number, that ends with a line feed; some of it is not ASCII. */
const textOf = (number: number, bytes: number): Buffer => {
  const sentence = `${number} is the number of this artifact, von dem hier größere Mengen stehen.\n`
  const text = Buffer.alloc(bytes, sentence)
  // The last sentence may be cut within a character.
  text.fill("x", Math.max(0, bytes - 100))
  text[bytes - 1] = 0x0a
  return text
}

/** Writes a bundle of so many artifacts of one size; gives the paths of its artifacts. */
const writeBundle = (folder: string, count: number, bytes: number): ReadonlyArray<string> => {
  mkdirSync(join(folder, "artifacts"), { recursive: true })
  const slice = "lines[0:9]"
  const steps: Array<ManifestStep> = []
  const artifacts: Array<ManifestArtifact> = []
  for (let number = 1; number <= count; number++) {
    const ref = `@BENCH/${number}`
    const artifact_id = artifactIdOf(sha256, ref, slice)
    const text = textOf(number, bytes)
    const path = artifactPath(artifact_id)
    writeFileSync(join(folder, path), text)
    artifacts.push({
      artifact_id,
      kind: "SYMBOL_SLICE",
      ref,
      slice,
      path,
      sha256: hash("sha256", text),
      bytes
    })
    steps.push({
      step_id: `step_${number}`,
      ordinal: number,
      op: "READ_SYMBOL",
      refs: { symbol_id: ref },
      constraints: { slice },
      expected_outputs: {}
    })
  }
  artifacts.sort((left, right) => (left.artifact_id < right.artifact_id ? -1 : 1))
  const unnamed: Manifest = {
    bundle_version: BUNDLE_VERSION,
    bundle_id: "",
    run_id: "bench",
    job_id: "job",
    message_id: "message",
    plan_hash: planHashOf(sha256, "bench", steps),
    steps,
    inputs: inputsOf(steps),
    artifacts,
    hashes: { root_hash: rootHashOf(sha256, artifacts) },
    provenance: {}
  }
  writeFileSync(
    join(folder, "bundle.json"),
    `${pyText({ ...unnamed, bundle_id: bundleIdOf(sha256, unnamed) })}\n`
  )
  return artifacts.map(({ path }) => join(folder, path))
}

const verify = async (folder: string): Promise<void> => {
  const { verdict } = await Effect.runPromise(verifyBundle(folder))
  if (verdict !== "PASS") throw new Error("the bundle of the benchmark does not verify")
}

/** SHA-256 in pieces over files, and nothing else. */
const hashInPieces = (files: ReadonlyArray<string>): void => {
  const buffer = Buffer.allocUnsafe(262_144)
  for (const file of files) {
    const descriptor = openSync(file, "r")
    const state = createHash("sha256")
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      state.update(buffer.subarray(0, read))
    }
    state.digest("hex")
    closeSync(descriptor)
  }
}

const hashWhole = (files: ReadonlyArray<string>): void => {
  for (const file of files) hash("sha256", readFileSync(file))
}

/** The most memory (MB) that a process takes to verify a bundle. */
const peakMemory = (folder: string): number => {
  const program = `
    import * as Effect from "effect/Effect"
    import { verifyBundle } from ${JSON.stringify(new URL("../interfaces/bundle/index.ts", import.meta.url).href)}
    const { verdict } = await Effect.runPromise(verifyBundle(${JSON.stringify(folder)}))
    console.log(verdict, process.resourceUsage().maxRSS)`
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    cwd: import.meta.dirname
  })
  const [, kilobytes] = /^PASS (\d+)/.exec(stdout) ?? []
  if (kilobytes === undefined) throw new Error("the process of the benchmark did not verify its bundle")
  return Number(kilobytes) / 1_024
}

export const benchmark: Benchmark = {
  description: "verification of bundles against bare SHA-256, and its memory",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 7)
      const megabytes = setting("BENCH_BUNDLE_MB", 512)
      const small = setting("BENCH_ARTIFACTS", 10_000)
      const large = Math.max(1, Math.floor(megabytes / 64))
      const [largeFolder, smallFolder] = [join(folder, "large"), join(folder, "small")]
      const largeFiles = writeBundle(largeFolder, large, 64 * MEGABYTE)
      const smallFiles = writeBundle(smallFolder, small, 1_000)
      const contestants = {
        large: () => rateOf(large * 64, () => verify(largeFolder)),
        largeFloor: () => rateOf(large * 64, () => hashInPieces(largeFiles)),
        small: () => rateOf(small, () => verify(smallFolder)),
        smallFloor: () => rateOf(small, () => hashWhole(smallFiles))
      }
      await compare(2, contestants)
      const figures = await compare(repeats, contestants)
      return {
        place,
        settings: { repeats, bundle_mb: large * 64, small_artifacts: small, small_bytes: 1_000 },
        lines: [
          line(
            "large artifacts",
            "MB per second",
            figures.large,
            figures.largeFloor,
            "70 % of SHA-256 in pieces"
          ),
          line(
            "small artifacts",
            "artifacts per second",
            figures.small,
            figures.smallFloor,
            "50 % of the bare loop"
          ),
          line("peak memory, large artifacts", "MB", [peakMemory(largeFolder)], undefined, "under 150 MB")
        ]
      }
    })
}
