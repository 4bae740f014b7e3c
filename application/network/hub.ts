// The hub of the network: each question is asked of the cassettes that are there when it begins, and an answer always
// says who answered and how. Nothing that a cassette does or fails to do ends a
// question for the others.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DEFAULT_ANSWER_BYTES, type LeftOff } from "../../domain/canonical/answer-budget.ts"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import {
  type CassetteAnswer,
  CAPABILITIES,
  type Handshake,
  type Hit,
  SEARCH_MODES
} from "../../domain/network/cassette.ts"
import {
  type CassetteExists,
  type NetworkClosed,
  NoCassetteWithCapability,
  type UnknownCassette
} from "../../domain/network/errors.ts"
import type { ReadScope } from "../../domain/network/index-requests.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../domain/network/limits.ts"
import { distinctTexts } from "../../domain/network/ranking/ranking.ts"
import { Hashing } from "../foundation/hashing.ts"
import { onArguments } from "../foundation/input.ts"
import { asOperation } from "../foundation/telemetry.ts"
import type { AskError, MergedAnswer, QueryOptions } from "./answers.ts"
import { QuerySession } from "./search/query-session.ts"
import { bounded } from "./search/bounded-answer.ts"
import { CallerAgent } from "./caller-agent.ts"
import { type Cassette, isFileIndex } from "./cassette.ts"
import { Embedder, type EmbedderShape } from "./embedder.ts"
import { EmbedderInUse } from "./embedder-in-use.ts"
import { complete, isPartial } from "./search/completeness.ts"
import { type MemoryQuestions, memoryQuestions, type SearchNarrowing } from "./memory-questions.ts"
import { namedText, neighboursOf } from "./search/neighbours.ts"
import { foundByWords, hitsOf, rankNetwork } from "./search/lexical-ranking.ts"
import { Roster } from "./roster.ts"
import { searchNetwork, searchNothing, type SearchTools } from "./search/hybrid-search.ts"
import { Stemming } from "./search/stemming.ts"
import { type SymbolAskError, type SymbolQuestions, symbolQuestions } from "./symbols/symbol-questions.ts"
import { signBitVectors, VectorIndex } from "./search/vector-index.ts"
import type { EmbedderHealth } from "./watched-embedder.ts"

/** The neighbours of a text. */
export interface NeighbourAnswer extends MergedAnswer {
  /** Whose neighbours they are. */
  readonly hash: string
}

/** Hits by cassette; one that does not answer has an empty list. */
export interface AnswerByCassette {
  readonly results: Readonly<Record<string, ReadonlyArray<Hit>>>
  /** What of a long question was left out. */
  readonly notices: ReadonlyArray<string>
  readonly answers: Readonly<Record<string, CassetteAnswer>>
  readonly partial: boolean
  /** Only where the answer is larger than its budget. */
  readonly left_off?: LeftOff
}

/** How one cassette is. */
export type CassetteHealth =
  | ({ readonly status: "ok" | "partial"; readonly took_ms: number; readonly reason?: string } & Handshake)
  | (CassetteAnswer & { readonly cassette_id: string })

