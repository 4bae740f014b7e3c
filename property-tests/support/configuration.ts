// How often and with which seed every property suite runs: PROP_RUNS and PROP_SEED, which `vitest.prop.config.ts` sets where they
// are not set. Both are printed when a run starts, and again with each property that failed. No suite may pick runs or seeds
// by itself.

import * as fc from "fast-check"

const integerFrom = (name: string, least: number, most: number): number | undefined => {
  const text = process.env[name]
  if (text === undefined || text === "") return undefined
  const value = Number(text)
  if (/^-?[0-9]+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`${name} must be an integer from ${least} to ${most}, not ${JSON.stringify(text)}`)
}

const settingOf = (name: string, least: number, most: number): number => {
  const value = integerFrom(name, least, most)
  if (value === undefined) throw new Error(`${name} is not set: run property suites with pnpm prop`)
  return value
}

/** Cases per property, before a suite scales them. */
export const propRuns: number = settingOf("PROP_RUNS", 1, 1_000_000_000)

/** The seed of every property in this process; fast-check takes 32 bits. */
export const propSeed: number = settingOf("PROP_SEED", -0x8000_0000, 0x7fff_ffff)

/** The one case to repeat, in suites that number their cases: PROP_CASE, with PROP_SEED. */
export const propCase: number | undefined = integerFrom("PROP_CASE", 0, 1_000_000_000)

/** fast-check's parameters; `scale` multiplies the runs, below 1 for slow properties (at least one case runs). */
export const propParameters = (
  scale = 1
): { readonly numRuns: number; readonly seed: number; readonly verbose: fc.VerbosityLevel } => ({
  numRuns: Math.max(1, Math.round(propRuns * scale)),
  seed: propSeed,
  verbose: fc.VerbosityLevel.Verbose
})
