// Says before a run of properties how long it will take, and after it how to repeat each one that failed: one line for each,
// to be pasted.
import type { Reporter, TestCase, TestSpecification } from "vitest/node"

/** Minutes of a whole run on two quiet cores: what takes its time with any number of runs, and each 100 runs. */
const MINUTES = 4
const MINUTES_FOR_100_RUNS = 5

/** From so many suites on, a run is one of all of them. */
const WHOLE_RUN_SUITES = 30

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The pattern that finds a test by its whole name. */
const patternOf = (name: string): string => `^${name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")}$`

export class Replays implements Reporter {
  readonly #settings: string
  readonly #runs: number
  readonly #failed: Array<string> = []

  constructor({ PROP_CASE, PROP_RUNS, PROP_SEED }: Readonly<Record<string, string | undefined>>) {
    this.#runs = Number(PROP_RUNS)
    const one = PROP_CASE === undefined || PROP_CASE === "" ? "" : ` PROP_CASE=${PROP_CASE}`
    this.#settings = `PROP_SEED=${PROP_SEED} PROP_RUNS=${PROP_RUNS}${one}`
  }

  onTestRunStart(suites: ReadonlyArray<TestSpecification>): void {
    const minutes = Math.ceil(MINUTES + (MINUTES_FOR_100_RUNS * this.#runs) / 100)
    const isWhole = suites.length >= WHOLE_RUN_SUITES
    console.log(isWhole ? `${this.#settings}: about ${minutes} minutes on two quiet cores` : this.#settings)
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state !== "failed") return
    const { fullName, module } = test
    const file = module.relativeModuleId
    this.#failed.push(`${this.#settings} pnpm prop ${file} -t ${quoted(patternOf(fullName))}`)
  }

  onTestRunEnd(): void {
    if (this.#failed.length === 0) return
    console.error(`To repeat:\n${this.#failed.join("\n")}`)
  }
}
