// Stores that others plug in and that misbehave in every way: each becomes a status with a reason, the good one beside
// it answers as if it were alone, and the hub stands afterwards.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { IndexStore, PlainStore, StoreHit } from "../../application/network/cassette.ts"
import { makeShelf } from "../../examples/shelf.ts"
import type { Handshake } from "../../domain/network/cassette.ts"
import { CassetteOffline } from "../../domain/network/errors.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cassetteWith, local, withNetworkOf } from "./testing/cassettes.ts"

/** How a store differs from the good one. */
type Change = Partial<PlainStore>

const good = makeShelf("bad", { "a.txt": "the hub of agents" })
const handshakeWith = (fields: object): Change => ({
  handshake: Effect.map(good.handshake, (handshake) => ({ ...handshake, ...fields }) as Handshake)
})
const answering = (answer: unknown): Change => ({
  query: () => Effect.succeed(answer as ReadonlyArray<StoreHit>)
})
const hit = Effect.runSync(good.query("hub", 1))[0]!
const throwing = (error: unknown) => () => {
  throw error
}
// What no type allows, other languages and careless casts do.
const any = <A>(value: unknown): A => value as A

const cases: ReadonlyArray<
  readonly [name: string, status: string, reason: RegExp, change: Change | Pick<IndexStore, "askIndex">]
> = [
  [
    "fails",
    "offline",
    /it sleeps/,
    {
      query: () =>
        Effect.fail(new CassetteOffline({ cassette_id: "other", status: "offline", reason: "it sleeps" }))
    }
  ],
  [
    "fails with something else",
    "error",
    /its program failed with Error: no/,
    { query: () => any(Effect.fail(new Error("no"))) }
  ],
  [
    "fails with nothing",
    "error",
    /its program failed with undefined/,
    { query: () => any(Effect.fail(undefined)) }
  ],
  [
    "dies",
    "error",
    /its program failed with RangeError: dust/,
    { query: () => Effect.die(new RangeError("dust")) }
  ],
  ["throws", "error", /its program failed with TypeError: no/, { query: throwing(new TypeError("no")) }],
  ["throws no error", "error", /its program failed with string/, { query: throwing("no") }],
  ["interrupts itself", "error", /its program ended without an answer/, { query: () => Effect.interrupt }],
  ["hangs", "timeout", /no answer within 50 ms/, { query: () => Effect.never, deadlineMillis: 50 }],
  [
    "hangs and cannot be stopped",
    "timeout",
    /no answer within 50 ms/,
    { query: () => Effect.uninterruptible(Effect.never), deadlineMillis: 50 }
  ],
  [
    "hangs when it shakes hands",
    "timeout",
    /no answer within 50 ms/,
    { handshake: Effect.never, deadlineMillis: 50 }
  ],
  ["is no effect", "error", /its program ended without an answer/, { query: () => any(7) }],
  ["answers nothing", "error", /list of hits is malformed/, answering(undefined)],
  ["answers no list", "error", /list of hits is malformed/, answering({ 0: hit })],
  [
    "answers more than was asked for",
    "error",
    /it gave 11 hits where 10/,
    answering(Array.from({ length: 11 }, () => hit))
  ],
  [
    "answers hits without content",
    "error",
    /\/0\/content is missing/,
    answering([{ ...hit, content: undefined }])
  ],
  [
    "answers another hash",
    "error",
    /hash of its hit 2 is not that/,
    answering([hit, { ...hit, content: "other" }])
  ],
  ["answers half a pair", "error", /\/0\/path/, answering([{ ...hit, path: "\ud800" }])],
  [
    "answers a hash of another form",
    "error",
    /\/0\/hash/,
    answering([{ ...hit, hash: hit.hash.toUpperCase() }])
  ],
  [
    "answers a huge text",
    "error",
    /hit 1 has more than 4194304 bytes/,
    answering([{ ...hit, content: "x".repeat(4_194_305) }])
  ],
  [
    "answers what throws when it is read",
    "error",
    /its program failed with Error/,
    answering([
      {
        ...hit,
        get content() {
          throw new Error("trap")
        }
      }
    ])
  ],
  [
    "speaks another version",
    "refused",
    /its protocol version is 2\.0, this program speaks 1\.0/,
    handshakeWith({ protocol_version: "2.0" })
  ],
  [
    "has another schema",
    "refused",
    /its schema version is 2\.1, this program speaks 1\.0/,
    handshakeWith({ schema_version: "2.1" })
  ],
  ["speaks another protocol", "refused", /its protocol is not SNP/, handshakeWith({ protocol: "HTTP" })],
  [
    "calls itself otherwise",
    "refused",
    /it calls itself otherwise than bad/,
    handshakeWith({ cassette_id: "good" })
  ],
  [
    "shakes hands in another shape",
    "error",
    /its handshake is malformed: \/stats\/total_chunks/,
    handshakeWith({ stats: { total_chunks: "many" } })
  ],
  ["can what is unknown", "error", /\/capabilities\/0/, handshakeWith({ capabilities: ["telepathy"] })],
  [
    "counts in fractions, as an index",
    "error",
    /answer to count is malformed: \/chunks/,
    { askIndex: any(() => Effect.succeed({ chunks: 0.5, words: 1, frequencies: [1] })) }
  ],
  [
    "counts too little, as an index",
    "error",
    /lists of other lengths/,
    { askIndex: any(() => Effect.succeed({ chunks: 1, words: 1, frequencies: [] })) }
  ]
]

describe("a store that was plugged in and", () => {
  it.each(cases)("%s is a status, and the others answer", async (_, status, reason, change) => {
    const ours = local("ours", cassetteWith(temporaryFolder(), "ours", { "a/b.md": "a hub" }))
    await withNetworkOf([{ ...good, ...change }, ours], (network) =>
      Effect.gen(function* () {
        for (const ask of ["query", "queryAll"] as const) {
          const answer = yield* network[ask]("hub", 10)
          expect(answer.partial).toBe(true)
          expect(answer.answers["ours"]).toMatchObject({ status: "ok" })
          expect(answer.answers["bad"]).toMatchObject({ status })
          expect(answer.answers["bad"]?.reason).toMatch(reason)
          const found = "hits" in answer ? answer.hits : answer.results["ours"]
          expect(found).toMatchObject([{ source: "ours", path: "a/b.md" }])
        }
      })
    )
  })

  it("speaks a newer minor version is understood", async () => {
    const change = handshakeWith({ protocol_version: "1.7", schema_version: "1.2", further: true })
    const answer = await withNetworkOf([{ ...good, ...change }], (network) => network.query("hub"))
    expect(answer).toMatchObject({ partial: false, hits: [{ source: "bad", path: "a.txt" }] })
  })

  it("hangs in closing lets the hub go", async () => {
    const closing = { ...good, close: Effect.uninterruptible(Effect.never), deadlineMillis: 50 }
    await withNetworkOf([closing], (network) => network.unregister("bad"))
    await withNetworkOf([closing], (network) => network.query("hub"))
    await withNetworkOf([{ ...good, close: Effect.die("no") }], (network) => network.unregister("bad"))
  })

  it("shows in the status why it is refused", async () => {
    const change = handshakeWith({ protocol_version: "2.0" })
    const [health] = await withNetworkOf([{ ...good, ...change }], (network) => network.status)
    expect(health).toMatchObject({ cassette_id: "bad", status: "refused" })
  })
})
