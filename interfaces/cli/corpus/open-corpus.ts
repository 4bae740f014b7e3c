// Opens the corpus of the root that the flags name, for one command. Only indexing makes the database; looking at it
// changes nothing. The database is loaded here and nowhere else, so that help needs none.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CorpusShape } from "../../../application/corpus/corpus.ts"
import { type CacheSubstrate, ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import { AllowNetworkFs } from "../cassette/ledger-flags.ts"
import { rootFolder } from "../../shared/options.ts"

/** The flags of every command of the corpus. */
export const corpusFlags = [AllowNetworkFs] as const

/**
 * `write` may make the database, `append` writes to one that is there, `read` changes nothing, and `verify` reads also
 * what is damaged.
 */
type Access = "write" | "append" | "read" | "verify"

const openCorpus = Effect.fnUntraced(function* (access: Access, cache: CacheSubstrate) {
  const options = {
    root: yield* rootFolder,
    mode: access === "verify" ? "read" : access,
    asFound: access === "verify",
    allowNetworkFs: yield* AllowNetworkFs,
    cache
  } as const
  const { Corpus } = yield* Effect.promise(() => import("../../embedding/corpus.ts"))
  return { Corpus, context: yield* Layer.build(Corpus.layer(options)) }
})

/** Opens the corpus for as long as `use` runs. */
export const withCorpus = <A, E, R>(
  mode: Access,
  use: (corpus: CorpusShape) => Effect.Effect<A, E, R>,
  cache: CacheSubstrate = "sqlite"
) =>
  Effect.scoped(
    Effect.flatMap(openCorpus(mode, cache), ({ Corpus, context }) => use(Context.get(context, Corpus)))
  )

/** Opens the expansion cache, for reading alone, for as long as `program` runs. */
export const withExpansions = <A, E, R>(
  cache: CacheSubstrate,
  program: Effect.Effect<A, E, R | ExpansionCache>
) =>
  Effect.scoped(
    Effect.flatMap(openCorpus("read", cache), ({ context }) =>
      Effect.provideService(program, ExpansionCache, Context.get(context, ExpansionCache))
    )
  )

/** What opens the corpus that the flags name, whenever it is run, until the scope ends. */
export const corpusOpener = Effect.fnUntraced(function* (mode: Access, cache: CacheSubstrate) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof openCorpus>>>()
  return Effect.map(openCorpus(mode, cache), ({ Corpus, context }) => ({
    corpus: Context.get(context, Corpus),
    expansions: Context.get(context, ExpansionCache)
  })).pipe(Effect.provideContext(services))
})
