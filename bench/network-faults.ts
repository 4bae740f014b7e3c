// How long a question takes while one cassette of eight hangs and another is damaged, against the deadline of the one
// that hangs, and how many processes are left after many such rounds and after many killed parents.
import { faultRounds, orphanRounds } from "../infrastructure/network/testing/fault-rounds.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

export const benchmark: Benchmark = {
  description: "a question while one cassette of eight hangs and one is damaged; processes that are left",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const rounds = setting("BENCH_ROUNDS", 200)
      const parents = setting("BENCH_PARENTS", 20)
      const deadline = setting("BENCH_DEADLINE", 1_000)
      const { answers, children, left, waits } = await faultRounds(folder, rounds, deadline)
      const orphans = await orphanRounds(parents)
      const hung = answers.filter((answer) => answer["hung"]?.status === "timeout").length
      return {
        place,
        settings: { rounds, parents, deadline, children: children.length },
        lines: [
          line(
            "an answer, beyond the deadline",
            "milliseconds",
            waits.map((wait) => wait - deadline),
            undefined,
            "at most 50"
          ),
          line("rounds in which the hung cassette was told as late", "rounds", [hung], [rounds]),
          line("children left after all rounds", "processes", [left.length], undefined, "0"),
          line("children left after their parents were killed", "processes", [orphans.length], undefined, "0")
        ]
      }
    })
}
