// The questions about symbols that a network answers. Options are judged before any cassette is
// asked, then comes the answer together with who took part in it. An error says which cassettes might have known better.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ReadScope } from "../../../domain/network/index-requests.ts"
import type { SymbolError } from "../../../domain/network/symbols/symbol-errors.ts"
import { parseSymbol } from "../../../domain/network/symbols/symbols.ts"
import type { QuerySession } from "../search/query-session.ts"
import { bounded } from "../search/bounded-answer.ts"
import type { AskError, MergedAnswer, QueryOptions } from "../answers.ts"
import {
  type ExpandedText,
  type ExpansionOptions,
  expandSymbols,
  followingOf,
  type ResolvedSymbol,
  resolveSymbol,
  shortSymbols,
  withUnanswered
} from "./symbol-resolution.ts"

/** Which cassettes symbols are looked up in, and how large the answer may be. */
export type LookupOptions = Pick<QueryOptions, "cassettes" | "maxBytes" | "strict">

/** Which cassettes symbols are looked up in, and how far they are followed. */
export interface SymbolOptions extends ExpansionOptions, LookupOptions {}

/** What was found out about symbols, and who took part. */
export type SymbolAnswer<A> = A & Pick<MergedAnswer, "answers" | "left_off" | "partial">

/** Every way in which a symbol of the network does not lead to one text. */
export type SymbolAskError = AskError | SymbolError

/** Stores that a host plugged in have no symbols and are not asked. */
export interface SymbolQuestions {
  /** The text that a symbol (`@C:`, `@P:` or `@A:` and 12 to 64 digits) names. */
  readonly resolveSymbol: (
    symbol: string,
    options?: SymbolOptions
  ) => Effect.Effect<SymbolAnswer<ResolvedSymbol>, SymbolAskError>
  /** A text with its symbols replaced by their texts, through one level unless more are asked for. */
  readonly expandSymbols: (
    text: string,
    options?: SymbolOptions
  ) => Effect.Effect<SymbolAnswer<ExpandedText>, SymbolAskError>
  /** The shortest symbols of those chunk hashes that some cassette has, by hash. */
  readonly shortSymbols: (
    hashes: ReadonlyArray<string>,
    options?: Omit<LookupOptions, "maxBytes">
  ) => Effect.Effect<SymbolAnswer<{ readonly symbols: Readonly<Record<string, string>> }>, AskError>
}

/** Asks the indexes of a network one thing. */
export type AskIndexes = <A>(
  options: LookupOptions,
  work: (session: QuerySession, scope: ReadScope) => Effect.Effect<A>
) => Effect.Effect<{ readonly value: A } & Pick<MergedAnswer, "answers" | "partial">, AskError>

/** The questions over what asks the indexes. */
export const symbolQuestions = (ask: AskIndexes): SymbolQuestions => {
  const answered = Effect.fnUntraced(function* <A, E extends SymbolError>(
    options: LookupOptions,
    work: (session: QuerySession, scope: ReadScope) => Effect.Effect<A, E>
  ) {
    const { answers, partial, value } = yield* ask(options, (session, scope) =>
      Effect.result(work(session, scope))
    )
    return Result.isSuccess(value)
      ? { ...value.success, answers, partial }
      : yield* Effect.fail(withUnanswered(value.failure, answers))
  })
  const judged = <A, E extends SymbolError>(
    options: LookupOptions,
    work: (session: QuerySession, scope: ReadScope) => Effect.Effect<A, E>
  ): Effect.Effect<SymbolAnswer<A>, SymbolAskError> =>
    bounded(options.maxBytes ?? Infinity, answered(options, work))
  return {
    resolveSymbol: Effect.fnUntraced(function* (
      symbol: string,
      options: SymbolOptions = {}
    ): Effect.fn.Return<SymbolAnswer<ResolvedSymbol>, SymbolAskError> {
      yield* Effect.fromResult(parseSymbol(symbol))
      const following = yield* Effect.fromResult(followingOf(options))
      return yield* judged(options, (session, scope) => resolveSymbol(session, symbol, following, scope))
    }),
    expandSymbols: Effect.fnUntraced(function* (
      text: string,
      options: SymbolOptions = {}
    ): Effect.fn.Return<SymbolAnswer<ExpandedText>, SymbolAskError> {
      const following = yield* Effect.fromResult(followingOf(options))
      return yield* judged(options, (session, scope) => expandSymbols(session, text, following, scope))
    }),
    shortSymbols: (hashes, options = {}) =>
      Effect.map(
        ask(options, (session, scope) => shortSymbols(session, hashes, scope)),
        ({ answers, partial, value }) => ({ symbols: Object.fromEntries(value), answers, partial })
      )
  }
}
