// The score of a tampering campaign: how much was changed, how much of it was found, and how much of that in the right
// place. It collects what was missed with its name, so that a campaign ends with all of it and not with the first.

import { expect } from "vitest"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { propSeed } from "../configuration.ts"

/** True when a finding names the place, or something inside it. */
const names = ({ findings }: VerificationReport, place: string): boolean =>
  findings.some(({ where }) => where === place || where.startsWith(`${place} `))

export class CampaignScore {
  readonly #title: string
  readonly #missed: Array<string> = []
  #tried = 0
  #found = 0
  #placed = 0

  constructor(title: string) {
    this.#title = title
  }

  /** Counts one change; every one of `places` must be named by a finding. */
  async judge(
    name: string,
    verification: Promise<VerificationReport>,
    places: ReadonlyArray<string>
  ): Promise<void> {
    this.#tried += 1
    let report: VerificationReport
    try {
      report = await verification
    } catch (error) {
      this.#missed.push(`${name}: verification ended with ${String(error)}`)
      return
    }
    if (report.verdict === "FAIL") this.#found += 1
    const unnamed = places.filter((place) => !names(report, place))
    if (report.verdict === "FAIL" && unnamed.length === 0) {
      this.#placed += 1
      return
    }
    const found = report.findings.slice(0, 4).map(({ code, where }) => `${code} at ${where}`)
    this.#missed.push(`${name}: expected ${unnamed.join(", ")}; found ${found.join(", ") || "nothing"}`)
  }

  /** Prints the score; fails with everything that was missed, and when less than `least` was tried. */
  end(least: number): void {
    const { found, placed, title, tried } = { title: this.#title, ...this.counts }
    console.log(`${title}: ${tried} changes, ${found} found, ${placed} in the right place (seed ${propSeed})`)
    expect(this.#missed).toEqual([])
    expect(tried).toBeGreaterThanOrEqual(least)
  }

  get counts(): { readonly tried: number; readonly found: number; readonly placed: number } {
    return { tried: this.#tried, found: this.#found, placed: this.#placed }
  }
}
