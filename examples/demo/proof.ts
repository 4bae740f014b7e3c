// The proof that leaves the demo: a bundle, verified and replayed, and what the verifier says of a copy with one byte
// changed.
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Bundle } from "../../interfaces/embedding/index.ts"

/** Copies a folder and turns one bit of one file in the copy. */
const forge = (folder: string, copy: string, file: string): void => {
  cpSync(folder, copy, { recursive: true })
  const bytes = readFileSync(join(copy, file))
  bytes[0] = (bytes[0] ?? 0) ^ 1
  writeFileSync(join(copy, file), bytes)
}

/** Builds the bundle of a job into a folder and puts it to the test; true when everything came out as it must. */
export const prove = Effect.fn("demo.prove")(function* (
  job: { readonly run_id: string; readonly job_id: string },
  folder: string,
  say: (text: string) => void
) {
  const built = yield* Bundle.build(job, folder)
  const { artifacts, bytes, steps } = built.counts
  say(`Built the bundle ${folder}: ${steps} steps, ${artifacts} artifacts, ${bytes} bytes`)
  const { manifest, report } = yield* Bundle.verify(folder)
  say(`Verified offline: ${report.verdict}, root ${report.root_hash}`)
  const replayed = yield* Bundle.replay(folder)
  const again = yield* Bundle.replay(folder, replayed)
  say(`Replayed with nothing but the bundle: receipt ${replayed.receipt_hash}`)
  say(`Replayed once more, chained to it:    receipt ${again.receipt_hash}`)
  const copy = `${folder}-forged`
  forge(folder, copy, manifest?.artifacts[0]?.path ?? "")
  const { report: forged } = yield* Bundle.verify(copy)
  say(`One bit turned in a copy: ${forged.verdict}`)
  for (const { code, message, where } of forged.findings) say(`  ${code} ${where}: ${message}`)
  return report.verdict === "PASS" && forged.verdict === "FAIL"
})
