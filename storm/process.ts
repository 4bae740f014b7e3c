// One process of the storm: `node process.ts <file> <folder of logs> <name> <seed>`. Several lanes use the ledger at once,
// from the line that it prints once the ledger is open until standard input ends, which it also does when the parent dies in any way; then the ledger is closed
// in order. It may be killed or stopped at any moment. Started by the storm, never by hand.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Thoughts } from "../application/ledger/thoughts/thoughts.ts"
import { Ledger } from "../interfaces/embedding/ledger.ts"
import { openLog } from "./acknowledgement.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { batch, type Lane, post, takeBack, takeOver, think, work } from "./deeds.ts"
import { handoffsIn } from "./handoff.ts"
import { makeShiftedClock, type ShiftedClock } from "./shifted-clock.ts"

/** Longer than any process is stopped, since it may be stopped while it holds the write lock (milliseconds). */
const BUSY_DEADLINE_MILLIS = 60_000

const DAY = 86_400_000
/**
 * How wrong a clock may be (milliseconds). Forwards only a little: the newest event's time is everybody's from then on,
 * and after a day's jump no lease would end for a day. The farthest is so far back that nothing may be written.
 */
const OFFSETS = [0, -5, -1_500, -3_600_000, -DAY, -300 * DAY, -400 * DAY, 40, 400, 1_200]
const LONGEST_RIGHT_MILLIS = 700

const [filename = "", logs = "", worker = "", seed = "0"] = process.argv.slice(2)

const state = { ending: false }
for (const last of ["end", "close"] as const) {
  process.stdin.once(last, () => {
    state.ending = true
  })
}
process.stdin.resume()

/** Repeats a deed until the process is to end. */
const until = <E>(deed: (n: number) => Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    for (let n = 0; !state.ending; n++) yield* deed(n)
  })

const jump = (clock: ShiftedClock, chance: Chance) =>
  Effect.suspend(() => {
    clock.shift(OFFSETS[chance.below(OFFSETS.length)] ?? 0)
    return Effect.sleep(chance.below(LONGEST_RIGHT_MILLIS))
  })

const clock = makeShiftedClock()
const log = openLog(logs, worker)
const handoffs = handoffsIn(logs, worker)

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const thoughts = yield* Thoughts
  // The parent may be gone already; then there is no one to tell.
  process.stdout.on("error", () => {})
  process.stdout.write("open\n")
  const lane = (name: string): Lane => ({
    ledger,
    thoughts,
    log,
    handoffs,
    worker,
    name: `${worker}.${name}`,
    chance: chanceOf(Number(seed), `${worker}.${name}`)
  })
  const own = chanceOf(Number(seed), worker)
  const [poster, sweeper, thinker] = [lane("post"), lane("sweep"), lane("think")]
  const [batcher, twin] = [lane("batch"), lane("twin")]
  const workers = [lane("work-1"), lane("work-2"), lane("work-3")]
  const jumps = own.oneIn(3)
  yield* Effect.all(
    [
      until((n) => post(poster, n)),
      ...workers.map((lane) => until(() => work(lane))),
      until((n) => batch(batcher, n)),
      until(() => takeBack(sweeper)),
      until(() => takeOver(twin)),
      until((n) => think(thinker, n)),
      jumps ? until(() => jump(clock, own)) : Effect.void
    ],
    { concurrency: "unbounded" }
  )
})

await program.pipe(
  Effect.provide(Ledger.layer({ filename, durability: "full", busyDeadline: BUSY_DEADLINE_MILLIS })),
  Effect.provideService(Clock.Clock, clock.clock),
  Effect.runPromise
)
log.close()
