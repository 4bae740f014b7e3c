/**
 * Bundles that are wrong in one place, each with the finding and the verdict that it must have. Where it can be, all
 * hashes are right again, so that nothing but the fault itself can be found. Outside tests nothing may import it.
 */
import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BundleFindingCode, BundleReport } from "../../../domain/bundles/finding.ts"
import { artifactIdOf } from "../../../domain/bundles/hashes.ts"
import { artifactPath, type Manifest, type ManifestStep } from "../../../domain/bundles/manifest.ts"
import {
  bytesOf,
  golden,
  goldenManifest,
  goldenText,
  rehashed,
  sha256
} from "../../../domain/bundles/testing/smallest-bundle.ts"
import { writeGolden } from "./bundle-folders.ts"

export interface BrokenBundle {
  readonly name: string
  readonly code: BundleFindingCode
  readonly verdict: BundleReport["verdict"]
  /** Makes the bundle in a folder that does not exist yet. */
  readonly make: (folder: string) => void
}

const text = `${golden.bundle_json_text}\n`
const [onlyStep, onlyArtifact] = [goldenManifest.steps[0]!, goldenManifest.artifacts[0]!]
const onlyPath = onlyArtifact.path

const fail = (name: string, code: BundleFindingCode, make: BrokenBundle["make"]): BrokenBundle => ({
  name,
  code,
  verdict: "FAIL",
  make
})

/** The golden folder, changed after it was written. */
const folder = (name: string, code: BundleFindingCode, change: (folder: string) => void): BrokenBundle =>
  fail(name, code, (path) => {
    writeGolden(path)
    change(path)
  })

/** The golden manifest with members replaced and all hashes made right. */
const consistent = (name: string, code: BundleFindingCode, changes: object): BrokenBundle =>
  fail(name, code, (path) => {
    writeGolden(path, { "bundle.json": bytesOf(rehashed({ ...goldenManifest, ...changes } as Manifest)) })
  })

/** The golden manifest with members replaced and its hashes left as they were. */
const stated = (name: string, code: BundleFindingCode, changes: object): BrokenBundle =>
  fail(name, code, (path) => {
    writeGolden(path, { "bundle.json": bytesOf({ ...goldenManifest, ...changes }) })
  })

const manifestText = (
  name: string,
  code: BundleFindingCode,
  bytes: string | Uint8Array,
  verdict: BundleReport["verdict"] = "INVALID"
): BrokenBundle => ({
  name,
  code,
  verdict,
  make: (path) => {
    writeGolden(path, { "bundle.json": bytes })
  }
})

const invalid = (name: string, changes: object): BrokenBundle => ({
  ...stated(name, "FIELD_INVALID", changes),
  verdict: "INVALID"
})

const without = (name: keyof Manifest): object =>
  Object.fromEntries(Object.entries(goldenManifest).filter(([key]) => key !== name))

/** A bundle whose artifact holds another text, with every hash made right for it. */
const withText = (name: string, code: BundleFindingCode, bytes: Uint8Array): BrokenBundle =>
  fail(name, code, (path) => {
    const artifacts = [{ ...onlyArtifact, sha256: hash("sha256", bytes), bytes: bytes.length }]
    writeGolden(path, {
      "bundle.json": bytesOf(rehashed({ ...goldenManifest, artifacts })),
      [onlyPath]: bytes
    })
  })

/** The golden step with another slice, its artifact renamed to fit, and all hashes right. */
const withSlice = (slice: string, code: BundleFindingCode): BrokenBundle =>
  fail(`slice ${JSON.stringify(slice)}`, code, (path) => {
    const artifact_id = artifactIdOf(sha256, onlyArtifact.ref, slice)
    const changed = rehashed({
      ...goldenManifest,
      steps: [{ ...onlyStep, constraints: { slice } }],
      inputs: { ...goldenManifest.inputs, slices: [slice] },
      artifacts: [{ ...onlyArtifact, artifact_id, slice, path: artifactPath(artifact_id) }]
    })
    writeGolden(path, { "bundle.json": bytesOf(changed), [artifactPath(artifact_id)]: goldenText })
    rmSync(join(path, onlyPath))
  })

