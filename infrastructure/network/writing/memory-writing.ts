// Writes memories into a cassette: a text is kept once for each owner, and every time that it is saved leaves a row and a
// receipt of its own. One save is one unit of work. Who may see a memory is decided by the cassette's own description,
// never by what is saved; what its mutability forbids is refused here with a reason, and by the guards for everybody.
import type { MemoryScope } from "../../../domain/network/cassette.ts"
import { MAX_TAIL_CHUNKS } from "../../../domain/network/limits.ts"
import type { GivenMemory } from "../../../domain/network/memories.ts"
import { decideForgetting, decideMemory } from "../../../domain/network/decide-write.ts"
import { memoryRecordHash, saveRecordHash } from "../../../domain/network/records.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { addReceipt } from "../cassette-schema.ts"
import type { WriteTime } from "./write-time.ts"
import type { IndexedRecord } from "../index/chunk-rows.ts"
import {
  foldLongTail,
  indexRecord,
  indexUnit,
  type IndexUnit,
  metaOf,
  withdrawRecord
} from "./index-writing.ts"
import { deleteEmptyPostings, mergeWords } from "./index-statements.ts"
import {
  countSavesByOthers,
  deleteMemory,
  deleteSave,
  insertMemory,
  insertSave,
  type MemoryRow,
  selectExpiredMemories,
  selectLastSave,
  selectMemory,
  selectMemoryIds,
  selectMemoryToIndex,
  selectSaves
} from "./memory-statements.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

/** What saving came to: `refused` by the cassette's mutability, `agent_missing` where each agent has its own memories. */
export type SaveOutcome =
  | {
      readonly outcome: "saved"
      readonly hash: string
      readonly save_count: number
      readonly is_new: boolean
    }
  | { readonly outcome: "refused" }
  | { readonly outcome: "agent_missing" }

const memoryOf = (host: SqlHost, owner: string, content_hash: string): MemoryRow | undefined =>
  selectMemory.first(host, { owner, content_hash })

const addMemory = (host: SqlHost, owner: string, text: string, hash: string, rule: string): MemoryRow => {
  const record_hash = memoryRecordHash(sha256, { owner, content_hash: hash })
  addReceipt(host, "add", record_hash, rule)
  insertMemory.run(host, { owner, text, content_hash: hash, record_hash })
  const memory_id = memoryOf(host, owner, hash)?.memory_id ?? 0
  indexUnit(host, (unit) => indexRecord(unit, { memory_id, hash, owner, text }))
  return { memory_id, record_hash }
}

const addSave = (
  host: SqlHost,
  memory: MemoryRow,
  { agent_id, metadata }: GivenMemory,
  rule: string,
  { expires, now }: WriteTime
): number => {
  const { memory_id } = memory
  const save_number = (selectLastSave.first(host, { memory_id })?.save_number ?? 0) + 1
  const expires_at = rulesOf(rule).expires ? expires : null
  const save = { memory: memory.record_hash, save_number, agent_id, saved_at: now, expires_at, metadata }
  const record_hash = saveRecordHash(sha256, save)
  addReceipt(host, "add", record_hash, rule)
  insertSave.run(host, { ...save, memory_id, record_hash })
  return save_number
}

const scopeOf = (meta: ReadonlyMap<string, string>): MemoryScope =>
  meta.get("memories") === "private" ? "private" : "shared"

/** Saves a memory; one that its owner has already gets another save. */
export const saveMemory = (connection: Connection, memory: GivenMemory, time: WriteTime): SaveOutcome =>
  connection.transaction(() => {
    const meta = metaOf(connection)
    const rule = meta.get("mutability") ?? ""
    const decided = decideMemory(rule, scopeOf(meta), memory.agent_id)
    if (decided.decision !== "save") {
      return { outcome: decided.decision === "refuse" ? "refused" : "agent_missing" }
    }
    const { owner } = decided
    const hash = sha256(memory.text)
    const known = memoryOf(connection, owner, hash)
    const stored = known ?? addMemory(connection, owner, memory.text, hash, rule)
    const save_count = addSave(connection, stored, memory, rule, time)
    foldLongTail(connection, MAX_TAIL_CHUNKS)
    return { outcome: "saved", hash, save_count, is_new: known === undefined }
  })

/** Takes a memory out with all of its saves, the newest first, each with its receipt; gives how many saves there were. */
const removeMemory = (unit: IndexUnit, { memory_id, record_hash }: MemoryRow, rule: string): number => {
  const { host } = unit
  withdrawRecord(unit, "memory_id", memory_id)
  const saves = selectSaves.all(host, { memory_id })
  for (const save of saves) {
    addReceipt(host, "remove", save.record_hash, rule)
    deleteSave.run(host, { save_id: save.save_id })
  }
  addReceipt(host, "remove", record_hash, rule)
  deleteMemory.run(host, { memory_id })
  return saves.length
}

/** Removes memories whose every save has expired by `now`; belongs inside a write. */
export const removeExpiredMemories = (host: SqlHost, now: string): void => {
  const expired = selectExpiredMemories.all(host, { now })
  indexUnit(host, (unit) => {
    for (const memory of expired) removeMemory(unit, memory, "ephemeral")
  })
}

/** What forgetting came to: `kept` by the cassette's mutability, `saved_by_others` where another agent saved it too. */
export type ForgetOutcome =
  | { readonly outcome: "forgotten"; readonly save_count: number }
  | { readonly outcome: "absent" | "kept" | "saved_by_others" }

/** Words that stand in no chunk any more leave the indexes, where they would tell what the text was. */
const dropUnusedWords = (host: SqlHost): void => {
  deleteEmptyPostings.run(host, {})
  mergeWords.run(host, {})
}

const savesByOthers = (host: SqlHost, { memory_id }: MemoryRow, agent: string | null): number =>
  countSavesByOthers.first(host, { memory_id, agent })?.saves ?? 0

/** Removes the memory with this hash that the agent alone has saved, with its words and its vectors: all of it, or nothing. */
export const forgetMemory = (connection: Connection, hash: string, agent: string | null): ForgetOutcome =>
  connection.transaction(() => {
    const meta = metaOf(connection)
    const rule = meta.get("mutability") ?? ""
    const memory = memoryOf(connection, scopeOf(meta) === "private" ? (agent ?? "") : "", hash)
    const decided = decideForgetting(
      rule,
      memory && { savesByOthers: savesByOthers(connection, memory, agent) }
    )
    if (decided !== "forget" || memory === undefined)
      return { outcome: decided === "forget" ? "absent" : decided }
    const save_count = indexUnit(connection, (unit) => removeMemory(unit, memory, rule))
    dropUnusedWords(connection)
    return { outcome: "forgotten", save_count }
  })

/** Every memory that is stored, as its index is made from it. */
export function* memoriesToIndex(host: SqlHost): Generator<IndexedRecord> {
  for (const { memory_id } of selectMemoryIds.all(host, {})) {
    yield* selectMemoryToIndex.all(host, { memory_id })
  }
}
