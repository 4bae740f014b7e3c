// What the page asks about the run of the shop, and how answers about a damaged file are judged.
import { closeSync, openSync, writeSync } from "node:fs"
import { serve } from "./served.ts"

/** The run, as questions name it. */
export const refunds = "run=refunds-2026-11"

/** Every question that the page asks about a run. */
export const QUESTIONS = [
  "/v1/overview",
  "/v1/runs",
  "/v1/runs?by_name=yes",
  "/v1/failed",
  "/v1/run?id=refunds-2026-11",
  `/v1/steps?${refunds}`,
  ...["failed", "ended", "leased", "waiting"].map((state) => `/v1/steps?${refunds}&state=${state}`),
  `/v1/events?${refunds}`,
  "/v1/events",
  `/v1/drawing?${refunds}`,
  "/v1/thoughts?task=refunds-2026-11",
  "/v1/show?id=event:5&whole=yes",
  "/v1/show?id=refunds-2026-11",
  "/v1/growth?after=3"
]

const STATUSES = new Set([200, 400, 404, 500])

/** Overwrites 2 KiB of a ledger's file and asks everything: what is wrong with the answers, or undefined where it cannot be opened. */
export const faultsOfDamaged = async (
  file: string,
  place: number
): Promise<ReadonlyArray<string> | undefined> => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, Buffer.alloc(2_048, 0xa5), 0, 2_048, place)
  closeSync(descriptor)
  const served = await serve(file).catch(() => undefined)
  if (served === undefined) return undefined
  const faults: Array<string> = []
  for (const question of QUESTIONS) {
    const { status, text } = await served.ask(question)
    if (!STATUSES.has(status)) faults.push(`${question}: ${status}`)
    try {
      JSON.parse(text)
    } catch {
      faults.push(`${question}: ${text}`)
    }
  }
  const report = (await served.ask("/v1/verify")).text
  if (report.includes('"verdict":"PASS"')) faults.push(`it is said to be sound: ${report}`)
  await served.close()
  return faults
}
