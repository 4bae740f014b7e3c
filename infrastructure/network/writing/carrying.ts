// Carries what a cassette holds into a new file that is born as its configuration asks, and puts that in its place. While
// it works no other program reads or writes the old file; it is copied beside its place before the new one takes it by one
// rename, so that a process that is killed at any moment leaves the old cassette or the new one, each of them whole.
import { readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { birthDifferences } from "../../../domain/network/birth.ts"
import { CARRIED_RULE, carriesVersions, carryingFault } from "../../../domain/network/cartridges/carrying.ts"
import type { MemoryScope } from "../../../domain/network/cassette.ts"
import { CassetteDamaged, WriteRefused } from "../../../domain/network/errors.ts"
import { memoryRecordHash, recordHash, saveRecordHash } from "../../../domain/network/records.ts"
import { flushFile } from "../../files/folder-draft.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { type Connection, openAlone, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { flush, reserveSuccessor } from "../../files/file-system.ts"
import { copyKeepingLocks } from "../../sqlite/files/locked-copy.ts"
import { writeRecord } from "../cartridges/cartridge-import.ts"
import { addReceipt, type CassetteBirth, createCassette } from "../cassette-schema.ts"
import { verifyCassetteFile } from "../verification/cassette-verification.ts"
import {
  attemptOnCassette,
  type CassetteWriteError,
  checkCassetteFile,
  configureCassette
} from "./cassette-writer.ts"
import type { CarryingReport } from "../../../application/network/keeping/keeping-reports.ts"
import type { ConfiguredCassette } from "../configured-cassette.ts"
import {
  type CarriedSave,
  countHeld,
  countRemembered,
  selectCarried,
  selectCarriedDocument,
  selectCarriedSaves,
  selectMemoryText,
  selectRemembered
} from "./carrying-statements.ts"
import { selectNewestReceipt } from "./document-statements.ts"
import { reindex, seal } from "./document-writing.ts"
import { type WriteTime, writeTime } from "./write-time.ts"
import { metaOf } from "./index-writing.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

/** Carries documents, in the order of their paths and versions; gives how many. */
const carryDocuments = (
  old: Connection,
  fresh: Connection,
  birth: CassetteBirth,
  { expires, now }: WriteTime
): number => {
  const all = carriesVersions(metaOf(old).get("mutability") ?? "", birth.mutability)
  const ids = selectCarried[all ? "all" : "newest"].all(old, { now })
  const expires_at = rulesOf(birth.mutability).expires ? expires : null
  const versions = new Map<string, number>()
  for (const { document_id } of ids) {
    const row = selectCarriedDocument.first(old, { document_id })
    if (row === undefined) continue
    const version = (versions.get(row.path) ?? 0) + 1
    versions.set(row.path, version)
    const fields = { ...row, version, expires_at }
    const record_hash = recordHash(sha256, fields)
    addReceipt(fresh, "add", record_hash, birth.mutability)
    writeRecord(fresh, { kind: "document", ...fields, record_hash })
  }
  return ids.length
}

/** Writes one memory of one owner with its saves. */
const carryMemory = (
  fresh: Connection,
  birth: CassetteBirth,
  memory: { readonly owner: string; readonly content_hash: string; readonly text: string },
  saves: ReadonlyArray<CarriedSave>,
  { expires }: WriteTime
): void => {
  const record_hash = memoryRecordHash(sha256, memory)
  addReceipt(fresh, "add", record_hash, birth.mutability)
  writeRecord(fresh, { kind: "memory", ...memory, record_hash })
  const expires_at = rulesOf(birth.mutability).expires ? expires : null
  for (const [index, save] of saves.entries()) {
    const fields = { ...save, memory: record_hash, save_number: index + 1, expires_at }
    const hash = saveRecordHash(sha256, fields)
    addReceipt(fresh, "add", hash, birth.mutability)
    writeRecord(fresh, { kind: "save", ...fields, record_hash: hash })
  }
}

/** Carries memories: each save belongs to its agent in a private cassette, and to everybody in a shared one. */
const carryMemories = (
  old: Connection,
  fresh: Connection,
  birth: CassetteBirth,
  time: WriteTime
): { readonly memories: number; readonly saves: number } => {
  let [memories, saves] = [0, 0]
  for (const { content_hash, first, memories: ids } of selectRemembered.all(old, {})) {
    const found = selectCarriedSaves.all(old, { memories: ids, now: time.now })
    const row = selectMemoryText.first(old, { memory_id: first })
    const ownerOf = ({ agent_id }: CarriedSave) => (birth.memories === "private" ? (agent_id ?? "") : "")
    for (const [owner, own] of Map.groupBy(found, ownerOf)) {
      carryMemory(fresh, birth, { owner, content_hash, text: row?.text ?? "" }, own, time)
      memories += 1
      saves += own.length
    }
  }
  return { memories, saves }
}

/** Why the content cannot be carried, if so. */
const faultOf = (
  old: Connection,
  file: string,
  birth: CassetteBirth,
  { now }: WriteTime,
  publish: boolean
): CassetteDamaged | WriteRefused | undefined => {
  const [finding] = verifyCassetteFile(old, birth.id).findings
  if (finding !== undefined) {
    return new CassetteDamaged({ file, where: finding.where, reason: finding.message })
  }
  const { remembered = 0, unowned = 0 } = countRemembered.first(old, { now }) ?? {}
  const reason = carryingFault({
    born: (metaOf(old).get("memories") ?? "shared") as MemoryScope,
    memories: birth.memories,
    mutability: birth.mutability,
    remembered,
    unowned,
    publish
  })
  return reason === undefined ? undefined : new WriteRefused({ cassette_id: birth.id, reason })
}

const endings = ["", "-wal", "-shm", "-journal"] as const

/** Makes the new cassette in `draft`, whole and on the disk, and no more open than the old one. */
const makeDraft = (
  draft: string,
  file: string,
  old: Connection,
  birth: CassetteBirth,
  head: string,
  time: WriteTime
): Pick<CarryingReport, "documents" | "memories" | "saves"> => {
  reserveSuccessor(draft, file)
  const fresh = openForWriting(draft)
  try {
    configureCassette(fresh, "normal")
    createCassette(fresh, birth)
    const counts = fresh.transaction(() => {
      addReceipt(fresh, "migrate", head, CARRIED_RULE)
      const documents = carryDocuments(old, fresh, birth, time)
      return { documents, ...carryMemories(old, fresh, birth, time) }
    })
    reindex(fresh)
    if (rulesOf(birth.mutability).seals) seal(fresh)
    // Without a log, the file is all there is, and can be put in another's place.
    fresh.pragma("journal_mode = DELETE")
    return counts
  } finally {
    fresh.close()
  }
}

/** Puts the draft in the place of the locked file, whose copy stands beside it from then on. */
const putInPlace = (draft: string, file: string, kept: string): void => {
  flushFile(draft)
  copyKeepingLocks(file, `${kept}.partial`)
  flushFile(`${kept}.partial`)
  renameSync(`${kept}.partial`, kept)
  flush(dirname(file))
  renameSync(draft, file)
  flush(dirname(file))
}

/** What the name of a file that is kept has behind that of the cassette. */
const KEPT = ".before-"

/** The old files that stand beside a cassette's file, in order: they hold what it has forgotten since. */
export const keptFiles = (file: string): ReadonlyArray<string> => {
  const folder = dirname(file)
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}${KEPT}`))
    .sort()
    .map((name) => join(folder, name))
}

/** Makes the new file and puts it in its place; the old one is locked. */
const carryLocked = (
  old: Connection,
  { birth, file }: ConfiguredCassette,
  time: WriteTime
): CarryingReport => {
  const draft = `${file}.new`
  const clear = () => {
    for (const ending of endings) rmSync(`${draft}${ending}`, { force: true })
  }
  // A draft that is there was left by a process that was killed.
  clear()
  try {
    const head = selectNewestReceipt.first(old, {})?.receipt_hash ?? ""
    const counts = makeDraft(draft, file, old, birth, head, time)
    const kept = `${file}${KEPT}${head.slice(0, 12)}`
    putInPlace(draft, file, kept)
    const held = countHeld.first(old, {})?.held ?? 0
    return {
      cassette_id: birth.id,
      differences: birthDifferences(metaOf(old), birth),
      ...counts,
      left_behind: held - counts.documents - counts.saves,
      carried_from: head,
      kept
    }
  } finally {
    clear()
  }
}

/** Carries all of it, alone with the old file: no other program reads or writes it meanwhile. */
const carry = (
  cassette: ConfiguredCassette,
  time: WriteTime,
  publish: boolean
): Result.Result<CarryingReport, CassetteDamaged | WriteRefused> => {
  const { birth, file } = cassette
  const old = openAlone(file)
  try {
    // What stands in a log comes into the file, which is then all there is.
    old.pragma("journal_mode = DELETE")
    old.run("BEGIN EXCLUSIVE")
    const fault = faultOf(old, file, birth, time, publish)
    return fault === undefined ? Result.succeed(carryLocked(old, cassette, time)) : Result.fail(fault)
  } finally {
    old.close()
  }
}

/** Carries a cassette's content into a file as configured; undefined when the file agrees, or there is none. */
export const carryCassette = Effect.fnUntraced(function* (
  cassette: ConfiguredCassette,
  publish: boolean
): Effect.fn.Return<CarryingReport | undefined, CassetteWriteError | WriteRefused> {
  const { birth, file } = cassette
  const judged = yield* Effect.result(checkCassetteFile(file, birth))
  if (judged._tag === "Success") return undefined
  if (judged.failure._tag !== "CassetteDiffers") return yield* Effect.fail(judged.failure)
  const time = yield* writeTime(birth.ttlMillis)
  return yield* Effect.fromResult(yield* attemptOnCassette(file, () => carry(cassette, time, publish)))
})