const again = (changes: object): ManifestStep => ({ ...onlyStep, ...changes }) as ManifestStep

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

const manifestForms: ReadonlyArray<BrokenBundle> = [
  {
    ...folder("no manifest", "MANIFEST_MISSING", (path) => rmSync(join(path, "bundle.json"))),
    verdict: "INVALID"
  },
  { name: "no folder", code: "MANIFEST_MISSING", verdict: "INVALID", make: () => {} },
  {
    ...folder("a manifest in other letters", "MANIFEST_MISSING", (path) =>
      renameSync(join(path, "bundle.json"), join(path, "Bundle.json"))
    ),
    verdict: "INVALID"
  },
  {
    ...folder("a manifest that is a link", "MANIFEST_UNREADABLE", (path) => {
      renameSync(join(path, "bundle.json"), `${path}.json`)
      symlinkSync(`${path}.json`, join(path, "bundle.json"))
    }),
    verdict: "INVALID"
  },
  {
    ...folder("a manifest that is a folder", "MANIFEST_UNREADABLE", (path) => {
      rmSync(join(path, "bundle.json"))
      mkdirSync(join(path, "bundle.json"))
    }),
    verdict: "INVALID"
  },
  {
    // Sparse, so that it takes no room on the disk.
    ...folder("a manifest of 1 GB", "MANIFEST_TOO_LARGE", (path) =>
      truncateSync(join(path, "bundle.json"), 1_000_000_000)
    ),
    verdict: "INVALID"
  },
  manifestText("an empty manifest", "MANIFEST_NOT_JSON", ""),
  manifestText("no JSON", "MANIFEST_NOT_JSON", "{"),
  manifestText("bytes that are not UTF-8", "MANIFEST_NOT_JSON", Buffer.from([0x7b, 0xff, 0x7d, 0x0a])),
  manifestText("a byte order mark", "MANIFEST_NOT_JSON", `\ufeff${text}`),
  manifestText("a duplicate key", "MANIFEST_NOT_JSON", text.replace("{", '{"run_id":"run_1",')),
  manifestText(
    "a duplicate key below",
    "MANIFEST_NOT_JSON",
    text.replace('"refs":{', '"refs":{"section_id":"x",')
  ),
  manifestText(
    "a duplicate key under another spelling",
    "MANIFEST_NOT_JSON",
    text.replace('"constraints":{', '"constraints":{"\\u0073lice":"lines[0:1]",')
  ),
  manifestText("5,000 levels", "MANIFEST_NOT_JSON", nested(5_000)),
  manifestText(
    "65 levels",
    "MANIFEST_NOT_JSON",
    text.replace('"expected_outputs":{}', `"expected_outputs":{"x":${nested(61)}}`)
  ),
  manifestText("a float", "MANIFEST_NOT_JSON", text.replace('"ordinal":1', '"ordinal":1.0')),
  manifestText("an exponent", "MANIFEST_NOT_JSON", text.replace('"ordinal":1', '"ordinal":1e0')),
  manifestText(
    "a big integer",
    "MANIFEST_NOT_JSON",
    text.replace('"ordinal":1', '"ordinal":9007199254740993')
  ),
  manifestText("half of a pair", "MANIFEST_NOT_JSON", text.replace('"run_1"', '"\\ud800"')),
  manifestText("NaN", "MANIFEST_NOT_JSON", text.replace('"ordinal":1', '"ordinal":NaN')),
  manifestText("a list", "FIELD_INVALID", "[]\n"),
  manifestText("another version", "VERSION_UNSUPPORTED", text.replace('"5.0.0"', '"5.0.1"')),
  manifestText("a version that is a number", "FIELD_INVALID", text.replace('"5.0.0"', "5")),
  ...(Object.keys(goldenManifest) as ReadonlyArray<keyof Manifest>).map((name) =>
    manifestText(`no ${name}`, "FIELD_INVALID", bytesOf(without(name)))
  ),
  invalid("an unknown field", { note: "" }),
  invalid("an unknown field below", { hashes: { ...goldenManifest.hashes, other: "" } }),
  manifestText("a __proto__ key", "FIELD_INVALID", text.replace("{", '{"__proto__":{},')),
  invalid("an ordinal that is a text", { steps: [again({ ordinal: "1" })] }),
  invalid("an unknown operation", { steps: [again({ op: "RUN" })] }),
  invalid("references of another operation", { steps: [again({ op: "READ_SYMBOL" })] }),
  invalid("constraints without a slice", { steps: [again({ constraints: {} })] }),
  invalid("provenance of other things", { provenance: { host: "a" } }),
  manifestText("blanks", "MANIFEST_NOT_CANONICAL", text.replace("{", "{ "), "FAIL"),
  manifestText("CRLF", "MANIFEST_NOT_CANONICAL", text.replace("\n", "\r\n"), "FAIL"),
  manifestText("two line feeds", "MANIFEST_NOT_CANONICAL", `${text}\n`, "FAIL"),
  manifestText("no line feed", "MANIFEST_NOT_CANONICAL", text.trimEnd(), "FAIL"),
  manifestText(
    "keys in another order",
    "MANIFEST_NOT_CANONICAL",
    `${JSON.stringify(goldenManifest)} \n`,
    "FAIL"
  ),
  manifestText("minus zero", "MANIFEST_NOT_CANONICAL", text.replace('"bytes":20', '"bytes":-0'), "FAIL")
]

