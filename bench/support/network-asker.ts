// One process that asks a network of cassettes questions and tells how much memory it takes, its own and that of the
// processes that serve cassettes. Started by the benchmark `network`; never by hand.
import { existsSync, readFileSync } from "node:fs"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { childCassette } from "../../infrastructure/network/children/child-cassette.ts"
import { local, withNetworkOf } from "../../infrastructure/network/testing/cassettes.ts"

export interface NetworkJob {
  readonly files: ReadonlyArray<string>
  readonly questions: ReadonlyArray<string>
  /** Whether every cassette is served by a process of its own. */
  readonly apart: boolean
}

/** Milliseconds by question, and mebibytes; Linux alone tells those of other processes. */
export interface NetworkTaken {
  readonly totals: ReadonlyArray<number>
  readonly overheads: ReadonlyArray<number>
  readonly hub_mib: number
  readonly largest_child_mib: number
}

/** The program of a built package, if there is one: sources need a compiler in every process. */
const built = fileURLToPath(new URL("../../dist/library/cassette-child.js", import.meta.url))
const program = existsSync(built) ? built : undefined

const numberIn = (file: string, pattern: RegExp): number =>
  existsSync(file) ? Number(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? 0) / 1_024 : Number.NaN

/** The process of a cassette is a grandchild: a shell stands between, and its memory counts. */
const childIds = (parent: number | string): ReadonlyArray<string> =>
  existsSync("/proc/self/task")
    ? readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8")
        .split(" ")
        .filter((id) => id !== "")
    : []

const shareOf = (id: string): number => numberIn(`/proc/${id}/smaps_rollup`, /^Pss:\s+(\d+)/m)

const [{ apart, files, questions }] = (await once(process, "message")) as [NetworkJob]

const taken = await withNetworkOf(
  files.map((file, part) =>
    apart
      ? childCassette({ id: `part-${part}`, file, shownPath: file, program, deadlineMillis: 60_000 })
      : local(`part-${part}`, file)
  ),
  (network) =>
    Effect.gen(function* () {
      const totals: Array<number> = []
      const overheads: Array<number> = []
      // Once to warm up.
      for (const round of [0, 1]) {
        for (const text of questions) {
          const start = performance.now()
          const { answers } = yield* network.query(text)
          const total = performance.now() - start
          if (round === 0) continue
          const took = Object.values(answers).map(({ took_ms }) => took_ms)
          totals.push(total)
          // In one process cassettes are read one after another.
          overheads.push(total - (apart ? Math.max(...took) : took.reduce((sum, each) => sum + each, 0)))
        }
      }
      const children = childIds(process.pid).map((shell) =>
        [shell, ...childIds(shell)].reduce((sum, id) => sum + shareOf(id), 0)
      )
      return {
        totals,
        overheads,
        hub_mib: numberIn("/proc/self/status", /^VmHWM:\s+(\d+)/m),
        largest_child_mib: Math.max(0, ...children)
      } satisfies NetworkTaken
    })
)
process.send?.(taken, () => process.disconnect())