/** The questions to a network of cassettes: search, symbols and memories, and which cassettes there are. */
export interface NetworkShape extends MemoryQuestions, SymbolQuestions {
  /** Registers a cassette under its id; a cassette that is offline is registered all the same. */
  readonly register: (
    cassette: Cassette
  ) => Effect.Effect<void, CassetteExists | InvalidInput | NetworkClosed>
  /** Takes a cassette out and closes it. */
  readonly unregister: (id: string) => Effect.Effect<void, InvalidInput | NetworkClosed | UnknownCassette>
  /** Puts another cassette in the place of the one with its id, or adds it; questions that run are not disturbed. */
  readonly swap: (cassette: Cassette) => Effect.Effect<void, InvalidInput | NetworkClosed>
  /**
   * Gives questions another embedder, or none; those that run end on the one that they began with. `retire` is run once
   * the new one is no longer needed.
   */
  readonly swapEmbedder: (
    embedder: EmbedderShape | undefined,
    retire?: Effect.Effect<void>
  ) => Effect.Effect<void, InvalidInput | NetworkClosed>
  /** Ids in the order of registration. */
  readonly cassettes: Effect.Effect<ReadonlyArray<string>, NetworkClosed>
  /** One list over all asked cassettes; `limit` is 0 to 1,000. */
  readonly query: (
    text: string,
    limit?: number,
    options?: QueryOptions
  ) => Effect.Effect<MergedAnswer, AskError>
  /** One list of hits for each cassette, best first; `topK` is 0 to 1,000. */
  readonly queryAll: (
    text: string,
    topK?: number,
    options?: QueryOptions
  ) => Effect.Effect<AnswerByCassette, AskError>
  /** As `query`, of the cassettes with a capability alone; `NoCassetteWithCapability` where there is none. */
  readonly queryByCapability: (
    text: string,
    capability: string,
    topK?: number,
    options?: QueryOptions
  ) => Effect.Effect<AnswerByCassette, AskError>
  /**
   * The texts most like the one that a hash (or 12 of its first digits) or a symbol names, wherever that one stands; it
   * is not among them. `limit` is 0 to 1,000.
   */
  readonly neighbours: (
    name: string,
    limit?: number,
    options?: Omit<QueryOptions, "mode">
  ) => Effect.Effect<NeighbourAnswer, SymbolAskError>
  /** Every cassette that is registered, and how it is. */
  readonly status: Effect.Effect<ReadonlyArray<CassetteHealth>, NetworkClosed>
  /** How the embedder is: it is asked for one vector, for at most 5 s. Null where there is none. */
  readonly embedderHealth: Effect.Effect<EmbedderHealth | null, NetworkClosed>
}

const budgetOfHits = ({ maxBytes = DEFAULT_ANSWER_BYTES }: QueryOptions = {}): number => maxBytes

const limitFault = (limit: number): InvalidInput | undefined =>
  Number.isInteger(limit) && limit >= 0 && limit <= MAX_LIMIT
    ? undefined
    : invalidAt("/limit", `a whole number from 0 to ${MAX_LIMIT}`)

const healthOf = (
  cassette_id: string,
  answer: CassetteAnswer,
  handshake: Handshake | undefined
): CassetteHealth =>
  handshake === undefined
    ? { cassette_id, ...answer }
    : { ...handshake, ...answer, status: answer.status === "partial" ? "partial" : "ok" }

class Hub {
  readonly roster: Roster
  /** What each cassette was when it was last asked: a change is logged once. */
  private readonly seen = new Map<string, string>()
  private readonly tools: Omit<SearchTools, "embedder">
  private readonly embedding: EmbedderInUse
  private readonly agent: string | null

  constructor({ embedder, ...tools }: SearchTools, sha256: Sha256, agent: string | null) {
    this.tools = tools
    this.embedding = new EmbedderInUse(embedder)
    this.roster = new Roster(sha256)
    this.agent = agent
    this.memories = memoryQuestions({
      agent,
      sha256,
      search: (text, limit, options, narrowing) => this.search(text, limit, options, narrowing),
      registered: () => this.roster.registered,
      ask: (options, limit, work, isAsked) => this.ask(options, limit, work, isAsked),
      withEmbedder: (use) => this.embedding.using(use)
    })
  }

  swapEmbedder(embedder: EmbedderShape | undefined, retire: Effect.Effect<void>): Effect.Effect<void> {
    return this.embedding.swap(embedder, retire)
  }

  readonly close = Effect.suspend(() =>
    Effect.forEach([this.embedding.close, this.roster.close], (each) => each, { discard: true })
  )

  private readonly logChanges = Effect.fnUntraced(function* (
    this: Hub,
    answers: Readonly<Record<string, CassetteAnswer>>
  ) {
    for (const [id, { status }] of Object.entries(answers)) {
      const before = this.seen.get(id) ?? "ok"
      this.seen.set(id, status)
      if (status !== before && status !== "ok" && status !== "partial")
        yield* Effect.logWarning(`Cassette ${id} ${status === "refused" ? "refused" : "offline"}, skipping`)
    }
  })

