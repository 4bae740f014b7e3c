// The judgement over a manifest's bytes and over the names in a dossier's folder: form first, then order, counts and hashes. It
// reads no file: what the files really hold is for the events to say.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { textOfUtf8 } from "../canonical/bytes.ts"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import { plainIssues, pointerOf } from "../canonical/plain-issues.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { readJsonBytes } from "../canonical/strict-reader.ts"
import { isIdentifier } from "../canonical/text.ts"
import { sortedUnique } from "../bundles/manifest.ts"
import { entryKindWords, type FolderEntry, type FolderListing } from "../foundation/foreign-files.ts"
import { isJobId } from "../ledger/ids.ts"
import { isHashText } from "../ledger/thoughts/thought-record.ts"
import type { DossierFindings } from "./finding.ts"
import { MAX_CHECKPOINT_BYTES, MAX_CHOSEN, MAX_DOSSIER_ENTRIES, MAX_FILE_BYTES } from "./limits.ts"
import {
  bundleFolder,
  BUNDLES_FOLDER,
  CHECKPOINT_NAME,
  DOSSIER_FILES,
  DOSSIER_KIND,
  DOSSIER_VERSION,
  DossierManifest,
  MANIFEST_NAME,
  manifestText,
  rootHashOf,
  streamsOfChoice
} from "./manifest.ts"

const decode = Schema.decodeUnknownResult(DossierManifest, { onExcessProperty: "error", errors: "all" })

const isVersion = ({ kind, version }: JsonObject): boolean =>
  typeof kind !== "string" ||
  typeof version !== "string" ||
  (kind === DOSSIER_KIND && version === DOSSIER_VERSION)

const checkForm = (list: DossierFindings, raw: JsonObject): DossierManifest | undefined => {
  if (!isVersion(raw)) {
    list.add(
      "VERSION_UNSUPPORTED",
      "/version",
      `this program verifies ${DOSSIER_KIND}, version ${DOSSIER_VERSION}`
    )
    return undefined
  }
  const decoded = decode(raw)
  if (Result.isSuccess(decoded)) return decoded.success
  for (const { message, path } of plainIssues(decoded.failure.issue)) {
    list.add("FIELD_INVALID", pointerOf(path), message)
  }
  return undefined
}

const isSame = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((text, index) => text === right[index])

const isOrdered = (texts: ReadonlyArray<string>): boolean => isSame(texts, sortedUnique(texts))

/** What is wrong with the choice, as places and sentences. */
const choiceFaults = ({ bodies, bundles, choice }: DossierManifest) => {
  const { jobs, run_id, tasks } = choice
  const faults: Array<readonly [where: string, message: string]> = []
  if (run_id === null && tasks.length === 0) faults.push(["/choice", "neither a run nor a task was chosen"])
  if (run_id !== null && !isIdentifier(run_id)) faults.push(["/choice/run_id", "it is no id"])
  if (jobs !== null && (run_id === null || jobs.length === 0 || !isOrdered(jobs) || !jobs.every(isJobId))) {
    faults.push(["/choice/jobs", "it is not a sorted list of a run's jobs, each once"])
  }
  if (!isOrdered(tasks) || !tasks.every(isIdentifier)) {
    faults.push(["/choice/tasks", "it is not a sorted list of ids, each once"])
  }
  const carried = bundles.map(({ job_id }) => job_id)
  const mayCarry = carried.length === 0 || (run_id !== null && bodies === "whole")
  if (
    !mayCarry ||
    !isOrdered(carried) ||
    !carried.every((job) => isJobId(job) && (jobs ?? [job]).includes(job))
  ) {
    faults.push(["/bundles", "it is not a sorted list of the bundles of chosen jobs, each once"])
  }
  return faults
}

const checkLists = (list: DossierFindings, manifest: DossierManifest): void => {
  const { bundles, checkpoint, choice, files, ledger_id, streams } = manifest
  for (const [where, message] of choiceFaults(manifest)) list.add("CHOICE_INVALID", where, message)
  const expected = streamsOfChoice(choice)
  if (
    !isSame(
      streams.map(({ stream_id }) => stream_id),
      expected
    )
  ) {
    list.add("CHOICE_INVALID", "/streams", "its streams are not those of the choice, in its order")
  }
  if (
    !isSame(
      files.map(({ path }) => path),
      DOSSIER_FILES
    )
  ) {
    list.add("CHOICE_INVALID", "/files", `its files are not ${DOSSIER_FILES.join(", ")}`)
  }
  if (!isIdentifier(ledger_id)) list.add("CHOICE_INVALID", "/ledger_id", "it is no id")
  const hashes = [
    checkpoint.root,
    ...[...files, ...bundles].map(({ sha256 }) => sha256),
    ...streams.map(({ positions_sha256 }) => positions_sha256)
  ]
  if (!hashes.every(isHashText)) list.add("CHOICE_INVALID", "", "a hash is not 64 lower-case hex digits")
}

