// What a ledger in a Durable Object costs in workerd on this machine: posts inside an object against the same in a file on Node, and
// posts from outside, one a call and many a call. A memory disk takes the flush away, which the platform's own storage replaces.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import {
  NO_WORKERD,
  prepareWorkerd,
  startWorkerd,
  workerdBinary
} from "../interfaces/durable-objects/testing/workerd.ts"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { payload } from "./support/events.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line, spread } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const WIDE = 64
const OBJECTS = [1, 2, 4, 8] as const

const messageOf = (n: number) => ({
  run_id: "busy",
  source: "USER" as const,
  payload: { ...payload(n), n },
  idempotency_key: String(n)
})

/** Posts of a program in one process, so many at a time. */
const filePosts = (from: number, count: number, width: number) => (ledger: LedgerShape) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) => ledger.postMessage(messageOf(from + n)),
    { concurrency: width, discard: true }
  )

export const benchmark: Benchmark = {
  description: "posts to ledgers in Durable Objects, in workerd on this machine, against a file on Node",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      if (workerdBinary === undefined) throw new Error(NO_WORKERD)
      const repeats = setting("BENCH_REPEATS", 9)
      const posts = setting("BENCH_POSTS", 1_280)
      const objects = join(folder, "objects")
      mkdirSync(objects)
      await prepareWorkerd(objects)
      const workerd = await startWorkerd(objects)
      const file = await openLedger({ filename: join(folder, "file.db"), durability: "normal" })
      try {
        let from = 0
        const next = () => (from += posts)
        const single = (name: string, n: number) => workerd.ask("BUSY", name, "post", messageOf(n))
        const wide = async (first: number, each: (n: number) => Promise<unknown>, count: number) => {
          const caller = async (start: number) => {
            for (let n = start; n < count; n += WIDE) await each(first + n)
          }
          await Promise.all(Array.from({ length: WIDE }, (_, start) => caller(start)))
        }
        const batch = (name: string, first: number) =>
          workerd.ask(
            "BUSY",
            name,
            "commands",
            Array.from({ length: WIDE }, (_, n) => ({ _tag: "PostMessage", ...messageOf(first + n) }))
          )
        const batches = async (name: string, first: number) => {
          for (let n = 0; n < posts; n += WIDE) await batch(name, first + n)
        }
        const inside = (width: number) => () =>
          rateOf(posts, () => workerd.ask("BUSY", "inside", "posts", next(), posts, width, payload(0)))
        const onNode = (width: number) => () => rateOf(posts, () => file.run(filePosts(next(), posts, width)))
        const contestants = {
          inside1: inside(1),
          node1: onNode(1),
          inside64: inside(WIDE),
          node64: onNode(WIDE),
          calls1: () =>
            rateOf(posts / 8, async () => {
              const first = next()
              for (let n = 0; n < posts / 8; n++) await single("calls", first + n)
            }),
          calls64: () => rateOf(posts, () => wide(next(), (n) => single("calls", n), posts)),
          batches: () => rateOf(posts, () => batches("calls", next()))
        }
        await compare(1, contestants)
        const figures = await compare(repeats, contestants)
        const spreads = await compare(
          repeats,
          Object.fromEntries(
            OBJECTS.map((count) => [
              `objects${count}`,
              () =>
                rateOf(posts * count, () =>
                  Promise.all(Array.from({ length: count }, (_, n) => batches(`object-${n}`, next())))
                )
            ])
          )
        )
        return {
          place,
          settings: { repeats, posts, payload_bytes: 230 },
          lines: [
            line(
              "posts inside, one at a time",
              "per second",
              figures.inside1,
              figures.node1,
              "ratio at least 0.5"
            ),
            line(
              "posts inside, 64 at a time",
              "per second",
              figures.inside64,
              figures.node64,
              "ratio at least 0.5"
            ),
            line(
              "64 posts a call, against 64 callers",
              "per second",
              figures.batches,
              figures.calls64,
              "ratio at least 2"
            ),
            { name: "one post a call, one caller", unit: "per second", figure: spread(figures.calls1) },
            ...OBJECTS.map((count) => ({
              name: `64 posts a call, ${count} object(s) at a time`,
              unit: "per second",
              figure: spread(spreads[`objects${count}`] ?? [])
            }))
          ]
        }
      } finally {
        await file.close()
        await workerd.kill()
      }
    })
}
