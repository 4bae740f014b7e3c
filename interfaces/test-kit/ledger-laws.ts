// The laws of ledgers as tests of vitest, for any layer that gives a `Ledger`. They are tried in random lives from a random start
// that can be set, so that a failure is repeated exactly.
import { relative } from "node:path"
import { describe, it } from "vitest"
import { type Lives, type MakeLayer, tryLaw } from "./ledger-life.ts"
import { LAWS } from "./laws/laws.ts"

/** How the laws are tried. `timeout` is in milliseconds for each. */
export interface LedgerLawsOptions {
  /** How many random lives each law is tried in (default 100); `LAWS_RUNS` of the environment goes first. */
  readonly runs?: number | undefined
  /** Where chance begins (default: another place each time); `LAWS_SEED` of the environment goes first. */
  readonly seed?: number | undefined
  /** Whether a ledger that is closed and opened again under its name is the same one (default false). */
  readonly persists?: boolean | undefined
  /** How long one law may take (milliseconds; default 120,000). */
  readonly timeout?: number | undefined
  /** The command that runs a file of tests, for the line that repeats a failure (default `npx vitest run`). */
  readonly command?: string | undefined
}

const DEFAULT_RUNS = 100
const DEFAULT_TIMEOUT = 120_000

/** A whole number of the environment. */
const fromEnvironment = (name: string): number | undefined => {
  const text = process.env[name]
  if (text === undefined || text === "") return undefined
  if (!/^-?[0-9]+$/.test(text)) throw new Error(`${name} must be a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}

const livesOf = ({ runs, seed }: LedgerLawsOptions): Lives => ({
  numRuns: fromEnvironment("LAWS_RUNS") ?? runs ?? DEFAULT_RUNS,
  seed: fromEnvironment("LAWS_SEED") ?? seed ?? Math.floor(Math.random() * 0x7fff_ffff)
})

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const literally = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")

/** One line for a shell that repeats one test. */
const repeatLine = (
  { numRuns, seed }: Lives,
  command: string,
  file: string,
  names: ReadonlyArray<string>
): string =>
  `LAWS_SEED=${seed} LAWS_RUNS=${numRuns} ${command} ${relative(process.cwd(), file)} -t ${quoted(`${names.map(literally).join(".*")}$`)}`

/**
 * Registers a test for each law: replies and tables as a simple model has them, the order of claims, leases and tokens, receipts,
 * idempotency keys, refusals, batches, the chain and its fold, and persistence where `persists` says so. `makeLayer` is asked for
 * the layer of each new ledger by a name of its own; a failing test prints one line that repeats it.
 */
export const ledgerLaws = (name: string, makeLayer: MakeLayer, options: LedgerLawsOptions = {}): void => {
  const { command = "npx vitest run", persists = false, timeout = DEFAULT_TIMEOUT } = options
  const lives = livesOf(options)
  const laws = LAWS.filter(({ reopens }) => persists || !reopens)
  describe(name, () => {
    for (const [index, law] of laws.entries()) {
      it(
        law.name,
        async ({ task }) => {
          const breach = await tryLaw(law, makeLayer, lives, `law-${index + 1}`)
          if (breach === undefined) return
          const line = repeatLine(lives, command, task.file.filepath, [name, law.name])
          throw new Error(
            [breach.message, "", "after:", ...breach.moves, "", "To repeat:", line, ""].join("\n")
          )
        },
        timeout
      )
    }
  })
}
