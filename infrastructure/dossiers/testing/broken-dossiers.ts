/**
 * Dossiers that are wrong in one place. Where it can be, every hash of the manifest is right again, so that nothing but the fault itself
 * can be found. Outside tests nothing may import it.
 */
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import type { JsonObject, JsonValue } from "../../../domain/canonical/json.ts"
import { parseStoredJson } from "../../../domain/canonical/stored-json.ts"
import type { DossierFindingCode } from "../../../domain/dossiers/finding.ts"
import { DOSSIER_FILES, manifestText, rootHashOf } from "../../../domain/dossiers/manifest.ts"
import { MAX_TEXT_BYTES } from "../../../domain/ledger/limits.ts"
import * as Result from "effect/Result"
import { sha256 } from "../../hashing/node-hashing.ts"

/** A dossier's files in memory, to be changed. */
export interface Parts {
  readonly manifest: Record<string, JsonValue>
  checkpoint: string
  events: Array<string>
  proofs: Array<string>
  thoughts: Array<string>
}

export const objectOf = (text: string): JsonObject => Result.getOrThrow(parseStoredJson(text)) as JsonObject

const linesOf = (text: string): Array<string> => text.split("\n").slice(0, -1)

export const readParts = (folder: string): Parts => {
  const text = (name: string) => readFileSync(join(folder, name), "utf8")
  return {
    manifest: { ...objectOf(text("dossier.json")) },
    checkpoint: text("checkpoint.txt"),
    events: linesOf(text("events.jsonl")),
    proofs: linesOf(text("proofs.jsonl")),
    thoughts: linesOf(text("thoughts.jsonl"))
  }
}

/** Writes the parts with files, streams and root hash of the manifest made right for them. */
export const writeParts = (
  folder: string,
  { checkpoint, events, manifest, proofs, thoughts }: Parts
): void => {
  const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")
  const files = {
    "checkpoint.txt": checkpoint,
    "events.jsonl": text(events),
    "proofs.jsonl": text(proofs),
    "thoughts.jsonl": text(thoughts)
  }
  for (const name of DOSSIER_FILES) writeFileSync(join(folder, name), files[name])
  const met = events.filter((line) => line !== "").map(objectOf)
  const streams = (manifest["streams"] as ReadonlyArray<JsonObject>).map((stream) => {
    const positions = met.flatMap(({ position, stream_id }) =>
      stream_id === stream["stream_id"] ? [Number(position)] : []
    )
    return {
      stream_id: String(stream["stream_id"]),
      count: positions.length,
      first: positions[0] ?? 0,
      last: positions.at(-1) ?? 0,
      positions_sha256: sha256(positions.map((position) => `${position}\n`).join(""))
    }
  })
  const said = {
    ...manifest,
    streams,
    files: DOSSIER_FILES.map((path) => ({
      path,
      bytes: Buffer.byteLength(files[path]),
      sha256: hash("sha256", files[path])
    }))
  }
  writeFileSync(join(folder, "dossier.json"), manifestText({ ...said, root_hash: rootHashOf(sha256, said) }))
}

/** A dossier that is wrong in one place. */
export interface BrokenDossier {
  readonly name: string
  readonly code: DossierFindingCode
  readonly exit: 1 | 2
  /** Changes an honest dossier; `other` is an honest one of another run of the same ledger, `foreign` of another ledger. */
  readonly change: (folder: string, other: string, foreign: string) => void
}

const inFolder = (
  name: string,
  code: DossierFindingCode,
  change: BrokenDossier["change"],
  exit: 1 | 2 = 1
): BrokenDossier => ({ name, code, exit, change })

/** Parts changed, and every hash of the manifest made right. */
const consistent = (
  name: string,
  code: DossierFindingCode,
  change: (parts: Parts, other: Parts, foreign: Parts) => void
): BrokenDossier =>
  inFolder(name, code, (folder, other, foreign) => {
    const parts = readParts(folder)
    change(parts, readParts(other), readParts(foreign))
    writeParts(folder, parts)
  })

/** The manifest with members replaced, its root hash made right. */
const stated = (name: string, code: DossierFindingCode, members: object, exit: 1 | 2 = 1): BrokenDossier =>
  inFolder(
    name,
    code,
    (folder) => {
      const { manifest } = readParts(folder)
      const said: object = { ...manifest, ...members }
      writeFileSync(
        join(folder, "dossier.json"),
        manifestText({ ...said, root_hash: rootHashOf(sha256, said) })
      )
    },
    exit
  )

const rewritten = (
  name: string,
  code: DossierFindingCode,
  change: (text: string) => string,
  exit: 1 | 2
): BrokenDossier =>
  inFolder(
    name,
    code,
    (folder) => {
      const file = join(folder, "dossier.json")
      writeFileSync(file, change(readFileSync(file, "utf8")))
    },
    exit
  )

