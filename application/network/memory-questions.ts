// What a network does with memories: save one in a cassette, search them alone, and recall one by its hash or symbol. The
// agent is that of the network, never one that a text or its metadata names; what it may not see is not found, in the
// same words as what does not exist. Stores that a host plugged in have no memories and are not asked.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { DEFAULT_ANSWER_BYTES } from "../../domain/canonical/answer-budget.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { type InvalidInput, invalidInput } from "../../domain/foundation/errors.ts"
import { type NetworkClosed, UnknownCassette, WriteRefused } from "../../domain/network/errors.ts"
import type { ReadScope, StoredSave } from "../../domain/network/index-requests.ts"
import { DEFAULT_LIMIT, MAX_SYMBOL_CANDIDATES } from "../../domain/network/limits.ts"
import { givenMemory } from "../../domain/network/memories.ts"
import {
  InvalidNetworkSymbol,
  NetworkSymbolDamaged,
  NetworkSymbolNotFound,
  type SymbolError
} from "../../domain/network/symbols/symbol-errors.ts"
import { isMeantAsSymbol, parseSymbol, symbolOf } from "../../domain/network/symbols/symbols.ts"
import type { QuerySession } from "./search/query-session.ts"
import { bounded } from "./search/bounded-answer.ts"
import {
  type Cassette,
  type ForgetMemory,
  isFileIndex,
  type MemoryRule,
  type MemorySaved,
  type SaveMemory
} from "./cassette.ts"
import type { EmbedderShape } from "./embedder.ts"
import type { AskError, MergedAnswer, QueryOptions } from "./answers.ts"
import type { LookupOptions, SymbolAskError } from "./symbols/symbol-questions.ts"
import { hashMeant } from "./symbols/symbol-lookup.ts"
import { withUnanswered } from "./symbols/symbol-resolution.ts"
import { rulesOf } from "../../domain/network/mutability.ts"

/** What saving a memory came to. */
export interface SavedMemory extends MemorySaved {
  readonly cassette_id: string
  /** `@A:` and the whole hash. */
  readonly symbol: string
}

/** A cassette that takes memories, and what becomes of them there. */
export interface MemoryPlace extends MemoryRule {
  readonly cassette_id: string
}

/** Where a memory is kept, and who saved it there. */
export interface MemorySource {
  readonly source: string
  /** Newest first, at most 100. */
  readonly saves: ReadonlyArray<StoredSave>
  readonly save_count: number
}

/** A memory with everybody who saved it, the newest in front. */
export interface RecalledMemory extends Pick<MergedAnswer, "answers" | "left_off" | "partial"> {
  readonly hash: string
  readonly symbol: string
  readonly text: string
  readonly sources: ReadonlyArray<MemorySource>
}

/** Every way in which a memory is not saved. */
export type MemorySaveError =
  | Effect.Error<ReturnType<SaveMemory>>
  | InvalidInput
  | NetworkClosed
  | UnknownCassette

/** What forgetting a memory came to. */
export interface ForgottenMemory {
  readonly cassette_id: string
  readonly hash: string
  readonly symbol: string
  /** How often it had been saved. */
  readonly save_count: number
}

/** Every way in which a memory is not forgotten; it stays as it is. */
export type MemoryForgetError = Effect.Error<ReturnType<ForgetMemory>> | SymbolAskError

/**
 * The operations on memories. A memory is named by the first 12 digits or more of its hash, or by its symbol
 * `@A:…`.
 */
export interface MemoryQuestions {
  /** Where memories can be saved now, in the order of registration; what tells nothing of itself is not among them. */
  readonly memoryPlaces: Effect.Effect<ReadonlyArray<MemoryPlace>, NetworkClosed>
  /** Saves a text; it is on the disk when this ends. A text that is there already gets another save. */
  readonly memorySave: (
    text: string,
    cassette: string,
    metadata?: JsonObject
  ) => Effect.Effect<SavedMemory, MemorySaveError>
  /** Searches memories alone; what it counts and scores is of memories alone. `limit` is 0 to 1,000. */
  readonly memoryQuery: (
    text: string,
    limit?: number,
    options?: QueryOptions
  ) => Effect.Effect<MergedAnswer, AskError>
  /** The memory that a hash, 12 or more of its first digits, or a symbol `@A:` names. */
  readonly memoryRecall: (
    name: string,
    options?: LookupOptions
  ) => Effect.Effect<RecalledMemory, SymbolAskError>
  /**
   * Removes the memory that a name, as for `memoryRecall`, names in one cassette, with its words and vectors: whole or not at
   * all, with receipts. An agent forgets only what it alone has saved.
   */
  readonly memoryForget: (name: string, cassette: string) => Effect.Effect<ForgottenMemory, MemoryForgetError>
}

