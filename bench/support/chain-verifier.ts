// The verifying half of the benchmark `long-history`, in a process of its own so that its memory is its own: verifies
// the chain of a file, and reports time and the most memory that was resident.
import { openLedger } from "./ledger-runtime.ts"

/** What one verification took. */
export interface Verified {
  readonly seconds: number
  readonly peak_resident_bytes: number
}

const verify = async (file: string): Promise<Verified> => {
  const opened = await openLedger({ filename: file, mode: "read" })
  const start = performance.now()
  const report = await opened.run((ledger) => ledger.verifyCassette({ rungs: ["chain"] }))
  const seconds = (performance.now() - start) / 1_000
  await opened.close()
  if (report.verdict !== "PASS") throw new Error(JSON.stringify(report.findings))
  // The system counts in KiB.
  return { seconds, peak_resident_bytes: process.resourceUsage().maxRSS * 1_024 }
}

process.once("message", (job) => {
  const { file } = job as { readonly file: string }
  void verify(file).then((verified) => {
    process.send?.(verified, () => process.disconnect())
  })
})
