// What a cassette knows of its documents and memories as a whole, as far as the scope lets a caller see them: the root
// over their records, files, types. It loads nothing but what reading needs, since every child process does the same.
import type { MemoryScope, Mutability } from "../../../domain/network/cassette.ts"
import type { IndexFacts, ReadScope } from "../../../domain/network/index-requests.ts"
import { NO_RECEIPT } from "../../../domain/network/receipt-form.ts"
import { recordsRoot } from "../../../domain/network/record-root.ts"
import { sha256Bytes } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { OpenCassette } from "../cassette-file.ts"
import {
  countFiles,
  countVisibleSaves,
  selectNewestReceiptHash,
  selectRecordHashes,
  selectTypes
} from "./memory-statements.ts"

/** Roots by the receipt that they belong to and by who sees them: nothing is written without a receipt. */
const roots = new Map<string, string>()

const rootFor = (connection: Connection, owner: string): string => {
  const newest = selectNewestReceiptHash.first(connection, {})
  const key = `${newest?.receipt_hash ?? NO_RECEIPT} ${owner}`
  const known = roots.get(key)
  if (known !== undefined) return known
  const rows = selectRecordHashes.all(connection, { owner })
  const root = recordsRoot(
    sha256Bytes,
    rows.map(({ record_hash }) => record_hash)
  )
  if (roots.size > 256) roots.clear()
  roots.set(key, root)
  return root
}

/** Facts of records; `owner` is the agent whose own memories are seen too, or empty. */
export const factsOf = (
  { connection, meta }: OpenCassette,
  { now }: ReadScope,
  owner: string = ""
): Omit<IndexFacts, "total_chunks" | "definitions" | "vectors" | "unfinished"> => {
  const types = selectTypes.all(connection, { now }).map(({ type }) => type)
  const files = countFiles.first(connection, { now })
  const memories = countVisibleSaves.first(connection, { owner, now })
  return {
    cassette_id: meta.get("cassette_id") ?? "",
    schema_version: meta.get("schema_version") ?? "",
    mutability: (meta.get("mutability") ?? "mutable") as Mutability,
    memories: (meta.get("memories") ?? "shared") as MemoryScope,
    records_root: rootFor(connection, owner),
    files: files?.count ?? 0,
    content_types: [...new Set([...types, ...((memories?.count ?? 0) > 0 ? ["memory"] : [])])].sort(),
    has_agents: (memories?.named ?? 0) > 0
  }
}