const forbidden: ReadonlyArray<BrokenBundle> = [
  ...["timestamp", "created_at", "updated_at", "cwd", "os", "locale"].map((name) =>
    consistent(`${name} at the top`, "FORBIDDEN_FIELD", { [name]: "x" })
  ),
  {
    ...consistent("a forbidden field below", "FORBIDDEN_FIELD", {
      artifacts: [{ ...onlyArtifact, created_at: "x" }]
    }),
    verdict: "INVALID"
  }
]

const second = again({ step_id: "s2", ordinal: 2 })
const otherKind = again({ ...second, op: "READ_SYMBOL", refs: { symbol_id: onlyArtifact.ref } })

const manifestValues: ReadonlyArray<BrokenBundle> = [
  consistent("10,001 steps", "LIMIT_EXCEEDED", {
    steps: Array.from({ length: 10_001 }, (_, index) => again({ step_id: `s${index}`, ordinal: index + 1 }))
  }),
  consistent("17 GB of artifacts", "LIMIT_EXCEEDED", { artifacts: [{ ...onlyArtifact, bytes: 17e9 }] }),
  consistent("an empty run", "ID_INVALID", { run_id: "" }),
  consistent("a job with a line feed", "ID_INVALID", { job_id: "a\nb" }),
  consistent("a message of 300 bytes", "ID_INVALID", { message_id: "m".repeat(300) }),
  consistent("no steps", "STEPS_EMPTY", { steps: [] }),
  consistent("ordinal 0", "ORDINAL_INVALID", { steps: [again({ ordinal: 0 })] }),
  consistent("swapped steps", "STEP_ORDER", { steps: [second, onlyStep] }),
  consistent("one step twice", "STEP_DUPLICATE", { steps: [onlyStep, again({ ordinal: 2 })] }),
  withSlice("ALL", "SLICE_UNBOUNDED"),
  withSlice("all", "SLICE_UNBOUNDED"),
  withSlice("", "SLICE_UNBOUNDED"),
  withSlice(" lines[0:3]", "SLICE_INVALID"),
  withSlice("lines[3:3]", "SLICE_INVALID"),
  withSlice("lines[-1:3]", "SLICE_INVALID"),
  withSlice("head(0)", "SLICE_INVALID"),
  withSlice("Lines[0:3]", "SLICE_INVALID"),
  consistent("inputs of others", "INPUTS_MISMATCH", {
    inputs: { ...goldenManifest.inputs, symbols: ["@A/b"] }
  }),
  consistent("inputs twice", "INPUTS_MISMATCH", {
    inputs: { ...goldenManifest.inputs, slices: ["lines[0:3]", "lines[0:3]"] }
  }),
  consistent("an artifact twice", "ARTIFACT_ORDER", { artifacts: [onlyArtifact, onlyArtifact] }),
  consistent("an artifact under another id", "ARTIFACT_ID_MISMATCH", {
    artifacts: [{ ...onlyArtifact, artifact_id: "0".repeat(16), path: `artifacts/${"0".repeat(16)}.txt` }]
  }),
  ...["../escape.txt", "/etc/passwd", "artifacts\\x.txt", "artifacts/../bundle.json", ""].map((path) =>
    consistent(`path ${JSON.stringify(path)}`, "ARTIFACT_PATH_INVALID", {
      artifacts: [{ ...onlyArtifact, path }]
    })
  ),
  consistent("an artifact id that climbs", "ARTIFACT_ID_MISMATCH", {
    artifacts: [{ ...onlyArtifact, artifact_id: "../../x", path: "artifacts/../../x.txt" }]
  }),
  consistent("another kind", "ARTIFACT_KIND_MISMATCH", {
    artifacts: [{ ...onlyArtifact, kind: "SYMBOL_SLICE" }]
  }),
  fail("an artifact that no step refers to", "ARTIFACT_UNREFERENCED", (path) => {
    const id = artifactIdOf(sha256, "@A/b", "head(9)")
    const other = { ...onlyArtifact, artifact_id: id, ref: "@A/b", slice: "head(9)", path: artifactPath(id) }
    const artifacts = [onlyArtifact, other].sort((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1))
    const manifest = rehashed({ ...goldenManifest, artifacts })
    writeGolden(path, { "bundle.json": bytesOf(manifest), [artifactPath(id)]: goldenText })
  }),
  consistent("an artifact of a step that failed", "ARTIFACT_UNREFERENCED", {
    provenance: { failed_steps: ["s1"] }
  }),
  consistent("an artifact of steps that all failed", "ARTIFACT_UNREFERENCED", {
    steps: [onlyStep, second],
    provenance: { failed_steps: ["s1", "s2"] }
  }),
  consistent("two kinds of reading for one artifact", "ARTIFACT_KIND_MISMATCH", {
    steps: [onlyStep, otherKind],
    inputs: { ...goldenManifest.inputs, symbols: [onlyArtifact.ref] }
  }),
  fail("a step without its artifact", "STEP_WITHOUT_ARTIFACT", (path) => {
    writeGolden(path, { "bundle.json": bytesOf(rehashed({ ...goldenManifest, artifacts: [] })) })
    rmSync(join(path, onlyPath))
  }),
  consistent("no failed steps named", "FAILED_STEPS_INVALID", { provenance: { failed_steps: [] } }),
  consistent("a failed step that is none", "FAILED_STEPS_INVALID", { provenance: { failed_steps: ["s9"] } }),
  consistent("a failed step twice", "FAILED_STEPS_INVALID", { provenance: { failed_steps: ["s1", "s1"] } }),
  stated("another plan hash", "PLAN_HASH_MISMATCH", { plan_hash: "0".repeat(64) }),
  stated("another root hash", "ROOT_HASH_MISMATCH", { hashes: { root_hash: "0".repeat(64) } }),
  stated("another bundle id", "BUNDLE_ID_MISMATCH", { bundle_id: "0".repeat(64) }),
  stated("another run", "BUNDLE_ID_MISMATCH", { run_id: "run_2" })
]

