// What the same work costs on queues that live in a server: pg-boss on Debian's PostgreSQL, and BullMQ on Debian's Redis that flushes
// every write. Both are fetched with npm into a scratch folder, servers run on loopback. What is missing is left out.
import { join } from "node:path"
import { openContestant } from "./peers/contestants.ts"
import { SERVER_VERSIONS, withPeers } from "./peers/installation.ts"
import { withPostgres } from "./peers/postgres.ts"
import { withRedis } from "./peers/redis.ts"
import { openBullmq, openPgBoss } from "./peers/servers.ts"
import { compare, rateOf, type Slice } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

/** Callers that wait at once. */
const CALLERS = 64

const measure = async (
  folder: string,
  peers: string | undefined,
  address: string | undefined,
  port: number | undefined
) => {
  const repeats = setting("BENCH_REPEATS", 5)
  const messages = Math.ceil(setting("BENCH_STEPS", 320) / CALLERS) * CALLERS
  const pgboss =
    peers && address ? await openPgBoss(peers, address.replace(/\/bench$/, "/postgres")) : undefined
  const bullmq = peers && port ? await openBullmq(peers, port) : undefined
  const lines: Array<Line> = []
  for (const callers of [1, CALLERS]) {
    const names = Array.from({ length: callers }, (_, caller) => `caller-${caller}`)
    const file = join(folder, `ours-${callers}.db`)
    const ours = await openContestant({ name: "ours", file, durability: "FULL", peers: "" })
    await pgboss?.prepare(names)
    await bullmq?.prepare(names)
    const contestants = { ours, ...(pgboss && { pgboss }), ...(bullmq && { bullmq }) }
    const slices: Record<string, Slice> = {}
    for (const [name, { finish }] of Object.entries(contestants)) {
      slices[name] = () =>
        rateOf(messages, () => Promise.all(names.map((caller) => finish(caller, messages / callers))))
    }
    await compare(1, slices)
    const { ours: own = [], ...others } = await compare(repeats, slices)
    await ours.close()
    const what = `${callers === 1 ? "1 caller" : `${callers} callers`}, three commands, FULL`
    for (const [name, figures] of Object.entries(others)) {
      lines.push(line(`${what}, against ${name}`, "messages per second", own, figures))
    }
    if (Object.keys(others).length === 0) lines.push(line(`${what}, alone`, "messages per second", own))
  }
  await pgboss?.close()
  await bullmq?.close()
  const versions = Object.entries(SERVER_VERSIONS).map((each) => each.join(" "))
  return { settings: { repeats, messages, payload_bytes: 230, peers: versions.join(", ") }, lines }
}

export const benchmark: Benchmark = {
  description:
    "post, claim and complete against pg-boss on PostgreSQL and BullMQ on Redis, each commit flushed",
  run: () =>
    inPlace("disk", (folder, place) =>
      withPostgres(folder, (address) =>
        withRedis(folder, (port) =>
          withPeers(
            async (peers) => ({ place, ...(await measure(folder, peers, address, port)) }),
            SERVER_VERSIONS
          )
        )
      )
    )
}
