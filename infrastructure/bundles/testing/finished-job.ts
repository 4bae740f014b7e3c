/**
 * Finished jobs in real ledgers with what their steps read in a real expansion cache, for tests of building. Outside
 * tests nothing may import it.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BuildBundle } from "../../../application/bundles/build-bundle.ts"
import { ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import { makeExpansion } from "../../../domain/corpus/expansion.ts"
import { nodeHashingLayer, sha256 } from "../../hashing/node-hashing.ts"
import { corpusDatabaseLayer } from "../../corpus/corpus-database.ts"
import { sqliteExpansionCacheLayer } from "../../corpus/expansions/sqlite-expansion-cache.ts"
import { sqliteLedgerLayer } from "../../ledger/sqlite-ledger.ts"
import { folderDraftLayer } from "../../files/folder-draft.ts"
import { bundleFolderLayer } from "../bundle-folder.ts"

/** One step and what it read; a step without a text fails. */
export interface Read {
  /** `@…` for a symbol, else 64 hexadecimal digits for a section. */
  readonly ref: string
  readonly slice: string
  readonly text: string | undefined
  readonly constraints?: JsonObject
  readonly expected_outputs?: JsonObject
}

const isSymbol = ({ ref }: Read): boolean => ref.startsWith("@")

/** The payload of the step that reads. */
const payloadOf = (read: Read): JsonObject => ({
  op: isSymbol(read) ? "READ_SYMBOL" : "READ_SECTION",
  refs: isSymbol(read) ? { symbol_id: read.ref } : { section_id: read.ref },
  constraints: { ...read.constraints, slice: read.slice },
  expected_outputs: read.expected_outputs ?? {}
})

const sectionHash = (text: string): string => sha256(`section of ${text}`)

/** The receipt of a step that read. */
export const receiptOf = (step_id: string, read: Read, text: string): JsonObject => ({
  step_id,
  op: isSymbol(read) ? "READ_SYMBOL" : "READ_SECTION",
  section_id: isSymbol(read) ? sha256(read.ref) : read.ref,
  symbol_id: isSymbol(read) ? read.ref : null,
  slice: read.slice,
  section_content_hash: sectionHash(text),
  payload_hash: sha256(text),
  bytes_read: Buffer.byteLength(text),
  cache: "MISS"
})

const CREATED_AT = "2026-04-17T10:11:12.345Z"

/** Stores what a step read. */
export const storeReading = (run_id: string, read: Read, text: string) =>
  ExpansionCache.use((cache) =>
    cache.store(
      makeExpansion(
        sha256,
        { run_id, symbol_id: read.ref, slice: read.slice, section_content_hash: sectionHash(text) },
        { section_id: isSymbol(read) ? sha256(read.ref) : read.ref, payload: text, created_at: CREATED_AT }
      )
    )
  )

export interface JobOptions {
  /** How many of the steps are left waiting, from the end. */
  readonly waiting?: number
  /** Texts that are not stored, so that the cache has nothing for their steps. */
  readonly unstored?: boolean
}

/** Posts a job of these readings to `run_1` and works it. */
export const finishJob = Effect.fnUntraced(function* (reads: ReadonlyArray<Read>, options: JobOptions = {}) {
  const ledger = yield* Ledger
  const run_id = "run_1"
  const [first, ...rest] = reads.map(payloadOf)
  const { job_id } = yield* ledger.postMessage({
    run_id,
    source: "PLANNER",
    payload: { intent: "read" },
    jobs: [{ intent: "read", steps: [first ?? {}, ...rest] }]
  })
  for (const read of reads.slice(0, reads.length - (options.waiting ?? 0))) {
    const { fencing_token, step_id } = yield* ledger.claimStep({ run_id, worker_id: "w", ttl_seconds: 60 })
    const { text } = read
    if (text !== undefined && options.unstored !== true) yield* storeReading(run_id, read, text)
    yield* ledger.completeStep({
      run_id,
      step_id,
      worker_id: "w",
      fencing_token,
      outcome: text === undefined ? "FAILURE" : "SUCCESS",
      receipt_payload: text === undefined ? { error: "gone" } : receiptOf(step_id, read, text)
    })
  }
  return { run_id, job_id } satisfies BuildBundle
})

/** A ledger and a cache below a folder, and all that bundles need. */
export const bundleLayer = (folder: string) => {
  mkdirSync(folder, { recursive: true })
  const ledger = Ledger.layerNoDeps.pipe(
    Layer.provide(sqliteLedgerLayer({ filename: join(folder, "system3.db"), durability: "normal" }))
  )
  const cache = sqliteExpansionCacheLayer.pipe(
    Layer.provide(corpusDatabaseLayer({ filename: join(folder, "system1.db") }))
  )
  return Layer.mergeAll(ledger, cache, nodeHashingLayer, folderDraftLayer, bundleFolderLayer)
}