const linkTo = (path: string, target: string): void => {
  rmSync(path, { recursive: true })
  symlinkSync(target, path)
}

const folders: ReadonlyArray<BrokenBundle> = [
  folder("a file more at the top", "FILE_EXTRA", (path) => writeFileSync(join(path, "notes.txt"), "")),
  folder("an artifact more", "FILE_EXTRA", (path) =>
    writeFileSync(join(path, "artifacts", `${"0".repeat(16)}.txt`), "a\n")
  ),
  folder("a folder more", "FILE_EXTRA", (path) => mkdirSync(join(path, "artifacts", "more"))),
  folder("a hidden file", "FILE_EXTRA", (path) => writeFileSync(join(path, ".hidden"), "")),
  folder("a name of another form", "FILE_NAME_INVALID", (path) =>
    writeFileSync(join(path, "artifacts", "readme.txt"), "a\n")
  ),
  folder("a missing artifact", "FILE_MISSING", (path) => rmSync(join(path, onlyPath))),
  folder("no artifacts folder", "FILE_MISSING", (path) =>
    rmSync(join(path, "artifacts"), { recursive: true })
  ),
  folder("a renamed artifact", "FILE_MISSING", (path) =>
    renameSync(join(path, onlyPath), join(path, "artifacts", `${"0".repeat(16)}.txt`))
  ),
  folder("an artifact in other letters", "FILE_NAME_INVALID", (path) =>
    renameSync(join(path, onlyPath), join(path, onlyPath.toUpperCase().replace("ARTIFACTS", "artifacts")))
  ),
  folder("an artifact that is a link", "FILE_KIND", (path) => {
    writeFileSync(`${path}.txt`, goldenText)
    linkTo(join(path, onlyPath), `${path}.txt`)
  }),
  folder("a link to a device", "FILE_KIND", (path) => linkTo(join(path, onlyPath), "/dev/zero")),
  folder("a pipe", "FILE_KIND", (path) => {
    rmSync(join(path, onlyPath))
    execFileSync("mkfifo", [join(path, onlyPath)])
  }),
  folder("an artifact that is a folder", "FILE_KIND", (path) => {
    rmSync(join(path, onlyPath))
    mkdirSync(join(path, onlyPath))
  }),
  folder("artifacts that are a link", "FILE_KIND", (path) => {
    renameSync(join(path, "artifacts"), `${path}-artifacts`)
    symlinkSync(`${path}-artifacts`, join(path, "artifacts"))
  }),
  folder("a truncated artifact", "SIZE_MISMATCH", (path) => truncateSync(join(path, onlyPath), 10)),
  folder("a line feed more", "SIZE_MISMATCH", (path) =>
    writeFileSync(join(path, onlyPath), `${goldenText}\n`)
  ),
  folder("CRLF in an artifact", "SIZE_MISMATCH", (path) =>
    writeFileSync(join(path, onlyPath), goldenText.replaceAll("\n", "\r\n"))
  ),
  folder("a byte order mark in an artifact", "SIZE_MISMATCH", (path) =>
    writeFileSync(join(path, onlyPath), `\ufeff${goldenText}`)
  ),
  consistent("a lie about a size", "SIZE_MISMATCH", { artifacts: [{ ...onlyArtifact, bytes: 21 }] }),
  consistent("a size below zero", "SIZE_MISMATCH", { artifacts: [{ ...onlyArtifact, bytes: -1 }] }),
  folder("another letter", "HASH_MISMATCH", (path) =>
    writeFileSync(join(path, onlyPath), goldenText.replace("alpha", "alphA"))
  ),
  withText("a text that is not UTF-8", "TEXT_NOT_UTF8", Buffer.from([0x61, 0xff, 0x0a])),
  withText("a text with half a character", "TEXT_NOT_UTF8", Buffer.from([0x61, 0xe2, 0x82, 0x0a])),
  withText("a text with CRLF", "TEXT_HAS_CARRIAGE_RETURN", Buffer.from("a\r\n")),
  withText("a text with a byte order mark", "TEXT_HAS_BYTE_ORDER_MARK", Buffer.from("\ufeffa\n")),
  withText("a text without a final line feed", "FINAL_LINE_FEED_MISSING", Buffer.from("a")),
  withText("a text without a byte", "FINAL_LINE_FEED_MISSING", Buffer.from(""))
]

/** Bundles with a step that failed, and all that they hold right: each must pass. */
export const soundBundles: ReadonlyArray<Pick<BrokenBundle, "name" | "make">> = [
  { name: "a step that failed beside one that read the same", step: second },
  { name: "a step that failed beside one that read the same otherwise", step: otherKind }
].map(({ name, step }) => ({
  name,
  make: (path) => {
    const { inputs } = goldenManifest
    const symbols = step.op === "READ_SYMBOL" ? [step.refs.symbol_id] : inputs.symbols
    const steps = [onlyStep, step]
    const provenance = { failed_steps: [step.step_id] }
    const changed = rehashed({ ...goldenManifest, steps, inputs: { ...inputs, symbols }, provenance })
    writeGolden(path, { "bundle.json": bytesOf(changed) })
  }
}))

/** Every broken bundle. */
export const brokenBundles: ReadonlyArray<BrokenBundle> = [
  ...manifestForms,
  ...forbidden,
  ...manifestValues,
  ...folders
]