/** An event line with members replaced, and with `rehash` its hash made right. */
const changedEvent = (line: string, members: JsonObject, rehash = false): string => {
  const event: JsonObject = { ...objectOf(line), ...members }
  const { data, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
  const list = ["cassette/event/1", position, type, stream_id, schema_version, data, recorded_at, prev_hash]
  return jcsText(rehash ? { ...event, hash: sha256(jcsText(list)) } : event)
}

const indexOfType = ({ events }: Parts, type: string): number =>
  events.findIndex((line) => objectOf(line)["type"] === type)

const remove = (parts: Parts, index: number): void => {
  parts.events.splice(index, 1)
  parts.proofs.splice(index, 1)
}

const folders: ReadonlyArray<BrokenDossier> = [
  inFolder("no manifest", "MANIFEST_MISSING", (path) => rmSync(join(path, "dossier.json")), 2),
  inFolder(
    "a manifest in other letters",
    "MANIFEST_MISSING",
    (path) => renameSync(join(path, "dossier.json"), join(path, "Dossier.json")),
    2
  ),
  inFolder("a file more", "FILE_EXTRA", (path) => writeFileSync(join(path, "note.txt"), "")),
  inFolder("a folder more", "FILE_EXTRA", (path) => mkdirSync(join(path, "bundles"))),
  ...DOSSIER_FILES.flatMap((name) => [
    inFolder(`no ${name}`, "FILE_MISSING", (path) => rmSync(join(path, name))),
    inFolder(`${name} under another name`, "FILE_EXTRA", (path) =>
      renameSync(join(path, name), join(path, `${name}.old`))
    ),
    inFolder(`${name} that is a link`, "FILE_KIND", (path) => {
      renameSync(join(path, name), `${path}.${name}`)
      symlinkSync(`${path}.${name}`, join(path, name))
    }),
    inFolder(`${name} that is a folder`, "FILE_KIND", (path) => {
      rmSync(join(path, name))
      mkdirSync(join(path, name))
    })
  ])
]

const manifests: ReadonlyArray<BrokenDossier> = [
  rewritten("an empty manifest", "MANIFEST_NOT_JSON", () => "", 2),
  rewritten("a key twice", "MANIFEST_NOT_JSON", (text) => text.replace("{", '{"kind":"x",'), 2),
  rewritten("a list", "FIELD_INVALID", () => "[]\n", 2),
  rewritten("no line feed", "MANIFEST_NOT_CANONICAL", (text) => text.trimEnd(), 1),
  rewritten("a blank", "MANIFEST_NOT_CANONICAL", (text) => text.replace("{", "{ "), 1),
  stated("another version", "VERSION_UNSUPPORTED", { version: "1.0.1" }, 2),
  stated("another kind", "VERSION_UNSUPPORTED", { kind: "cassette/bundle" }, 2),
  stated("an unknown field", "FIELD_INVALID", { note: "" }, 2),
  stated("other bodies", "FIELD_INVALID", { bodies: "some" }, 2),
  stated("a choice of nothing", "CHOICE_INVALID", { choice: { run_id: null, jobs: null, tasks: [] } }),
  stated("an empty list of jobs", "CHOICE_INVALID", {
    choice: { run_id: "run-a", jobs: [], tasks: ["task-a"] }
  }),
  stated("another run", "CHOICE_INVALID", { choice: { run_id: "run-c", jobs: null, tasks: ["task-a"] } }),
  stated("a task twice", "CHOICE_INVALID", {
    choice: { run_id: "run-a", jobs: null, tasks: ["task-a", "task-a"] }
  }),
  stated("no files", "CHOICE_INVALID", { files: [] }),
  stated("another ledger", "CHECKPOINT_DIFFERS", { ledger_id: "another" })
]

const stories: ReadonlyArray<BrokenDossier> = [
  consistent("an event of another run", "EVENT_NOT_CHOSEN", (parts, other) => {
    parts.events.push(other.events.at(-1)!)
    parts.proofs.push(other.proofs.at(-1)!)
  }),
  consistent("an event of another ledger", "PROOF_REFUSED", (parts, _, foreign) => {
    parts.events[0] = foreign.events[0]!
    parts.proofs[0] = foreign.proofs[0]!
  }),
  consistent("two events in another order", "EVENT_ORDER", ({ events, proofs }) => {
    ;[events[0], events[1]] = [events[1]!, events[0]!]
    ;[proofs[0], proofs[1]] = [proofs[1]!, proofs[0]!]
  }),
  consistent("an event twice", "EVENT_ORDER", ({ events, proofs }) => {
    events.splice(1, 0, events[0]!)
    proofs.splice(1, 0, proofs[0]!)
  }),
  consistent("no claim", "FOLD_IMPOSSIBLE", (parts) => remove(parts, indexOfType(parts, "StepClaimed"))),
  consistent("no renewal", "FOLD_IMPOSSIBLE", (parts) => remove(parts, indexOfType(parts, "LeaseRenewed"))),
  consistent("no message", "FOLD_IMPOSSIBLE", (parts) => remove(parts, 0)),
  consistent("a changed payload", "CHAIN_BROKEN", ({ events }) => {
    events[0] = changedEvent(events[0]!, { data: String(objectOf(events[0]!)["data"]).replace("Ada", "Eve") })
  }),
  consistent("a changed payload under its own new hash", "PROOF_REFUSED", ({ events, proofs }) => {
    const data = String(objectOf(events[0]!)["data"]).replace("Ada", "Eve")
    events[0] = changedEvent(events[0]!, { data }, true)
    proofs[0] = jcsText({ ...objectOf(proofs[0]!), hash: objectOf(events[0])["hash"] })
  }),
  consistent("a later time", "CHAIN_BROKEN", ({ events }) => {
    events[0] = changedEvent(events[0]!, { recorded_at: "2026-11-29T10:00:00.001Z" })
  }),
  consistent("an event beyond the checkpoint", "EVENT_ORDER", ({ events }) => {
    events.push(changedEvent(events.at(-1)!, { position: 1_000_000 }, true))
  }),
  consistent("an event without bodies among whole ones", "LINE_INVALID", ({ events }) => {
    const { data, ...rest } = objectOf(events[0]!)
    events[0] = jcsText({ ...rest, withheld: String(data) })
  }),
  consistent("a blank in a line", "LINE_INVALID", ({ events }) => {
    events[1] = events[1]!.replace("{", "{ ")
  }),
  consistent("an empty line", "LINE_INVALID", ({ events, proofs }) => {
    events.push("")
    proofs.push("")
  }),
  consistent("a proof too many", "LINE_INVALID", ({ proofs }) => {
    proofs.push(proofs[0]!)
  }),
  consistent("a proof too few", "PROOF_REFUSED", ({ proofs }) => {
    proofs.pop()
  }),
  consistent("the proof of a neighbour", "PROOF_REFUSED", ({ proofs }) => {
    proofs[0] = proofs[1]!
  }),
  consistent("a proof for a smaller tree", "PROOF_REFUSED", ({ proofs }) => {
    proofs[0] = jcsText({ ...objectOf(proofs[0]!), size: 3 })
  }),
  consistent("a shorter path", "PROOF_REFUSED", ({ proofs }) => {
    const { path, ...rest } = objectOf(proofs[0]!)
    proofs[0] = jcsText({ ...rest, path: (path as ReadonlyArray<JsonValue>).slice(1) })
  }),
  consistent("a consistency proof", "LINE_INVALID", ({ proofs }) => {
    proofs[0] = jcsText({ kind: "consistency", from: 1, to: 2, path: [] })
  }),
  consistent("the checkpoint of another ledger", "CHECKPOINT_DIFFERS", (parts, _, foreign) => {
    parts.checkpoint = foreign.checkpoint
  }),
  consistent("no checkpoint", "CHECKPOINT_INVALID", (parts) => {
    parts.checkpoint = "none\n"
  }),
  consistent("another signature", "CHECKPOINT_UNTRUSTED", (parts) => {
    parts.checkpoint = parts.checkpoint.replace(/(.{9})=\n$/, "AAAAAAAAA=\n")
  }),
  consistent("a changed thought in the file of thoughts", "THOUGHT_DIFFERS", ({ thoughts }) => {
    thoughts[0] = thoughts[0]!.replace("greet", "grunt")
  }),
  consistent("a thought too few", "THOUGHT_DIFFERS", ({ thoughts }) => {
    thoughts.pop()
  }),
  consistent("a thought too many", "LINE_INVALID", ({ thoughts }) => {
    thoughts.push(thoughts[0]!)
  }),
  consistent("no first thought", "THOUGHT_CHAIN_BROKEN", (parts) => {
    remove(parts, indexOfType(parts, "ThoughtRecorded"))
    parts.thoughts.shift()
  }),
  inFolder("a stream that counts one more", "STREAM_MISMATCH", (folder) => {
    const { manifest } = readParts(folder)
    const [first = {}, ...rest] = manifest["streams"] as ReadonlyArray<JsonObject>
    const said = { ...manifest, streams: [{ ...first, count: Number(first["count"]) + 1 }, ...rest] }
    writeFileSync(
      join(folder, "dossier.json"),
      manifestText({ ...said, root_hash: rootHashOf(sha256, said) })
    )
  })
]

/** Numbers that are too large for any program to keep, where a number, or another value, is to stand. */
const largeNumbers: ReadonlyArray<BrokenDossier> = [
  consistent("an index of 400 digits", "LINE_INVALID", ({ proofs }) => {
    proofs[0] = proofs[0]!.replace(/"index":\d+/, `"index":${"9".repeat(400)}`)
  }),
  consistent("a checkpoint's size of 5000 digits", "CHECKPOINT_INVALID", (parts) => {
    parts.checkpoint = parts.checkpoint.replace(/\n\d+\n/, `\n${"9".repeat(5_000)}\n`)
  }),
  rewritten(
    "a number in the manifest that is no number of 64 bits",
    "MANIFEST_NOT_JSON",
    (text) => text.replace(/"count":\d+/, `"count":${"9".repeat(400)}`),
    2
  )
]

export const brokenDossiers: ReadonlyArray<BrokenDossier> = [
  ...folders,
  ...manifests,
  ...stories,
  ...largeNumbers
]

/** The first event of a type, with members replaced, and what is left of its data with others. */
const claimed = (
  name: string,
  code: DossierFindingCode,
  type: string,
  members: JsonObject,
  left: JsonObject = {}
): BrokenDossier =>
  consistent(name, code, (parts) => {
    const index = indexOfType(parts, type)
    const event = objectOf(parts.events[index]!)
    const withheld = jcsText({ ...objectOf(String(event["withheld"])), ...left })
    parts.events[index] = jcsText({ ...event, ...members, withheld })
  })

const ofStep = { job: 1, payload_sha256: sha256("{}") }

/** Dossiers with hashed bodies that claim what no command may write. */
export const brokenClaims: ReadonlyArray<BrokenDossier> = [
  claimed(
    "a payload's hash that is none",
    "EVENT_INVALID",
    "MessagePosted",
    {},
    {
      steps: [ofStep, { ...ofStep, payload_sha256: "none" }, { ...ofStep, job: 2 }]
    }
  ),
  claimed(
    "a step with a member more",
    "EVENT_INVALID",
    "MessagePosted",
    {},
    {
      steps: [ofStep, { ...ofStep, note: "" }, { ...ofStep, job: 2 }]
    }
  ),
  claimed("another source", "EVENT_INVALID", "MessagePosted", {}, { source: "OTHER" }),
  claimed("an intent that is no text", "EVENT_INVALID", "MessagePosted", {}, { jobs: ["one", 2] }),
  claimed("another outcome", "EVENT_INVALID", "StepCompleted", {}, { outcome: "DONE" }),
  claimed(
    "a receipt's hash in capitals",
    "EVENT_INVALID",
    "StepCompleted",
    {},
    {
      receipt_sha256: sha256("{}").toUpperCase()
    }
  ),
  claimed("a trace that is none", "EVENT_INVALID", "StepCompleted", {}, { traceparent: "none" }),
  claimed("an agent without a name", "EVENT_INVALID", "ThoughtRecorded", {}, { agent_id: "" }),
  claimed("a thought of another type", "EVENT_INVALID", "ThoughtRecorded", {}, { type: "other" }),
  claimed("a thought's time that is none", "EVENT_INVALID", "ThoughtRecorded", {}, { timestamp: 5 }),
  claimed("a day that no month has", "CHAIN_BROKEN", "ThoughtRecorded", {
    recorded_at: "2026-11-31T10:00:00.000Z"
  }),
  claimed("a completion in the stream of a task", "EVENT_INVALID", "StepCompleted", {
    stream_id: "task:task-a"
  }),
  claimed(
    "an intent that is too long",
    "EVENT_INVALID",
    "MessagePosted",
    {},
    {
      jobs: ["one", "t".repeat(MAX_TEXT_BYTES + 1)]
    }
  ),
  claimed("U+0000 in an intent", "EVENT_INVALID", "MessagePosted", {}, { jobs: ["one", "t\u0000o"] })
]

/** A copy of a dossier with one change. */
export const broken = (folder: string, to: string, change: (path: string) => void): string => {
  cpSync(folder, to, { recursive: true })
  change(to)
  return to
}

const script = fileURLToPath(new URL("../../../examples/verify-dossier.py", import.meta.url))

/** True when there is a Python 3 to ask. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0

interface SecondOpinion {
  readonly path: string
  readonly exit: 0 | 1 | 2
  readonly codes: ReadonlyArray<string>
}

/** What the second verifier says of each path. */
export const secondOpinions = (
  trustFile: string,
  paths: ReadonlyArray<string>
): ReadonlyArray<SecondOpinion> => {
  const ran = spawnSync("python3", [script, "--trust", trustFile], {
    input: paths.map((path) => `${path}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  if (ran.stderr !== "") throw new Error(ran.stderr)
  return ran.stdout
    .trimEnd()
    .split("\n")
    .map((line) => objectOf(line) as unknown as SecondOpinion)
}