  /** Of the chosen cassettes those with a capability; cassettes that do not shake hands stay, as failures. */
  private readonly capable = Effect.fnUntraced(function* (
    this: Hub,
    session: QuerySession,
    capability: string
  ) {
    const handshakes = yield* session.each(({ handshake }) => handshake)
    const able = session.answering.filter(({ cassetteId }) =>
      handshakes.get(cassetteId)?.capabilities.some((each) => each === capability)
    )
    const failed = Object.fromEntries(
      Object.entries(session.answers()).filter(([, { status }]) => status !== "ok" && status !== "partial")
    )
    if (able.length === 0) {
      const available = [
        ...new Set([...handshakes.values()].flatMap(({ capabilities }) => capabilities))
      ].sort()
      return yield* new NoCassetteWithCapability({ capability, available })
    }
    return { able, failed }
  })

  /** Chooses, asks and judges one question. */
  private readonly ask = Effect.fnUntraced(function* <A>(
    this: Hub,
    { capability, cassettes, mode, strict = false }: QueryOptions,
    limit: number,
    work: (session: QuerySession, scope: ReadScope) => Effect.Effect<A>,
    isAsked: (cassette: Cassette) => boolean = () => true
  ): Effect.fn.Return<
    {
      readonly value: A
      readonly answers: Readonly<Record<string, CassetteAnswer>>
      readonly partial: boolean
    },
    AskError
  > {
    const fault = limitFault(limit)
    if (fault !== undefined) return yield* Effect.fail(fault)
    if (capability !== undefined && !CAPABILITIES.some((each) => each === capability)) {
      return yield* Effect.fail(invalidAt("/capability", `one of ${CAPABILITIES.join(", ")}`))
    }
    if (mode !== undefined && !SEARCH_MODES.some((each) => each === mode)) {
      return yield* Effect.fail(invalidAt("/mode", `one of ${SEARCH_MODES.join(", ")}`))
    }
    const chosen = this.roster.chosen(cassettes)
    if (!Array.isArray(chosen)) return yield* Effect.fail(chosen as UnknownCassette | InvalidInput)
    const scope = { now: nearestTimestamp(yield* Clock.currentTimeMillis), agent: this.agent }
    return yield* this.roster.using((chosen as ReadonlyArray<Cassette>).filter(isAsked), (all) =>
      Effect.gen({ self: this }, function* () {
        const { able, failed } =
          capability === undefined
            ? { able: all.answering, failed: {} }
            : yield* this.capable(all, capability)
        const session = new QuerySession(able)
        const value = yield* work(session, scope)
        const answers = { ...failed, ...session.answers() }
        yield* this.logChanges(answers)
        const refusal = complete(answers, strict)
        if (refusal !== undefined) return yield* Effect.fail(refusal)
        return { value, answers, partial: isPartial(answers) }
      })
    )
  })

  /** One list of everything that may be seen, or of memories alone. */
  readonly search = Effect.fnUntraced(function* (
    this: Hub,
    text: string,
    limit: number,
    options: QueryOptions,
    { isAsked, ...only }: SearchNarrowing = {}
  ): Effect.fn.Return<MergedAnswer, AskError> {
    const { answers, partial, value } = yield* this.embedding.using((embedder) =>
      this.ask(
        options,
        limit,
        (session, scope) =>
          limit === 0
            ? searchNothing(session)
            : session.steadily(
                searchNetwork(
                  session,
                  { ...this.tools, embedder },
                  text,
                  limit,
                  { ...scope, ...only },
                  options.mode
                )
              ),
        isAsked
      )
    )
    return { ...value, answers, partial }
  })

