// A network takes its embedder and its cassettes from a configuration, and follows it: a change is taken over while questions
// run, which end on what they began with. A configuration that cannot be read changes nothing.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ConfigurationMissing, InvalidConfiguration } from "../../../domain/network/errors.ts"
import type { EmbedderIdentity } from "../../../domain/network/vectors.ts"
import type { ConfigurationSource, NamedEmbedder, ReadConfiguration } from "./configuration-source.ts"
import type { NetworkShape } from "../hub.ts"

/** Gives the network the configuration's embedder; it lives until the network has another one, or ends. */
const applyEmbedder = Effect.fnUntraced(function* (network: NetworkShape, { start }: NamedEmbedder) {
  const life = yield* Scope.make()
  const embedder = yield* Scope.provide(start, life)
  // The hub is open for as long as its configuration is followed.
  yield* Effect.orDie(network.swapEmbedder(embedder, Scope.close(life, Exit.void)))
  return embedder?.identity
}, Effect.uninterruptible)

/** A configuration that the network has taken over, and who makes its vectors. */
interface Applied {
  readonly configuration: ReadConfiguration
  readonly embedder: EmbedderIdentity | undefined
}

/** Takes a configuration over: embedder and all cassettes if the embedder has changed, else only the changed cassettes. */
const apply = Effect.fnUntraced(function* (
  network: NetworkShape,
  configuration: ReadConfiguration,
  before: Applied | undefined
): Effect.fn.Return<Applied> {
  const { cassettes, embedder: named } = configuration
  const isSameEmbedder = before?.configuration.embedder.said === named.said
  const embedder = isSameEmbedder ? before.embedder : yield* applyEmbedder(network, named)
  const known = new Map(before?.configuration.cassettes.map(({ id, said }) => [id, said]))
  for (const { id, open, said } of cassettes) {
    if (isSameEmbedder && known.get(id) === said) continue
    // Ids are those of the configuration's Schema.
    yield* Effect.orDie(network.swap(open(embedder)))
  }
  const wanted = new Set(cassettes.map(({ id }) => id))
  for (const id of known.keys()) {
    if (!wanted.has(id)) yield* Effect.ignore(network.unregister(id))
  }
  return { configuration, embedder }
})

/** A network that follows symbols as far as the current configuration says. */
const withExpansion = (network: NetworkShape, current: () => ReadConfiguration): NetworkShape => ({
  ...network,
  resolveSymbol: (symbol, options) => network.resolveSymbol(symbol, { ...options, ...current().expansion }),
  expandSymbols: (text, options) => network.expandSymbols(text, { ...options, ...current().expansion })
})

/** Takes over every change of the configuration. */
const follow = Effect.fnUntraced(function* (
  network: NetworkShape,
  source: ConfigurationSource,
  shared: { current: Applied }
): Effect.fn.Return<never> {
  while (true) {
    yield* source.changed
    const next = yield* Effect.result(source.read)
    if (next._tag === "Failure") {
      yield* Effect.logWarning(`${next.failure.message}: the network goes on as before`)
      continue
    }
    shared.current = yield* apply(network, next.success, shared.current)
  }
})

/** The network with what its configuration names; with `watch` it follows the configuration until the scope ends. */
export const configured = Effect.fnUntraced(function* (
  network: NetworkShape,
  source: ConfigurationSource,
  { watch }: { readonly watch: boolean }
): Effect.fn.Return<NetworkShape, ConfigurationMissing | InvalidConfiguration, Scope.Scope> {
  const shared = { current: yield* apply(network, yield* source.read, undefined) }
  if (watch) yield* Effect.forkScoped(follow(network, source, shared))
  return withExpansion(network, () => shared.current.configuration)
})