/** False when the manifest promises more than is ever read. */
const checkLimits = (list: DossierFindings, { bundles, choice, files }: DossierManifest): boolean => {
  const counts: ReadonlyArray<readonly [string, number, number]> = [
    ["/choice/jobs", choice.jobs?.length ?? 0, MAX_CHOSEN],
    ["/choice/tasks", choice.tasks.length, MAX_CHOSEN],
    ["/bundles", bundles.length, MAX_CHOSEN],
    ...files.map(({ bytes, path }, index): readonly [string, number, number] => [
      `/files/${index}/bytes`,
      bytes,
      path === CHECKPOINT_NAME ? MAX_CHECKPOINT_BYTES : MAX_FILE_BYTES
    ])
  ]
  const over = counts.filter(([, count, most]) => count > most)
  for (const [where, count, most] of over) {
    list.add("LIMIT_EXCEEDED", where, `${count} is over the limit of ${most}`)
  }
  return over.length === 0
}

/** Judges the bytes of `dossier.json`; gives the manifest when its form, its lists and its limits hold, so that it can be followed. */
export const checkManifest = (
  list: DossierFindings,
  sha256: Sha256,
  bytes: Uint8Array
): DossierManifest | undefined => {
  const read = readJsonBytes(bytes, "jcs/1")
  if (Result.isFailure(read)) {
    list.add("MANIFEST_NOT_JSON", MANIFEST_NAME, read.failure.message)
    return undefined
  }
  const raw = read.success
  if (!isJsonObject(raw)) {
    list.add("FIELD_INVALID", "", "dossier.json is not an object")
    return undefined
  }
  const manifest = checkForm(list, raw)
  if (manifest === undefined) return undefined
  if (manifestText(manifest) !== textOfUtf8(bytes)) {
    list.add(
      "MANIFEST_NOT_CANONICAL",
      MANIFEST_NAME,
      "it is not the canonical text (jcs/1) and one line feed"
    )
  }
  const rootHash = rootHashOf(sha256, manifest)
  if (manifest.root_hash !== rootHash) {
    list.add(
      "ROOT_HASH_MISMATCH",
      "/root_hash",
      `it is ${manifest.root_hash}, the manifest hashes to ${rootHash}`
    )
  }
  const before = list.total
  checkLists(list, manifest)
  return checkLimits(list, manifest) && list.total === before ? manifest : undefined
}

const expectedKind = (manifest: DossierManifest, path: string): FolderEntry["kind"] | undefined => {
  if (path === MANIFEST_NAME || DOSSIER_FILES.some((name) => name === path)) return "file"
  const carried = manifest.bundles.map(({ job_id }) => bundleFolder(job_id))
  if (path === BUNDLES_FOLDER) return carried.length > 0 ? "folder" : undefined
  return carried.includes(path) ? "folder" : undefined
}

/** Judges the names at the top of a dossier and in `bundles`; what a bundle holds is judged with the bundle. */
export const checkListing = (
  list: DossierFindings,
  manifest: DossierManifest,
  { cut, entries }: FolderListing
): void => {
  if (cut) list.add("LIMIT_EXCEEDED", ".", `the folder has over ${MAX_DOSSIER_ENTRIES} names`)
  for (const { kind, path } of entries) {
    const expected = expectedKind(manifest, path)
    if (expected === undefined)
      list.add("FILE_EXTRA", path, `${entryKindWords[kind]} that no dossier has there`)
    else if (kind !== expected) {
      list.add("FILE_KIND", path, `it is ${entryKindWords[kind]}, not ${entryKindWords[expected]}`)
    }
  }
  // What stands behind the cut is not known.
  if (cut) return
  const there = new Set(entries.map(({ path }) => path))
  const wanted = [...DOSSIER_FILES, ...manifest.bundles.map(({ job_id }) => bundleFolder(job_id))]
  for (const path of wanted)
    if (!there.has(path)) list.add("FILE_MISSING", path, "there is nothing under this name")
}