/** What a search leaves out: everything but memories, and the cassettes that are not asked. */
export interface SearchNarrowing extends Pick<ReadScope, "only"> {
  readonly isAsked?: (cassette: Cassette) => boolean
}

/** What the hub lends to its questions about memories. */
export interface MemoryHub {
  readonly agent: string | null
  readonly sha256: Sha256
  readonly registered: () => ReadonlyMap<string, Cassette>
  readonly ask: <A>(
    options: QueryOptions,
    limit: number,
    work: (session: QuerySession, scope: ReadScope) => Effect.Effect<A>,
    isAsked: (cassette: Cassette) => boolean
  ) => Effect.Effect<{ readonly value: A } & Pick<MergedAnswer, "answers" | "partial">, AskError>
  readonly withEmbedder: <A, E>(
    use: (embedder: EmbedderShape | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly search: (
    text: string,
    limit: number,
    options: QueryOptions,
    narrowing: SearchNarrowing
  ) => Effect.Effect<MergedAnswer, AskError>
}

/** How memories are written in a cassette; null where they are only read, or where there are none. */
const writableMemories = (cassette: Cassette) => (isFileIndex(cassette) ? cassette.memories : null)

const prefixOf = (name: string): Result.Result<string, InvalidNetworkSymbol> =>
  Result.flatMap(parseSymbol(isMeantAsSymbol(name) ? name : symbolOf("memory", name)), ({ kind, prefix }) =>
    kind === "memory"
      ? Result.succeed(prefix)
      : Result.fail(new InvalidNetworkSymbol({ symbol: name, reason: "it names no memory" }))
  )

type FoundMemory = Omit<RecalledMemory, "answers" | "left_off" | "partial">

/** The one memory whose hash begins with the digits. */
const recall = Effect.fnUntraced(function* (
  session: QuerySession,
  sha256: Sha256,
  prefix: string,
  scope: ReadScope
): Effect.fn.Return<FoundMemory, SymbolError> {
  const limit = MAX_SYMBOL_CANDIDATES + 1
  const answers = yield* session.eachFile((cassette) =>
    cassette.askIndex({ op: "recall", scope, prefix, limit })
  )
  const found = [...answers].flatMap(([source, memories]) =>
    memories.map((memory) => ({ source, ...memory }))
  )
  const asked = symbolOf("memory", prefix)
  const trail = [asked]
  const hashes = found.map((memory) => memory.hash)
  const nameOf = (hash: string) => symbolOf("memory", hash)
  const hash = yield* Effect.fromResult(hashMeant({ prefix, symbol: asked, trail }, hashes, nameOf))
  const memories = found.filter((memory) => memory.hash === hash)
  const symbol = nameOf(hash)
  const damaged = memories.filter(({ text }) => sha256(text) !== hash).map(({ source }) => source)
  const whole = memories.find(({ source }) => !damaged.includes(source))
  if (whole === undefined) return yield* new NetworkSymbolDamaged({ symbol, trail, cassettes: damaged })
  return {
    hash,
    symbol,
    text: whole.text,
    sources: memories.map(({ save_count, saves, source }) => ({ source, saves, save_count }))
  }
})

const recallFrom = (hub: MemoryHub): MemoryQuestions["memoryRecall"] =>
  Effect.fnUntraced(function* (name, options = {}) {
    const prefix = yield* Effect.fromResult(prefixOf(name))
    const { answers, partial, value } = yield* hub.ask(
      options,
      0,
      (session, scope) => Effect.result(recall(session, hub.sha256, prefix, scope)),
      isFileIndex
    )
    return Result.isSuccess(value)
      ? { ...value.success, answers, partial }
      : yield* Effect.fail(withUnanswered(value.failure, answers))
  })

/** What is not in one cassette is told with where the same agent finds it. */
const withElsewhere = Effect.fnUntraced(function* (
  hub: MemoryHub,
  name: string,
  cassette: string,
  error: SymbolAskError
): Effect.fn.Return<never, SymbolAskError> {
  if (!(error instanceof NetworkSymbolNotFound)) return yield* Effect.fail(error)
  const found = yield* Effect.result(recallFrom(hub)(name))
  if (Result.isFailure(found)) return yield* Effect.fail(error)
  const { sources, symbol } = found.success
  return yield* new NetworkSymbolNotFound({
    symbol,
    trail: [symbol],
    unanswered: [],
    asked: [cassette],
    elsewhere: sources.map(({ source }) => source)
  })
})

const forgetFrom = (hub: MemoryHub): MemoryQuestions["memoryForget"] =>
  Effect.fnUntraced(function* (name, cassette) {
    const { hash, symbol } = yield* Effect.catch(
      recallFrom(hub)(name, { cassettes: [cassette], strict: true }),
      (error) => withElsewhere(hub, name, cassette, error)
    )
    const target = hub.registered().get(cassette)
    const memories = target === undefined ? null : writableMemories(target)
    if (memories === null) {
      const reason = "it is only read here: memories are forgotten in cassettes of type local"
      return yield* new WriteRefused({ cassette_id: cassette, reason })
    }
    const save_count = yield* memories.forget(hash, hub.agent)
    // Another process has removed it meanwhile.
    if (save_count === 0)
      return yield* new NetworkSymbolNotFound({ symbol, trail: [symbol], unanswered: [], asked: [cassette] })
    return { cassette_id: cassette, hash, symbol, save_count }
  })

/** The questions about memories over what the hub lends. */
export const memoryQuestions = (hub: MemoryHub): MemoryQuestions => ({
  memoryPlaces: Effect.suspend(() =>
    Effect.forEach(
      [...hub.registered().values()],
      (cassette) => {
        const memories = writableMemories(cassette)
        if (memories === null) return Effect.succeed([])
        return memories.rule.pipe(
          Effect.map((rule) =>
            rulesOf(rule.mutability).remembers ? [{ cassette_id: cassette.cassetteId, ...rule }] : []
          ),
          // A cassette that does not answer now is told by the answers of questions.
          Effect.catch(() => Effect.succeed([]))
        )
      },
      // Several that wait for another program wait together.
      { concurrency: "unbounded" }
    )
  ).pipe(Effect.map((places) => places.flat())),
  memorySave: Effect.fnUntraced(function* (
    text: string,
    cassette: string,
    metadata: JsonObject = {}
  ): Effect.fn.Return<SavedMemory, MemorySaveError> {
    const given = givenMemory(text, metadata, hub.agent)
    if (Result.isFailure(given)) {
      return yield* Effect.fail(invalidInput(given.failure))
    }
    const registered = hub.registered()
    const target = registered.get(cassette)
    if (target === undefined) {
      return yield* new UnknownCassette({ cassettes: [cassette], known: [...registered.keys()] })
    }
    const memories = writableMemories(target)
    if (memories === null) {
      const reason = "it is only read here: memories are saved in cassettes of type local"
      return yield* new WriteRefused({ cassette_id: cassette, reason })
    }
    const saved = yield* hub.withEmbedder((embedder) => memories.save(given.success, embedder))
    return { ...saved, cassette_id: cassette, symbol: symbolOf("memory", saved.hash) }
  }),
  memoryQuery: (text, limit = DEFAULT_LIMIT, options = {}) =>
    bounded(
      options.maxBytes ?? DEFAULT_ANSWER_BYTES,
      hub.search(text, limit, options, { only: "memory", isAsked: isFileIndex })
    ),
  memoryRecall: (name, options = {}) => bounded(options.maxBytes ?? Infinity, recallFrom(hub)(name, options)),
  memoryForget: forgetFrom(hub)
})
