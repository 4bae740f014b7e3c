// The port to a cassette: it shakes hands, answers questions and counts itself. A store that can also be asked as an
// index is ranked together with the others as if all were one; any other store's hits are scored by their texts. An
// adapter turns everything that keeps it from answering into CassetteOffline; what others plug in is guarded, since it may
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
import type { IndexAnswers, IndexRequest } from "../../domain/network/index-requests.ts"
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

/** Asks an index one request. */
export type AskIndex = <Op extends IndexRequest["op"]>(
  request: Extract<IndexRequest, { readonly op: Op }>
) => Effect.Effect<IndexAnswers[Op], CassetteOffline>

/**
 * Port: one searchable store of the network. What does not answer within its deadline, in milliseconds, is left
 * out.
 */
export interface Cassette {
  readonly cassetteId: string
  /** True when it answers in this process: such cassettes are asked one after another. */
  readonly inProcess: boolean
  /** True for the hub's own adapters, which keep their deadlines by themselves: their answers are taken as they are. */
  readonly trusted?: true
  /** How long another store may take for one answer (milliseconds; 5,000 when it is left out). */
  readonly deadlineMillis?: number | undefined
  /** What the cassette says of itself. */
  readonly handshake: Effect.Effect<Handshake, CassetteOffline>
  /** The best hits for a text, best first; `topK` is 0 to 1,000. */
  readonly query: (text: string, topK: number) => Effect.Effect<ReadonlyArray<StoreHit>, CassetteOffline>
  /** How much it holds. */
  readonly getStats: Effect.Effect<CassetteStats, CassetteOffline>
  /** What makes it rank as one with others. */
  readonly askIndex?: AskIndex
  /** What makes it a place for memories; a cassette that is only read has none. */
  readonly saveMemory?: SaveMemory
  /** What lets memories go again. */
  readonly forgetMemory?: ForgetMemory
  /** What becomes of memories there, as its file says; as it would be born, while there is no file. */
  readonly memoryRule?: Effect.Effect<MemoryRule, CassetteOffline>
  /** Ends what it holds: connections, processes. */
  readonly close: Effect.Effect<void>
}
