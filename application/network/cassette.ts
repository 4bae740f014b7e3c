// The port to a cassette: it shakes hands, answers questions and counts itself. There are three kinds, and their types say what
// each can do: a plain store's hits are scored by their texts, an index is ranked together with others as if all were one, and
// the index of a cassette's own file also keeps memories. `isIndexStore` and `isFileIndex` alone decide of which kind a store is.
// An adapter turns everything that keeps it from answering into CassetteOffline; what others plug in is guarded, since it may
// throw, hang, or answer anything (guarded-cassette.ts).
import type * as Effect from "effect/Effect"
import type { CassetteStats, Handshake, MemoryScope, Mutability } from "../../domain/network/cassette.ts"
import type {
  FileMissing,
  NetworkFileSystem,
  UnsafePlace,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy,
  StoreNewerThanProgram
} from "../../domain/foundation/storage-errors.ts"
import type { InvalidInput, InvariantViolation } from "../../domain/foundation/errors.ts"
import type {
  AgentMissing,
  CassetteDamaged,
  CassetteDiffers,
  CassetteOffline,
  LedgerIsNotACassette,
  NotACassette,
  WriteRefused
} from "../../domain/network/errors.ts"
import type { IndexAnswers, IndexRequest, RankingOp } from "../../domain/network/index-requests.ts"
import type { GivenMemory } from "../../domain/network/memories.ts"
import type { EmbedderShape } from "./embedder.ts"

/** A hit as a store of any kind gives it; further fields of the answer are made by the hub. */
export interface StoreHit {
  readonly chunk_id: string
  readonly path: string
  /** SHA-256 of the content. */
  readonly hash: string
  readonly content: string
}

/** How writing to a cassette's file can fail. */
export type CassetteWriteError =
  | CassetteDamaged
  | CassetteDiffers
  | FileMissing
  | InvalidInput
  | InvariantViolation
  | LedgerIsNotACassette
  | NetworkFileSystem
  | UnsafePlace
  | NotACassette
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | StoreBusy
  | StoreNewerThanProgram

/** What saving a memory came to in its cassette. */
export interface MemorySaved {
  /** SHA-256 of the text. */
  readonly hash: string
  /** How often the text was saved, this time counted. */
  readonly save_count: number
  readonly is_new: boolean
  /** Why the text has no vector yet, if so. */
  readonly notices: ReadonlyArray<string>
}

/** Saves a memory: it is on the disk when this ends. The embedder, if there is one, gives the text its vector. */
export type SaveMemory = (
  memory: GivenMemory,
  embedder: EmbedderShape | undefined
) => Effect.Effect<MemorySaved, CassetteWriteError | AgentMissing | WriteRefused>

/** Removes the memory with this hash that the agent alone has saved; gives how many saves it had, 0 when it is not there. */
export type ForgetMemory = (
  hash: string,
  agent: string | null
) => Effect.Effect<number, CassetteWriteError | WriteRefused>

/** Who finds a memory of a cassette, and how long it is kept. */
export interface MemoryRule {
  readonly memories: MemoryScope
  readonly mutability: Mutability
}

/** Asks an index one request, of these. */
export type AskIndex<Ops extends IndexRequest["op"] = IndexRequest["op"]> = <Op extends Ops>(
  request: Extract<IndexRequest, { readonly op: Op }>
) => Effect.Effect<IndexAnswers[Op], CassetteOffline>

/** What every store of the network does. */
interface Store {
  readonly cassetteId: string
  /** True when it answers in this process: such cassettes are asked one after another. */
  readonly inProcess: boolean
  /** How long a store of a host may take for one answer (milliseconds; 5,000 when it is left out); then it is left out. */
  readonly deadlineMillis?: number | undefined
  /** What the cassette says of itself. */
  readonly handshake: Effect.Effect<Handshake, CassetteOffline>
  /** The best hits for a text, best first; `topK` is 0 to 1,000. */
  readonly query: (text: string, topK: number) => Effect.Effect<ReadonlyArray<StoreHit>, CassetteOffline>
  /** How much it holds. */
  readonly getStats: Effect.Effect<CassetteStats, CassetteOffline>
  /** Ends what it holds: connections, processes. */
  readonly close: Effect.Effect<void>
}

/** A store of a host that finds texts by itself: the hub scores its hits by their texts. */
export interface PlainStore extends Store {
  readonly kind?: never
  readonly askIndex?: never
}

/** A store of a host that answers what ranking asks of an index: it ranks as one with other indexes. */
export interface IndexStore extends Store {
  readonly kind?: never
  readonly askIndex: AskIndex<RankingOp>
}

/** How memories are written in one cassette. */
export interface MemoryStore {
  readonly save: SaveMemory
  readonly forget: ForgetMemory
  /** What becomes of memories there, as its file says; as it would be born, while there is no file. */
  readonly rule: Effect.Effect<MemoryRule, CassetteOffline>
}

/**
 * The index of a cassette's file, by the hub's own adapters: they keep their deadlines and hide what an agent may not see, so
 * that their answers are taken as they are.
 */
export interface FileIndex extends Store {
  readonly kind: "file"
  readonly askIndex: AskIndex
  /** Null where the file is only read. */
  readonly memories: MemoryStore | null
}

/** Port: one searchable store of the network, of any kind. */
export type Cassette = PlainStore | IndexStore | FileIndex

/** What ranking needs of an index of either kind. */
export type RankedIndex = Pick<IndexStore, "askIndex" | "cassetteId">

/** Whether a store is asked as an index. */
export const isIndexStore = (cassette: Cassette): cassette is IndexStore | FileIndex =>
  cassette.askIndex !== undefined

/** Whether a store is the index of a cassette's file: such a one alone is asked for symbols and memories. */
export const isFileIndex = (cassette: Cassette): cassette is FileIndex => cassette.kind === "file"
