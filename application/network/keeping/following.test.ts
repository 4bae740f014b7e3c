// What a network takes over from a configuration that changes: only what is different, and nothing from one that cannot be read.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { assert, describe, it } from "@effect/vitest"
import { ConfigurationMissing } from "../../../domain/network/errors.ts"
import type { Cassette } from "../cassette.ts"
import type { ConfigurationSource, ReadConfiguration } from "./configuration-source.ts"
import type { EmbedderShape } from "../embedder.ts"
import { configured } from "./following.ts"
import type { NetworkShape } from "../hub.ts"

const embedderNamed = (model: string): EmbedderShape => ({
  identity: { model, revision: "", dimensions: 2, normalizer: "n" },
  embed: () => Effect.succeed([])
})

/** A configuration in a few words: its embedder, and each cassette with what is said of it. */
const configuration = (
  embedder: string,
  cassettes: Readonly<Record<string, string>>,
  events: Array<string>
): ReadConfiguration => ({
  embedder: {
    said: embedder,
    start: Effect.acquireRelease(
      Effect.sync(() => {
        events.push(`start ${embedder}`)
        return embedderNamed(embedder)
      }),
      () => Effect.sync(() => events.push(`end ${embedder}`))
    )
  },
  cassettes: Object.entries(cassettes).map(([id, said]) => ({
    id,
    said,
    open: (identity) => ({ cassetteId: `${id} ${said} ${identity?.model}` }) as Cassette
  })),
  expansion: { maxDepth: cassettes["depth"] === undefined ? 1 : Number(cassettes["depth"]) }
})

/** The parts of a network that a configuration touches; they note what happens to them. */
const notingNetwork = (events: Array<string>): NetworkShape => {
  let retired: Effect.Effect<void> = Effect.void
  return {
    swap: ({ cassetteId }: Cassette) => Effect.sync(() => events.push(`swap ${cassetteId}`)),
    unregister: (id: string) => Effect.sync(() => events.push(`unregister ${id}`)),
    swapEmbedder: (_: unknown, retire: Effect.Effect<void>) =>
      Effect.suspend(() => {
        const before = retired
        retired = retire
        return before
      }),
    expandSymbols: (_: string, options: unknown) => Effect.sync(() => events.push(JSON.stringify(options)))
  } as unknown as NetworkShape
}

/** A source that gives one reading after another, and what says that it was given the last. */
const sourceOf = (readings: ReadonlyArray<ConfigurationSource["read"]>, atEnd: Effect.Effect<unknown>) => {
  let next = 0
  const source: ConfigurationSource = {
    read: Effect.suspend(() => readings[next++]!),
    changed: Effect.suspend(() =>
      next < readings.length ? Effect.void : Effect.andThen(atEnd, Effect.never)
    )
  }
  return source
}

const followed = Effect.fnUntraced(function* (
  events: Array<string>,
  readings: ReadonlyArray<ConfigurationSource["read"]>
) {
  const done = yield* Deferred.make<void>()
  const source = sourceOf(readings, Deferred.succeed(done, undefined))
  const network = yield* configured(notingNetwork(events), source, { watch: true })
  yield* Deferred.await(done)
  yield* network.expandSymbols("")
}, Effect.scoped)

describe("a network that follows a configuration", () => {
  it.effect("opens the changed cassettes again, and takes out those that are gone", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const reading = (cassettes: Readonly<Record<string, string>>) =>
        Effect.succeed(configuration("m", cassettes, events))
      yield* followed(events, [reading({ a: "1", b: "1", c: "1" }), reading({ a: "1", b: "2", depth: "4" })])
      assert.deepStrictEqual(events, [
        "start m",
        "swap a 1 m",
        "swap b 1 m",
        "swap c 1 m",
        "swap b 2 m",
        "swap depth 4 m",
        "unregister c",
        '{"maxDepth":4}'
      ])
    })
  )

  it.effect("opens all again for another embedder, and ends the old one after the new one has begun", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const readings = ["m", "n"].map((model) => Effect.succeed(configuration(model, { a: "1" }, events)))
      yield* followed(events, readings)
      assert.deepStrictEqual(events, [
        "start m",
        "swap a 1 m",
        "start n",
        "end m",
        "swap a 1 n",
        '{"maxDepth":1}'
      ])
    })
  )

  it.effect("goes on as before, and says so, when the configuration cannot be read", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const logged: Array<unknown> = []
      const missing = Effect.fail(new ConfigurationMissing({ file: "network.yaml" }))
      yield* followed(events, [Effect.succeed(configuration("m", { a: "1" }, events)), missing]).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => logged.push(message))]))
      )
      assert.deepStrictEqual(events, ["start m", "swap a 1 m", '{"maxDepth":1}'])
      assert.include(String(logged), "the network goes on as before")
    })
  )
})
