// The hub as programs use it: which ids it refuses, cassettes that are exchanged or taken out while a question runs, how
// a cassette that goes away is logged, and who may read a file in which process.
import { renameSync } from "node:fs"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import type { FileIndex } from "../../application/network/cassette.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cassetteOf, configuredCassette } from "./configured-cassettes.ts"
import { cassetteWith, local, withNetworkOf } from "./testing/cassettes.ts"

const cassette = (id: string, text: string) =>
  local(
    id,
    cassetteWith(temporaryFolder(), id.toLowerCase().replaceAll(/[^a-z0-9]/g, "x"), { "a/b.md": text })
  )

describe("ids", () => {
  it.each(["", "A", "1a", "-a", "a_b", "a b", "é", "a/b", "..", "a".repeat(65)])(
    "%j is refused",
    async (id) => {
      const refused = await withNetworkOf([], (network) =>
        Effect.flip(network.register({ ...cassette("a", "x"), cassetteId: id }))
      )
      expect(refused._tag).toBe("InvalidInput")
    }
  )
  it.each(["a", "a-1", "a".repeat(64)])("%j is taken", async (id) => {
    const taken = await withNetworkOf([], (network) =>
      Effect.andThen(network.register({ ...cassette("a", "x"), cassetteId: id }), network.cassettes)
    )
    expect(taken).toEqual([id])
  })
})

describe("cassettes that are exchanged or taken out while a question runs", () => {
  it.each(["swap", "unregister"] as const)(
    "%s: the question ends on the old one, which is closed after it",
    async (way) => {
      const old = cassette("one", "orchard of old")
      const closed: Array<string> = []
      const result = await withNetworkOf([], (network) =>
        Effect.gen(function* () {
          const reached = yield* Deferred.make<void>()
          const goOn = yield* Deferred.make<void>()
          const slow: FileIndex = {
            ...old,
            askIndex: (request) =>
              Effect.gen(function* () {
                yield* Deferred.succeed(reached, undefined)
                yield* Deferred.await(goOn)
                return yield* old.askIndex(request)
              }),
            close: Effect.andThen(
              Effect.sync(() => closed.push("old")),
              old.close
            )
          }
          yield* network.register(slow)
          const running = yield* Effect.forkChild(network.query("orchard"))
          yield* Deferred.await(reached)
          if (way === "swap") yield* network.swap(cassette("one", "orchard of new"))
          else yield* network.unregister("one")
          const closedMeanwhile = [...closed]
          yield* Deferred.succeed(goOn, undefined)
          const { hits } = yield* Fiber.join(running)
          const after = yield* Effect.result(network.query("orchard"))
          return {
            closedMeanwhile,
            before: hits.map(({ content }) => content),
            after:
              after._tag === "Success" ? after.success.hits.map(({ content }) => content) : after.failure._tag
          }
        })
      )
      expect(result).toEqual({
        closedMeanwhile: [],
        before: ["orchard of old"],
        after: way === "swap" ? ["orchard of new"] : "NetworkUnavailable"
      })
      expect(closed).toEqual(["old"])
    }
  )
})

describe("a cassette that goes away", () => {
  it("is logged once for each change, and not while nothing changes", async () => {
    const folder = temporaryFolder()
    const file = cassetteWith(folder, "one", { "a/b.md": "text" })
    const other = local("two", cassetteWith(folder, "two", { "a/c.md": "text" }))
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => {
      logged.push(String(message))
    })
    await withNetworkOf([local("one", file), other], (network) =>
      Effect.gen(function* () {
        yield* network.query("text")
        renameSync(file, `${file}.away`)
        for (let times = 0; times < 3; times++) yield* network.query("text")
        renameSync(`${file}.away`, file)
        yield* network.query("text")
        renameSync(file, `${file}.away`)
        yield* network.query("text")
        yield* network.query("text")
      }).pipe(Effect.provide(Logger.layer([logger])))
    )
    expect(logged).toEqual(["Cassette one offline, skipping", "Cassette one offline, skipping"])
  })
})

describe("who reads a cassette", () => {
  it.each([
    ["local", undefined, true],
    ["external", undefined, false],
    ["local", "process", false],
    ["external", "inline", true]
  ] as const)("of type %s with isolation %s: in this process is %s", async (type, isolation, inProcess) => {
    const folder = temporaryFolder()
    const configured = configuredCassette(join(folder, "network.yaml"), folder, {
      id: "one",
      path: "one.db",
      type,
      ...(isolation !== undefined && { isolation })
    })
    const made = cassetteOf(configured, { deadlineMillis: undefined, embedder: undefined, agent: null })
    expect(made.inProcess).toBe(inProcess)
    await Effect.runPromise(made.close)
  })
})
