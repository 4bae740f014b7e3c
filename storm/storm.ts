// One storm from beginning to end: a ledger in a folder of its own, the weather, the audit, the ladder of verification.
// It leaves no process behind, and the folder only when something was found in it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Ledger } from "../interfaces/embedding/ledger.ts"
import { livesIn } from "./acknowledgement.ts"
import { type Audit, audit } from "./audit.ts"
import { placesIn, raise, type Weather } from "./campaign.ts"
import type { Children } from "./children.ts"
import type { Finding } from "./finding.ts"
import { withHistory } from "./history.ts"
import type { Settings } from "./settings.ts"

export interface StormReport extends Omit<Audit, "findings"> {
  readonly verdict: "PASS" | "FAIL"
  readonly seed: number
  readonly seconds: number
  readonly processes: number
  readonly weather: Omit<Weather, "findings">
  readonly findings: ReadonlyArray<Finding>
  /** Where the ledger and the logs are kept; undefined when they are removed. */
  readonly folder: string | undefined
}

/** What the whole ladder of verification finds, chains of thoughts included. */
const ladder = (filename: string): Promise<ReadonlyArray<Finding>> =>
  Ledger.use((ledger) => ledger.verifyCassette({ pure: true })).pipe(
    Effect.provide(Ledger.layer({ filename })),
    Effect.map(({ findings }) =>
      findings.map(({ code, message, where }) => ({
        code: "LADDER" as const,
        where,
        message: `${code}: ${message}`
      }))
    ),
    Effect.runPromise
  )

/** Raises a storm and judges it; `interrupted` ends it early, and it is judged all the same. */
export const storm = async (
  { below, processes, seconds, seed }: Omit<Settings, "format">,
  children: Children,
  interrupted: AbortSignal
): Promise<StormReport> => {
  const folder = mkdtempSync(join(below, "cassette-storm-"))
  const { filename, logs } = placesIn(folder)
  mkdirSync(logs)
  const { findings: failures, ...weather } = await raise(
    { filename, logs, seconds, processes, seed, children },
    interrupted
  )
  const laddered = await ladder(filename)
  const audited = withHistory(filename, (history) => audit(history, livesIn(logs)))
  const findings = [...failures, ...laddered, ...audited.findings]
  const passed = findings.length === 0
  if (passed) rmSync(folder, { recursive: true, force: true })
  return {
    verdict: passed ? "PASS" : "FAIL",
    seed,
    seconds,
    processes,
    weather,
    ...audited,
    findings,
    folder: passed ? undefined : folder
  }
}
