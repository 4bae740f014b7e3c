// Durable workflows of ours against those of DBOS on PostgreSQL: an activity that does nothing and a workflow that does nothing, one
// caller, each commit flushed to the same disk. DBOS is fetched with npm into a scratch folder and PostgreSQL is Debian's; where one
// of them is missing, ours is measured alone.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { openDbos } from "./peers/dbos.ts"
import { DBOS_VERSION, withPeers } from "./peers/installation.ts"
import { withPostgres } from "./peers/postgres.ts"
import { compare, type Slice } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"
import { Empty, openOurs, Steps } from "./support/workflows.ts"

const measure = async (folder: string, peers: string | undefined, address: string | undefined) => {
  const repeats = setting("BENCH_REPEATS", 7)
  const steps = setting("BENCH_STEPS", 200)
  const ours = openOurs(join(folder, "ours.db"), "full")
  const dbos = peers === undefined || address === undefined ? undefined : await openDbos(peers, address)
  let turn = 0
  const next = () => `${(turn += 1)}`
  const each =
    (work: () => Promise<unknown>): Slice =>
    async () => {
      const start = performance.now()
      await work()
      return ((performance.now() - start) * 1_000) / steps
    }
  const inTurn = async (work: () => Promise<unknown>) => {
    for (let number = 0; number < steps; number++) await work()
  }
  const own = {
    activity: each(() => ours.run(Steps.execute({ id: next(), steps, waits: false }))),
    empty: each(() =>
      ours.run(Effect.forEach(Array.from({ length: steps }, next), (id) => Empty.execute({ id })))
    )
  }
  const slices: Record<string, Slice> =
    dbos === undefined
      ? own
      : { ...own, dbosStep: each(() => dbos.steps(steps)), dbosEmpty: each(() => inTurn(dbos.empty)) }
  await compare(1, slices)
  const { activity = [], dbosEmpty, dbosStep, empty = [] } = await compare(repeats, slices)
  await dbos?.close()
  await ours.close()
  const against =
    dbos === undefined ? "alone" : `against DBOS ${DBOS_VERSION["@dbos-inc/dbos-sdk"]} on PostgreSQL`
  const lines = [
    line(`an activity, ${against}, FULL`, "microseconds", activity, dbosStep),
    line(`an empty workflow, ${against}, FULL`, "microseconds", empty, dbosEmpty)
  ]
  return { settings: { repeats, steps }, lines }
}

export const benchmark: Benchmark = {
  description: "durable workflows against those of DBOS on PostgreSQL, each commit flushed",
  run: () =>
    inPlace("disk", (folder, place) =>
      withPostgres(folder, (address) =>
        withPeers(async (peers) => ({ place, ...(await measure(folder, peers, address)) }), DBOS_VERSION)
      )
    )
}