  /** The best of each cassette, by its id. */
  private readonly askEach = Effect.fnUntraced(function* (
    this: Hub,
    session: QuerySession,
    text: string,
    topK: number,
    scope: ReadScope
  ): Effect.fn.Return<Pick<AnswerByCassette, "notices" | "results">> {
    const results: Record<string, ReadonlyArray<Hit>> = {}
    const wanted = { texts: topK, ofEach: true }
    const network = yield* rankNetwork(session, this.tools.stem, text, wanted, scope)
    for (const { cassetteId } of session.answering) {
      const own = network.ranked.filter(({ source }) => source === cassetteId)
      results[cassetteId] = yield* hitsOf(
        session,
        network.texts,
        foundByWords(distinctTexts(own, topK)),
        scope
      )
    }
    return { results, notices: network.notices }
  })

  readonly queryAll = Effect.fnUntraced(function* (
    this: Hub,
    text: string,
    topK: number = DEFAULT_LIMIT,
    options: QueryOptions = {}
  ): Effect.fn.Return<AnswerByCassette, AskError> {
    const { answers, partial, value } = yield* this.ask(options, topK, (session, scope) =>
      Effect.gen({ self: this }, function* () {
        if (topK === 0) {
          yield* session.each(({ getStats }) => getStats)
          return { results: {}, notices: [] }
        }
        return yield* session.steadily(this.askEach(session, text, topK, scope))
      })
    )
    return {
      results: Object.fromEntries(Object.keys(answers).map((id) => [id, value.results[id] ?? []])),
      notices: value.notices,
      answers,
      partial
    }
  })

  /** The questions about symbols: stores that a host plugged in are not asked. */
  readonly symbols = symbolQuestions((options, work) =>
    this.ask(options, 0, (session, scope) => work(session, scope), isFileIndex)
  )

  /** The questions about memories: stores that a host plugged in are not asked. */
  readonly memories: MemoryQuestions

  readonly neighbours = Effect.fnUntraced(function* (
    this: Hub,
    name: string,
    limit: number = DEFAULT_LIMIT,
    options: Omit<QueryOptions, "mode"> = {}
  ): Effect.fn.Return<NeighbourAnswer, SymbolAskError> {
    const fault = limitFault(limit)
    if (fault !== undefined) return yield* Effect.fail(fault)
    return yield* this.embedding.using((embedder) =>
      this.roster.using([...this.roster.registered.values()], (everywhere) =>
        Effect.gen({ self: this }, function* () {
          const scope = { now: nearestTimestamp(yield* Clock.currentTimeMillis), agent: this.agent }
          const text = yield* namedText(everywhere, name, scope)
          const { answers, partial, value } = yield* this.ask(options, limit, (session) =>
            limit === 0
              ? searchNothing(session)
              : neighboursOf(session, everywhere, { ...this.tools, embedder }, text, limit, scope)
          )
          return { hash: text.hash, ...value, answers, partial }
        })
      )
    )
  })

  readonly embedderHealth = Effect.suspend(() =>
    this.embedding.using<EmbedderHealth | null, never>(
      (embedder) => embedder?.health() ?? Effect.succeed(null)
    )
  )

  readonly status = Effect.suspend(() =>
    this.roster.using([...this.roster.registered.values()], (session) =>
      Effect.gen({ self: this }, function* () {
        const handshakes = yield* session.each(({ handshake }) => handshake)
        session.noteUnfinished(handshakes)
        const answers = session.answers()
        yield* this.logChanges(answers)
        return Object.entries(answers).map(([id, answer]) => healthOf(id, answer, handshakes.get(id)))
      })
    )
  )
}

/** What is done with memories, in spans; texts and names that are asked for are none of their attributes. */
const memoriesInSpans = (
  { memoryForget, memoryQuery, memoryRecall, memorySave }: MemoryQuestions,
  agent_id: string | null
): Omit<MemoryQuestions, "memoryPlaces"> => ({
  memorySave: (text, cassette_id, metadata) =>
    onArguments({ texts: { text, cassette: cassette_id } }, () =>
      memorySave(text, cassette_id, metadata)
    ).pipe(asOperation("cassette.network.memorySave", "upsert_memory", { agent_id, cassette_id })),
  memoryQuery: (...asked) =>
    onArguments({ texts: { text: asked[0] }, options: asked[2] }, () => memoryQuery(...asked)).pipe(
      asOperation("cassette.network.memoryQuery", "search_memory", { agent_id })
    ),
  memoryRecall: (...asked) =>
    onArguments({ texts: { name: asked[0] }, options: asked[1] }, () => memoryRecall(...asked)).pipe(
      asOperation("cassette.network.memoryRecall", "search_memory", { agent_id })
    ),
  memoryForget: (name, cassette_id) =>
    onArguments({ texts: { name, cassette: cassette_id } }, () => memoryForget(name, cassette_id)).pipe(
      asOperation("cassette.network.memoryForget", "delete_memory", { agent_id, cassette_id })
    )
})

