/**
 * Bundles on disk for tests: the golden one written out, and the second verifier, which is a Python program and is
 * asked only where there is a Python. Outside tests nothing may import it.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { verifyBundle } from "../../../application/bundles/verify-bundle.ts"
import type { BundleReport } from "../../../domain/bundles/finding.ts"
import { golden } from "../../../domain/bundles/testing/smallest-bundle.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import { bundleFolderLayer } from "../bundle-folder.ts"

const script = fileURLToPath(new URL("verify_bundle.py", import.meta.url))

/** Writes files by their paths below a folder, which is made. */
export const writeFiles = (folder: string, files: Readonly<Record<string, string | Uint8Array>>): string => {
  mkdirSync(join(folder, "artifacts"), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** The golden bundle in a new folder, with files added or replaced. */
export const writeGolden = (folder: string, files: Readonly<Record<string, string | Uint8Array>> = {}) =>
  writeFiles(folder, { "bundle.json": `${golden.bundle_json_text}\n`, ...golden.artifacts, ...files })

/** What our verifier reports. */
export const reportOfFolder = (path: string): Promise<BundleReport> =>
  Effect.runPromise(
    Effect.provide(verifyBundle(path), Layer.mergeAll(bundleFolderLayer, nodeHashingLayer))
  ).then(({ report }) => report)

/** The exit code that a report calls for. */
export const exitOf = ({ verdict }: BundleReport): 0 | 1 | 2 =>
  verdict === "PASS" ? 0 : verdict === "FAIL" ? 1 : 2

/** True when there is a Python 3 to ask. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0

interface SecondOpinion {
  readonly path: string
  readonly exit: 0 | 1 | 2
  readonly codes: ReadonlyArray<string>
}

/** What the second verifier says of each path. */
export const secondOpinions = (paths: ReadonlyArray<string>): ReadonlyArray<SecondOpinion> =>
  execFileSync("python3", [script], { input: `${paths.join("\n")}\n`, encoding: "utf8" })
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SecondOpinion)