/** The questions about symbols, on arguments that are what their types say. */
const symbolsOnArguments = ({
  expandSymbols,
  resolveSymbol,
  shortSymbols
}: SymbolQuestions): SymbolQuestions => ({
  resolveSymbol: (symbol, options) =>
    onArguments({ texts: { symbol }, options }, () => resolveSymbol(symbol, options)),
  expandSymbols: (text, options) =>
    onArguments({ texts: { text }, options }, () => expandSymbols(text, options)),
  shortSymbols: (hashes, options) =>
    Array.isArray(hashes)
      ? onArguments({ texts: { ...hashes }, options }, () => shortSymbols(hashes, options))
      : Effect.fail(invalidAt("/hashes", "Expected array"))
})

export class Network extends Context.Service<Network, NetworkShape>()("cortex-cassette/application/Network") {
  /** A network without cassettes, with vectors if an `Embedder` is provided, searched by a `VectorIndex` if one is; the scope's end closes those that were registered. */
  static readonly layerNoDeps: Layer.Layer<Network, never, Hashing | Stemming> = Layer.effect(
    Network,
    Effect.gen(function* () {
      const { stem } = yield* Stemming
      const { sha256 } = yield* Hashing
      const embedder = Option.getOrUndefined(yield* Effect.serviceOption(Embedder))
      const vectors = Option.getOrElse(yield* Effect.serviceOption(VectorIndex), () => signBitVectors())
      const agent_id = yield* CallerAgent
      const hub = new Hub({ stem, embedder, vectors }, sha256, agent_id)
      const retrieval = (method: string) =>
        asOperation(`cassette.network.${method}`, "retrieval", { agent_id })
      yield* Effect.addFinalizer(() => hub.close)
      return {
        register: (cassette) =>
          onArguments({ texts: { cassette_id: cassette?.cassetteId } }, () => hub.roster.register(cassette)),
        unregister: (id) => onArguments({ texts: { id } }, () => hub.roster.unregister(id)),
        swap: (cassette) =>
          onArguments({ texts: { cassette_id: cassette?.cassetteId } }, () => hub.roster.swap(cassette)),
        swapEmbedder: (next, retire = Effect.void) =>
          onArguments({ options: next }, () => hub.swapEmbedder(next, retire)),
        cassettes: hub.roster.ids,
        query: (text, limit = DEFAULT_LIMIT, options = {}) =>
          onArguments({ texts: { text }, options }, () =>
            bounded(budgetOfHits(options), hub.search(text, limit, options))
          ).pipe(retrieval("query")),
        queryAll: (text, topK, options) =>
          onArguments({ texts: { text }, options }, () =>
            bounded(budgetOfHits(options), hub.queryAll(text, topK, options))
          ).pipe(retrieval("queryAll")),
        queryByCapability: (text, capability, topK, options) =>
          onArguments({ texts: { text, capability }, options }, () =>
            bounded(budgetOfHits(options), hub.queryAll(text, topK, { ...options, capability }))
          ).pipe(retrieval("queryByCapability")),
        neighbours: (name, limit, options) =>
          onArguments({ texts: { name }, options }, () =>
            bounded(budgetOfHits(options), hub.neighbours(name, limit, options))
          ).pipe(retrieval("neighbours")),
        status: hub.status,
        embedderHealth: hub.embedderHealth,
        ...hub.memories,
        ...memoriesInSpans(hub.memories, agent_id),
        ...symbolsOnArguments(hub.symbols)
      }
    })
  )
}
